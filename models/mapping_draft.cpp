// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mapping_draft.h"

#include <algorithm>

#include "core/backend.h"
#include "models/look.h"
#include "models/session.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

constexpr std::size_t keptValues = 40; // distinct ones of a column
constexpr std::size_t sampledColumns = 200; // further ones are read when somebody looks at them
constexpr int previewRows = 50;
constexpr auto pauseOfChoices = std::chrono::milliseconds(250);

Error noMapper()
{
    return { Failure::Unsupported, "The tables of this database cannot be described.", {}, {} };
}

// Bodies are private, and octets tell nothing.
bool isPrivate(const profile::TableFacts& table, const std::string& column, profile::Meaning meaning)
{
    const auto* facts = table.find(column);
    return profile::isBody(meaning)
        || (facts != nullptr && (facts->kind == profile::ColumnType::Json || facts->kind == profile::ColumnType::Octets)
            && meaning != profile::Meaning::RequestHash);
}

} // namespace

MappingDraft::MappingDraft(Session& session, TableName name, QObject* parent)
    : QObject(parent)
    , m_session(&session)
    , m_name(std::move(name))
{
    m_previewDue.setSingleShot(true);
    m_previewDue.setInterval(pauseOfChoices);
    connect(&m_previewDue, &QTimer::timeout, this, &MappingDraft::refreshPreview);
}

bool MappingDraft::loading() const
{
    return m_load.pending() || m_reveal.pending() || m_audit.pending() || m_valuesLoad.pending()
        || m_previewLoad.pending() || m_previewDue.isActive();
}

void MappingDraft::load()
{
    if (!m_session)
        return;
    m_load.start(
        m_session->reads(),
        [name = m_name](Backend& backend) -> Result<Look> {
            auto* mapper = backend.mapper();
            if (mapper == nullptr)
                return noMapper();
            auto table = mapper->facts(name);
            if (!table)
                return table.error();
            // By their names alone, to know what is not to be read.
            const auto guess = profile::guessOf(*table, {});
            SampleRequest request;
            for (const auto& column : guess.columns)
                if (request.columns.size() < sampledColumns && !isPrivate(*table, column.column, column.best.meaning))
                    request.columns.push_back(column.column);
            auto sample = mapper->sample(name, request);
            if (!sample)
                return sample.error();
            return Look{ std::move(*table), std::move(*sample) };
        },
        [this](const Result<Look>& answer) {
            if (answer)
                return take(*answer);
            Q_EMIT failed(QStringLiteral("read the table"), answer.error());
        });
}

void MappingDraft::take(const Look& look)
{
    m_table = look.table;
    m_sampled.clear();
    m_revealed.clear();
    m_chosen.clear();
    m_sampledRows = look.sample.rows.size();
    addSample(look.sample);
    m_guess = profile::guessOf(m_table, m_sampled);
    m_mapping = profile::proposedMapping(m_table, m_guess, m_sampled);
    m_loaded = true;
    Q_EMIT loaded();
    readValues();
    change();
}

void MappingDraft::addSample(const TableSample& sample)
{
    for (const auto& row : sample.rows)
        for (std::size_t i = 0; i < row.size(); ++i) {
            auto& values = m_sampled[sample.columns[i]];
            if (!row[i])
                values.nulls = true;
            else if (std::find(values.texts.begin(), values.texts.end(), *row[i]) == values.texts.end()
                && values.texts.size() < keptValues)
                values.texts.push_back(*row[i]);
        }
}

profile::Meaning MappingDraft::meaningOf(const std::string& column) const
{
    const auto found = m_mapping.meanings.find(column);
    return found == m_mapping.meanings.end() ? profile::Meaning::None : found->second;
}

ValuesShown MappingDraft::shownValues(const std::string& column) const
{
    if (m_revealed.contains(column))
        return ValuesShown::Values;
    if (m_redactor.hides(column))
        return ValuesShown::Redacted;
    if (isPrivate(m_table, column, meaningOf(column)) || !m_sampled.contains(column))
        return m_sampledRows == 0 ? ValuesShown::Values : ValuesShown::Hidden;
    return ValuesShown::Values;
}

QStringList MappingDraft::valuesOf(const std::string& column) const
{
    QStringList shown;
    const auto found = m_sampled.find(column);
    if (found == m_sampled.end() || shownValues(column) == ValuesShown::Hidden)
        return shown;
    const bool redacted = shownValues(column) == ValuesShown::Redacted;
    for (const auto& value : found->second.texts) {
        if (redacted)
            return { QString::fromUtf8(hiddenMark.data(), qsizetype(hiddenMark.size())) };
        shown +=
            visibleText(m_redactor.payload(value, value.starts_with('{') ? "application/json" : "text/plain").text);
    }
    if (found->second.nulls)
        shown += QStringLiteral("NULL");
    return shown;
}

profile::EncodingGuess MappingDraft::encodingGuess(const std::string& column) const
{
    const auto* facts = m_table.find(column);
    if (facts == nullptr)
        return {};
    const auto sampled = m_sampled.find(column);
    return profile::encodingOf(m_table.dialect, *facts, sampled == m_sampled.end() ? nullptr : &sampled->second);
}

std::vector<std::string> MappingDraft::instants() const
{
    std::vector<std::string> columns;
    for (const auto& column : m_table.columns)
        if (profile::entryOf(meaningOf(column.name)).instant)
            columns.push_back(column.name);
    return columns;
}

void MappingDraft::change()
{
    m_previewDue.start();
    Q_EMIT changed();
}

// First the audit, then the values: nobody sees them without a trace.
void MappingDraft::reveal(const std::string& column)
{
    if (!m_session || m_table.find(column) == nullptr)
        return;
    const Binding table{ .name = m_name.schema.empty() ? m_name.table : m_name.schema + '.' + m_name.table };
    const auto entry = lookAt(table, {}, column, "", m_session->actor(), "Looked at values of a column to map it");
    auto* thread = m_session->writes() != nullptr ? m_session->writes() : &m_session->reads();
    m_audit.start(
        *thread, [entry](Backend& backend) { return backend.inspector().record(entry); },
        [this, column](const Result<AuditEntry>& answer) {
            if (answer)
                return readRevealed(column);
            Q_EMIT failed(QStringLiteral("write the look into the audit; nothing was revealed"), answer.error());
        });
}

void MappingDraft::readRevealed(const std::string& column)
{
    if (!m_session)
        return;
    m_reveal.start(
        m_session->reads(),
        [name = m_name, column](Backend& backend) -> Result<TableSample> {
            auto* mapper = backend.mapper();
            return mapper == nullptr ? Result<TableSample>(noMapper())
                                     : mapper->sample(name, { .columns = { column } });
        },
        [this, column](const Result<TableSample>& answer) {
            if (!answer)
                return void(Q_EMIT failed(QStringLiteral("read the values of the column"), answer.error()));
            m_sampled.erase(column);
            addSample(*answer);
            m_revealed.insert(column);
            change();
        });
}

QString MappingDraft::whyNoValues() const
{
    if (m_mapping.style != profile::StateStyle::Values || m_mapping.stateColumn.empty())
        return {};
    if (m_redactor.hides(m_mapping.stateColumn))
        return QStringLiteral(
            "The values of this column are secrets by its name. A state is none: choose another column.");
    if (const auto* column = m_table.find(m_mapping.stateColumn);
        column != nullptr && isPrivate(m_table, column->name, meaningOf(column->name)))
        return QStringLiteral("This column holds bodies, whose values are not listed. Choose another column.");
    return {};
}

// The values of an enum are known without a row.
void MappingDraft::readValues()
{
    const auto wanted = m_mapping.style == profile::StateStyle::Values ? m_mapping.stateColumn : std::string();
    if (wanted == m_valuesOf && !wanted.empty())
        return;
    m_valuesOf = wanted;
    m_values.reset();
    m_valuesError.reset();
    m_mapping.values.clear();
    if (m_session)
        m_valuesLoad.drop(m_session->reads());
    Q_EMIT valuesChanged();
    if (wanted.empty() || !m_session || !whyNoValues().isEmpty())
        return;
    m_valuesLoad.start(
        m_session->reads(),
        [name = m_name, wanted](Backend& backend) -> Result<ValueCounts> {
            auto* mapper = backend.mapper();
            return mapper == nullptr ? Result<ValueCounts>(noMapper()) : mapper->values(name, wanted);
        },
        [this](const Result<ValueCounts>& answer) { takeValues(answer); });
}

void MappingDraft::takeValues(const Result<ValueCounts>& answer)
{
    if (!answer) {
        m_valuesError = answer.error();
        // Another choice of the same column tries it again.
        m_valuesOf.clear();
        return void(Q_EMIT valuesChanged());
    }
    m_values = *answer;
    if (const auto* column = m_table.find(m_mapping.stateColumn))
        for (const auto& label : column->labels)
            if (std::none_of(m_values->values.begin(), m_values->values.end(),
                    [&](const ValueCount& value) { return value.value == label; }))
                m_values->values.push_back({ label, 0 });
    for (const auto& value : m_values->values) {
        const auto guessed = value.value ? profile::stateOf(m_mapping.kind, *value.value) : std::nullopt;
        m_mapping.values.push_back({ value.value, std::string(guessed.value_or("")) });
    }
    Q_EMIT valuesChanged();
    change();
}

QStringList MappingDraft::questions() const
{
    QStringList all;
    if (m_loaded)
        for (const auto& question : profile::openQuestions(m_table, m_mapping))
            all += QString::fromStdString(question);
    return all;
}

// What cannot be a profile yet has no rows: those of the choice before would pass for its own.
void MappingDraft::refreshPreview()
{
    m_previewDue.stop();
    if (!m_loaded || !m_session)
        return;
    const auto text = document();
    if (!text) {
        m_previewLoad.drop(m_session->reads());
        m_preview.reset();
        m_previewError = text.error();
        return void(Q_EMIT previewChanged());
    }
    m_previewLoad.start(
        m_session->reads(),
        [name = m_name, text = *text](Backend& backend) -> Result<MappingPreview> {
            auto* mapper = backend.mapper();
            return mapper == nullptr ? Result<MappingPreview>(noMapper()) : mapper->preview(name, text, previewRows);
        },
        [this](const Result<MappingPreview>& answer) {
            m_preview.reset();
            m_previewError.reset();
            if (answer)
                m_preview = *answer;
            else
                m_previewError = answer.error();
            Q_EMIT previewChanged();
        });
}

} // namespace fencepost::models
