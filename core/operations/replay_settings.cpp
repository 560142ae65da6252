// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>

#include "core/in_quotes.h"
#include "core/operations/replay.h"
#include "core/operations/strict_json.h"

namespace fencepost {

namespace {

using nlohmann::json;

constexpr int largestStage = 1'000'000;
constexpr std::size_t mostStages = 20;

std::optional<double> numberOf(std::string_view text)
{
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

} // namespace

Status checkReplay(const ReplaySettings& settings)
{
    if (settings.ramp.size() > mostStages)
        return invalid("A ramp has at most " + std::to_string(mostStages) + " stages.");
    for (const int rows : settings.ramp)
        if (rows < 1 || rows > largestStage)
            return invalid("A stage of the ramp has from 1 to " + std::to_string(largestStage) + " rows.");
    if (settings.rate != 0 && !(settings.rate >= slowestRate && settings.rate <= fastestRate))
        return invalid("The rate is from 0.1 to 5,000 rows a second.");
    if (!(settings.brake >= 0 && settings.brake <= 1))
        return invalid("The brake is a share from 0 to 100%.");
    if (settings.brake > 0 && settings.ramp.empty())
        return invalid("The brake needs the outcomes of a ramp: give the ramp too.");
    if (settings.patience <= Duration::zero() || settings.slowest < Duration::zero())
        return invalid("The lengths of time of a replay are positive.");
    return {};
}

Result<std::vector<int>> parseRamp(std::string_view text)
{
    std::vector<int> ramp;
    for (std::size_t at = 0; at <= text.size();) {
        const auto comma = std::min(text.find(',', at), text.size());
        const auto part = text.substr(at, comma - at);
        int rows = 0;
        const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), rows);
        if (problem != std::errc() || end != part.data() + part.size() || rows < 1)
            return invalid(
                "The ramp " + inQuotes(std::string(text)) + " is no list of numbers of rows like 1,5,25,100.");
        ramp.push_back(rows);
        at = comma + 1;
    }
    return ramp;
}

Result<double> parseBrake(std::string_view text)
{
    constexpr double percent = 100;
    const bool inPercent = !text.empty() && text.back() == '%';
    const auto value = numberOf(inPercent ? text.substr(0, text.size() - 1) : text);
    const double share = value ? *value / (inPercent ? percent : 1) : -1;
    if (!(share > 0 && share <= 1))
        return invalid("The brake " + inQuotes(std::string(text)) + " is no share like 5% or 0.05.");
    return share;
}

std::string formatReplay(const ReplaySettings& settings)
{
    return operation::canonical({ { "ramp", settings.ramp }, { "rate", settings.rate }, { "brake", settings.brake },
        { "patience_us", settings.patience.count() }, { "slowest_us", settings.slowest.count() } });
}

Result<ReplaySettings> parseReplay(std::string_view text)
{
    const auto parsed = operation::parseStrict(text);
    if (!parsed)
        return parsed.error();
    ReplaySettings settings;
    try {
        settings.ramp = parsed->value("ramp", settings.ramp);
        settings.rate = parsed->value("rate", settings.rate);
        settings.brake = parsed->value("brake", settings.brake);
        settings.patience = Duration(parsed->value("patience_us", settings.patience.count()));
        settings.slowest = Duration(parsed->value("slowest_us", settings.slowest.count()));
    } catch (const json::exception&) {
        return Error{ Failure::Corrupt, "The settings of the run are not those of a replay", {} };
    }
    if (const auto checked = checkReplay(settings); !checked)
        return checked.error();
    return settings;
}

} // namespace fencepost
