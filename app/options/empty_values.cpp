// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/options/empty_values.h"

#include <algorithm>
#include <set>

namespace fencepost::app {

namespace {

using Names = std::span<const std::string_view>;

bool contains(Names names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void refuse(const std::string& option)
{
    throw CLI::ValidationError(
        option, "its value is empty; say one, or leave the option out (is a variable of the shell not set?)");
}

void addNames(const CLI::App& app, std::set<std::string>& names)
{
    for (const auto* option : app.get_options())
        if (option->get_items_expected_max() > 0)
            for (const auto& name : option->get_lnames())
                names.insert("--" + name);
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
        addNames(*command, names);
}

} // namespace

std::vector<std::string> withEmptyValuesApart(
    const CLI::App& app, const std::vector<std::string>& words, Names mayBeEmpty)
{
    std::set<std::string> names;
    addNames(app, names);
    std::vector<std::string> apart;
    const auto end = std::find(words.begin(), words.end(), "--");
    for (auto word = words.begin(); word != end; ++word) {
        const auto name = word->substr(0, word->find('='));
        if (name.size() + 1 != word->size() || !names.contains(name)) {
            apart.push_back(*word);
            continue;
        }
        if (!contains(mayBeEmpty, name))
            refuse(name);
        apart.push_back(name);
        apart.emplace_back();
    }
    apart.insert(apart.end(), end, words.end());
    return apart;
}

void refuseEmptyValues(const CLI::App& app, Names mayBeEmpty)
{
    for (const auto* option : app.get_options()) {
        const bool named = !option->get_lnames().empty() || !option->get_snames().empty();
        const auto& values = option->results();
        const bool empty = std::find(values.begin(), values.end(), "") != values.end();
        if (!named || !empty)
            continue;
        const auto name =
            option->get_lnames().empty() ? "-" + option->get_snames().front() : "--" + option->get_lnames().front();
        if (!contains(mayBeEmpty, name))
            refuse(name);
    }
    for (const auto* command : app.get_subcommands())
        refuseEmptyValues(*command, mayBeEmpty);
}

} // namespace fencepost::app
