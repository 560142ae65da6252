// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <cmath>

#include "core/telemetry/metrics.h"

namespace fencepost::telemetry {

namespace {

// "+Inf", "NaN" and what a reader of floating-point numbers takes, integers without an exponent.
std::string numberText(double value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "+Inf" : "-Inf";
    constexpr double exact = 1e15; // below it each integer is one double
    std::array<char, 32> text{};
    const auto format =
        std::trunc(value) == value && std::abs(value) < exact ? std::chars_format::fixed : std::chars_format::general;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format).ptr;
    return { text.data(), end };
}

void appendEscaped(std::string& out, std::string_view text, bool quotes)
{
    for (const char c : text) {
        if (c == '\\')
            out += "\\\\";
        else if (c == '\n')
            out += "\\n";
        else if (c == '"' && quotes)
            out += "\\\"";
        else
            out += c;
    }
}

// {a="b",le="5"}; nothing where there is no label. A label without a value is the same as none.
std::string labelText(std::span<const Label> labels, const std::vector<std::string>& values, std::string_view bound)
{
    std::string out;
    const auto add = [&](std::string_view name, std::string_view value) {
        out += out.empty() ? '{' : ',';
        out.append(name).append("=\"");
        appendEscaped(out, value, true);
        out += '"';
    };
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (!values[i].empty())
            add(nameOf(labels[i]), values[i]);
    if (!bound.empty())
        add("le", bound);
    return out.empty() ? out : out + '}';
}

void appendSample(std::string& out, std::string_view name, std::string_view labels, std::string_view value)
{
    out.append(name).append(labels).append(" ").append(value).append("\n");
}

std::string_view typeOf(MetricKind kind)
{
    switch (kind) {
    case MetricKind::Counter:
        return "counter";
    case MetricKind::Gauge:
        return "gauge";
    case MetricKind::Histogram:
        return "histogram";
    }
    return "untyped";
}

} // namespace

std::string prometheusName(std::string_view name, MetricKind kind)
{
    std::string out;
    for (const char c : name)
        out += c == '.' ? '_' : c;
    return kind == MetricKind::Counter ? out + "_total" : out;
}

std::string Metrics::text() const
{
    std::string out;
    const std::lock_guard lock(m_mutex);
    for (std::size_t i = 0; i < m_kept.size(); ++i) {
        const auto& family = families()[i];
        for (const auto alias : { family.name, family.alias }) {
            if (alias.empty() || m_kept[i].series.empty())
                continue;
            const auto name = prometheusName(alias, family.kind);
            out.append("# HELP ").append(name).append(" ");
            appendEscaped(out, family.help, false);
            out.append("\n# TYPE ").append(name).append(" ").append(typeOf(family.kind)).append("\n");
            for (const auto& [values, series] : m_kept[i].series) {
                const auto labels = labelText(family.labels, values, {});
                if (family.kind == MetricKind::Counter)
                    appendSample(out, name, labels, std::to_string(series.count));
                else if (family.kind == MetricKind::Gauge)
                    appendSample(out, name, labels, numberText(series.value));
                else
                    appendHistogram(out, name, family, values, series);
            }
        }
    }
    return out;
}

void Metrics::appendHistogram(
    std::string& out, std::string_view name, const Family& family, const Values& values, const Series& series)
{
    const auto bucket = std::string(name) + "_bucket";
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < family.bounds.size(); ++i) {
        below += series.buckets[i];
        appendSample(
            out, bucket, labelText(family.labels, values, numberText(family.bounds[i])), std::to_string(below));
    }
    appendSample(out, bucket, labelText(family.labels, values, "+Inf"), std::to_string(series.count));
    const auto labels = labelText(family.labels, values, {});
    appendSample(out, std::string(name) + "_sum", labels, numberText(series.value));
    appendSample(out, std::string(name) + "_count", labels, std::to_string(series.count));
}

} // namespace fencepost::telemetry
