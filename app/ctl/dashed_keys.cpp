// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/dashed_keys.h"

#include <algorithm>
#include <map>

namespace fencepost::app {

namespace {

constexpr char mark = '\x1f';
constexpr std::size_t partsOfKey = 3; // scope, operation, key

using Words = std::vector<std::string>;
using OptionNames = std::map<std::string, bool>; // whether a value follows

void addNames(const CLI::App& app, OptionNames& names)
{
    for (const auto* option : app.get_options()) {
        const bool takesValue = option->get_items_expected_max() > 0;
        for (const auto& name : option->get_lnames())
            names["--" + name] = takesValue;
        for (const auto& name : option->get_snames())
            names["-" + name] = takesValue;
    }
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
        addNames(*command, names);
}

OptionNames::const_iterator optionOf(const OptionNames& names, const std::string& word)
{
    return names.find(word.substr(0, word.find('=')));
}

std::string marked(const std::string& word)
{
    return !word.empty() && (word.front() == '-' || word.front() == mark) ? mark + word : word;
}

// keys show SCOPE OPERATION KEY, find ID
void markPositionals(Words& words, std::size_t from, const OptionNames& names)
{
    for (auto i = from; i < words.size() && words[i] != "--"; ++i) {
        const auto option = optionOf(names, words[i]);
        if (option == names.end())
            words[i] = marked(words[i]);
        else if (option->second && words[i].find('=') == std::string::npos)
            ++i;
    }
}

// plan VERB --key SCOPE OPERATION KEY …: CLI11 is given an option for each.
Words withOneKeyEach(const Words& words, std::size_t from, const OptionNames& names)
{
    Words out(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(from));
    for (auto i = from; i < words.size(); ++i) {
        out.push_back(words[i]);
        if (words[i] != "--key")
            continue;
        auto end = i + 1;
        while (end < words.size() && words[end] != "--" && optionOf(names, words[end]) == names.end())
            ++end;
        const auto count = end - i - 1;
        for (std::size_t part = 0; part < count; ++part) {
            if (part > 0 && part % partsOfKey == 0 && count % partsOfKey == 0)
                out.emplace_back("--key");
            out.push_back(marked(words[i + 1 + part]));
        }
        i = end - 1;
    }
    return out;
}

} // namespace

std::vector<std::string> withKeysAsValues(const CLI::App& app, std::vector<std::string> words)
{
    OptionNames names;
    addNames(app, names);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const auto option = optionOf(names, words[i]);
        if (option != names.end()) {
            if (option->second && words[i].find('=') == std::string::npos)
                ++i;
            continue;
        }
        if (words[i] == "keys" && words[i + 1] == "show")
            markPositionals(words, i + 2, names);
        else if (words[i] == "find")
            markPositionals(words, i + 1, names);
        else if (words[i] == "plan")
            words = withOneKeyEach(words, i + 2, names);
        break;
    }
    return words;
}

std::string asTyped(const std::string& value)
{
    return !value.empty() && value.front() == mark ? value.substr(1) : value;
}

std::vector<std::string> asTyped(const std::vector<std::string>& values)
{
    std::vector<std::string> out;
    std::transform(
        values.begin(), values.end(), std::back_inserter(out), [](const std::string& value) { return asTyped(value); });
    return out;
}

} // namespace fencepost::app
