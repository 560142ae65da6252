// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/telemetry/prometheus_grammar.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "core/ids.h"

namespace fencepost::test {

namespace {

bool isNameStart(char c, bool colon)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colon && c == ':');
}

class Reader {
public:
    explicit Reader(std::string_view text)
        : m_text(text)
    {
    }

    PrometheusText read()
    {
        if (!isUtf8(m_text))
            return fail("it is no UTF-8");
        if (!m_text.empty() && m_text.back() != '\n')
            return fail("the last line has no line feed");
        while (m_problem.empty() && m_at < m_text.size()) {
            const auto end = m_text.find('\n', m_at);
            m_line = m_text.substr(m_at, end - m_at);
            m_at = end + 1;
            ++m_number;
            m_column = 0;
            if (!m_line.empty())
                m_line.starts_with('#') ? comment() : sample();
        }
        for (const auto& [name, family] : m_result.families)
            judge(name, family);
        m_result.problem = m_problem;
        return std::move(m_result);
    }

private:
    PrometheusText fail(const std::string& what)
    {
        if (m_problem.empty())
            m_problem = "line " + std::to_string(m_number) + ": " + what;
        m_result.problem = m_problem;
        return m_result;
    }

    [[nodiscard]] bool ended() const { return m_column >= m_line.size(); }
    [[nodiscard]] char peek() const { return ended() ? '\0' : m_line[m_column]; }

    bool take(char c)
    {
        if (peek() != c)
            return false;
        ++m_column;
        return true;
    }

    std::string name(bool colon)
    {
        const auto begin = m_column;
        while (isNameStart(peek(), colon) || (m_column > begin && peek() >= '0' && peek() <= '9'))
            ++m_column;
        if (m_column == begin)
            fail("a name was expected");
        return std::string(m_line.substr(begin, m_column - begin));
    }

    // "# HELP name text" or "# TYPE name word"; anything else is a remark.
    void comment()
    {
        const bool help = m_line.starts_with("# HELP ");
        if (!help && !m_line.starts_with("# TYPE "))
            return;
        m_column = 7;
        const auto metric = name(true);
        if (!take(' '))
            fail("a blank was expected");
        auto& family = m_result.families[metric];
        if (!family.samples.empty())
            fail(metric + " is described after its samples");
        if (m_current != metric && (!family.help.empty() || !family.type.empty()))
            fail(metric + " comes in two groups");
        m_current = metric;
        auto& target = help ? family.help : family.type;
        if (!target.empty())
            fail(metric + " is described twice");
        target = help ? escaped(m_line.substr(m_column), false) : std::string(m_line.substr(m_column));
        if (!help && !std::set<std::string>{ "counter", "gauge", "histogram", "summary", "untyped" }.contains(target))
            fail("there is no type " + target);
    }

    std::string escaped(std::string_view text, bool quotes)
    {
        std::string out;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] != '\\') {
                out += text[i];
                continue;
            }
            const char next = ++i < text.size() ? text[i] : '\0';
            if (next == 'n')
                out += '\n';
            else if (next == '\\' || (quotes && next == '"'))
                out += next;
            else
                fail("an unknown escape");
        }
        return out;
    }

    std::string labelValue()
    {
        if (!take('"'))
            fail("a quoted value was expected");
        const auto begin = m_column;
        while (!ended() && peek() != '"')
            m_column += peek() == '\\' ? 2 : 1;
        const auto raw = m_line.substr(begin, m_column - begin);
        if (!take('"'))
            fail("a label's value is not closed");
        return escaped(raw, true);
    }

    void sample()
    {
        PrometheusSample sample;
        sample.name = name(true);
        if (take('{')) {
            while (m_problem.empty() && peek() != '}') {
                const auto label = name(false);
                if (!take('='))
                    fail("= was expected");
                if (!sample.labels.emplace(label, labelValue()).second)
                    fail("the label " + label + " appears twice");
                if (peek() != '}' && !take(','))
                    fail(", was expected");
            }
            if (!take('}'))
                fail("} was expected");
        }
        if (!take(' '))
            fail("a blank was expected");
        sample.text = std::string(m_line.substr(std::min(m_column, m_line.size())));
        sample.value = number(sample.text);
        place(std::move(sample));
    }

    double number(const std::string& text)
    {
        if (text == "+Inf")
            return std::numeric_limits<double>::infinity();
        if (text == "-Inf")
            return -std::numeric_limits<double>::infinity();
        if (text == "NaN")
            return std::numeric_limits<double>::quiet_NaN();
        char* end = nullptr;
        const auto value = std::strtod(text.c_str(), &end);
        if (text.empty() || *end != '\0' || text.find_first_not_of("0123456789+-.eE") != std::string::npos)
            fail("\"" + text + "\" is no number");
        return value;
    }

    void place(PrometheusSample sample)
    {
        auto family = m_result.families.find(m_current);
        if (family == m_result.families.end() || family->second.type.empty()) {
            fail(sample.name + " has no TYPE before it");
            return;
        }
        std::set<std::string> allowed{ m_current };
        if (family->second.type == "histogram")
            allowed = { m_current + "_bucket", m_current + "_sum", m_current + "_count" };
        if (!allowed.contains(sample.name))
            fail(sample.name + " stands among the samples of " + m_current);
        if (!m_series.emplace(sample.name, sample.labels).second)
            fail(sample.name + " has one series twice");
        family->second.samples.push_back(std::move(sample));
    }

    void judge(const std::string& metric, const PrometheusFamily& family)
    {
        if (family.type == "counter")
            for (const auto& sample : family.samples)
                if (!(sample.value >= 0) || !metric.ends_with("_total"))
                    fail(metric + " is no counter");
        if (family.type == "histogram")
            judgeHistogram(metric, family);
    }

    void judgeHistogram(const std::string& metric, const PrometheusFamily& family)
    {
        struct Group {
            double bound = -std::numeric_limits<double>::infinity();
            double below = 0;
            double infinite = -1;
            double count = -2;
            bool sum = false;
        };
        std::map<std::map<std::string, std::string>, Group> groups;
        for (const auto& sample : family.samples) {
            auto labels = sample.labels;
            labels.erase("le");
            auto& group = groups[labels];
            if (sample.name == metric + "_sum") {
                group.sum = true;
            } else if (sample.name == metric + "_count") {
                group.count = sample.value;
            } else {
                const auto le = sample.labels.find("le");
                const auto bound = le == sample.labels.end() ? NAN : number(le->second);
                if (!(bound > group.bound) || sample.value < group.below)
                    fail(metric + ": buckets are not cumulative");
                group.bound = bound;
                group.below = sample.value;
                if (std::isinf(bound))
                    group.infinite = sample.value;
            }
        }
        for (const auto& [labels, group] : groups)
            if (!group.sum || group.infinite != group.count)
                fail(metric + ": +Inf, _sum and _count do not agree");
    }

    std::string_view m_text;
    std::string_view m_line;
    std::size_t m_at = 0;
    std::size_t m_column = 0;
    int m_number = 0;
    std::string m_current;
    std::string m_problem;
    std::set<std::pair<std::string, std::map<std::string, std::string>>> m_series;
    PrometheusText m_result;
};

} // namespace

PrometheusText readPrometheus(std::string_view text)
{
    return Reader(text).read();
}

} // namespace fencepost::test
