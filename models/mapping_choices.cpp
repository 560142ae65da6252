// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "models/mapping_draft.h"

namespace fencepost::models {

void MappingDraft::proposeEncoding(const std::string& column)
{
    if (!profile::entryOf(meaningOf(column)).instant) {
        m_mapping.encodings.erase(column);
        return;
    }
    if (m_mapping.encodings.contains(column))
        return;
    const auto guess = encodingGuess(column);
    m_mapping.encodings[column] = guess.asksForZone ? std::string() : guess.encoding;
}

void MappingDraft::guessAgain()
{
    m_guess = profile::guessOf(m_table, m_sampled, m_mapping.kind);
    const auto proposed = profile::proposedMapping(m_table, m_guess, m_sampled);
    for (const auto& column : m_table.columns) {
        if (m_chosen.contains(column.name))
            continue;
        const auto found = proposed.meanings.find(column.name);
        if (found == proposed.meanings.end())
            m_mapping.meanings.erase(column.name);
        else
            m_mapping.meanings[column.name] = found->second;
        proposeEncoding(column.name);
    }
}

void MappingDraft::setKind(Kind kind)
{
    if (kind == m_mapping.kind)
        return;
    m_mapping.kind = kind;
    guessAgain();
    const auto style = profile::styleOf(m_table, m_mapping.meanings);
    m_mapping.style = style.style;
    m_mapping.stateColumn = style.column;
    m_mapping.done = profile::doneState(kind);
    m_mapping.open = profile::openState(kind);
    for (auto& value : m_mapping.values)
        value.state = value.value ? std::string(profile::stateOf(kind, *value.value).value_or("")) : std::string();
    readValues();
    change();
}

void MappingDraft::setMeaning(const std::string& column, profile::Meaning meaning)
{
    if (m_table.find(column) == nullptr || meaningOf(column) == meaning)
        return;
    m_chosen.insert(column);
    // A meaning that one column alone can have goes with the newest choice.
    if (!profile::entryOf(meaning).several)
        for (auto& [other, known] : m_mapping.meanings)
            if (other != column && known == meaning) {
                known = profile::Meaning::None;
                m_chosen.insert(other);
                m_mapping.encodings.erase(other);
            }
    m_mapping.meanings[column] = meaning;
    proposeEncoding(column);
    if (meaning == profile::Meaning::State && m_mapping.stateColumn != column) {
        m_mapping.stateColumn = column;
        m_mapping.style = profile::styleOf(m_table, m_mapping.meanings).style;
        readValues();
    } else if (m_mapping.stateColumn == column && m_mapping.style == profile::StateStyle::Values) {
        // The state's column means something else now.
        const auto style = profile::styleOf(m_table, m_mapping.meanings);
        m_mapping.style = style.style;
        m_mapping.stateColumn = style.column;
        readValues();
    }
    change();
}

void MappingDraft::setIdentity(std::vector<std::string> columns)
{
    m_mapping.identity = std::move(columns);
    change();
}

void MappingDraft::setStyle(profile::StateStyle style)
{
    if (style == m_mapping.style)
        return;
    m_mapping.style = style;
    m_mapping.stateColumn = profile::columnFor(style, m_table, m_mapping.meanings);
    readValues();
    change();
}

void MappingDraft::setStateColumn(const std::string& column)
{
    if (column == m_mapping.stateColumn)
        return;
    m_mapping.stateColumn = column;
    readValues();
    change();
}

void MappingDraft::setState(std::size_t value, const std::string& state)
{
    if (value >= m_mapping.values.size() || m_mapping.values[value].state == state)
        return;
    m_mapping.values[value].state = state;
    change();
}

void MappingDraft::addValue(const std::string& value)
{
    auto& values = m_mapping.values;
    if (value.empty() || m_mapping.style != profile::StateStyle::Values
        || std::any_of(
            values.begin(), values.end(), [&](const profile::StateValue& known) { return known.value == value; }))
        return;
    values.push_back({ value, std::string(profile::stateOf(m_mapping.kind, value).value_or("")) });
    Q_EMIT valuesChanged();
    change();
}

void MappingDraft::setDone(const std::string& state)
{
    m_mapping.done = state;
    change();
}

void MappingDraft::setOpen(const std::string& state)
{
    m_mapping.open = state;
    change();
}

void MappingDraft::setStuckAfter(std::optional<Duration> after)
{
    if (after == m_mapping.stuckAfter)
        return;
    m_mapping.stuckAfter = after;
    change();
}

void MappingDraft::setEncoding(const std::string& column, const std::string& encoding)
{
    if (m_mapping.encodings[column] == encoding)
        return;
    m_mapping.encodings[column] = encoding;
    change();
}

void MappingDraft::setProfileName(const QString& name)
{
    const auto said = name.trimmed().toStdString();
    if (said == m_mapping.name)
        return;
    m_mapping.name = said;
    change();
}

} // namespace fencepost::models
