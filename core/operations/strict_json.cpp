// SPDX-License-Identifier: Apache-2.0
#include "core/operations/strict_json.h"

#include <set>
#include <string>
#include <vector>

#include "core/in_quotes.h"

namespace fencepost::operation {

namespace {

using nlohmann::json;

constexpr std::size_t deepest = 16;

// Looks at the text before a tree is built, so that neither depth nor duplicates reach it.
class Inspection final : public nlohmann::json_sax<json> {
public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }

    bool start_object(std::size_t) override { return open(); }
    bool start_array(std::size_t) override { return open(); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override
    {
        if (m_members.back().insert(name).second)
            return true;
        problem = "the member " + inQuotes(name) + " appears twice";
        return false;
    }

    bool parse_error(std::size_t position, const std::string&, const json::exception&) override
    {
        problem = "it is no JSON from byte " + std::to_string(position) + " on";
        return false;
    }

    std::string problem;

private:
    bool open()
    {
        m_members.emplace_back();
        if (m_members.size() <= deepest)
            return true;
        problem = "it is nested too deeply";
        return false;
    }
    bool close()
    {
        m_members.pop_back();
        return true;
    }

    std::vector<std::set<std::string>> m_members;
};

} // namespace

Result<json> parseStrict(std::string_view text)
{
    Inspection inspection;
    if (!json::sax_parse(text.begin(), text.end(), &inspection))
        return Error{ Failure::Invalid, inspection.problem, {} };
    return json::parse(text.begin(), text.end(), nullptr, false);
}

std::string canonical(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace fencepost::operation
