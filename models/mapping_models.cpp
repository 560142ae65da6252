// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mapping_models.h"

#include <algorithm>

#include "core/backend.h"
#include "models/row_columns.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

constexpr int alike = 40; // a score from which a table is worth a look
constexpr int sure = 80;
constexpr int likely = 50;

QString tableText(const SurveyedTable& table, const Display&)
{
    return visibleText(table.name.schema.empty() ? table.name.table : table.name.schema + '.' + table.name.table);
}

QString estimateText(const SurveyedTable& table, const Display&)
{
    if (!table.estimate)
        return {};
    return table.counted ? QString::number(*table.estimate) : QStringLiteral("≈ %1").arg(*table.estimate);
}

QString whyText(const SurveyedTable& table, const Display&)
{
    QStringList reasons;
    if (!table.candidates.empty()) {
        QStringList names;
        for (const auto& name : table.candidates)
            names += visibleText(name);
        reasons += QStringLiteral("These profiles fit it equally well: %1.").arg(names.join(QStringLiteral(", ")));
    }
    for (const auto& reason : table.reasons) {
        auto words = visibleText(fencepost::sentence(reason));
        words.front() = words.front().toUpper();
        reasons += words;
    }
    if (!table.canSelect)
        reasons += QStringLiteral("This role may not read it.");
    if (table.mayHideRows)
        reasons += QStringLiteral("Row-level security is in force: rows may be hidden.");
    return reasons.join(u' ');
}

QString likenessWord(Kind kind)
{
    switch (kind) {
    case Kind::Idempotency:
        return QStringLiteral("idempotency keys");
    case Kind::Inbox:
        return QStringLiteral("an inbox");
    case Kind::Outbox:
        return QStringLiteral("an outbox");
    case Kind::DeadLetter:
        return QStringLiteral("dead letters");
    case Kind::Job:
        return QStringLiteral("jobs");
    case Kind::Lock:
        return QStringLiteral("locks");
    }
    return {};
}

int rankOf(const SurveyedTable& table)
{
    if (!table.candidates.empty())
        return 0;
    if (!table.binding.empty())
        return 2;
    return looksKnown(table) ? 1 : 3;
}

constexpr Column<SurveyedTable> surveyColumns[] = {
    { .id = "table", .title = "Table", .text = tableText, .monospace = true, .middleElision = true, .width = 32 },
    { .id = "verdict",
        .title = "Recognised",
        .text = [](const SurveyedTable& table, const Display&) { return verdictOf(table); },
        .width = 30 },
    { .id = "rows", .title = "Rows", .text = estimateText, .alignment = Alignment::Right, .width = 9 },
    { .id = "why", .title = "Why", .text = whyText, .width = 30, .shown = false },
};

QString meaningText(const MappedColumn& column, const Display&)
{
    return QString::fromLatin1(profile::entryOf(column.meaning).title);
}

QString confidenceText(const MappedColumn& column, const Display&)
{
    if (column.meaning == profile::Meaning::None)
        return {};
    if (column.score == 0)
        return QStringLiteral("chosen");
    return column.score >= sure  ? QStringLiteral("sure · %1").arg(column.score)
        : column.score >= likely ? QStringLiteral("likely · %1").arg(column.score)
                                 : QStringLiteral("a guess · %1").arg(column.score);
}

QString reasonText(const MappedColumn& column, const Display&)
{
    return visibleText(column.warning.empty() ? column.reason : column.warning);
}

QString valuesText(const MappedColumn& column, const Display&)
{
    if (column.shown == ValuesShown::Hidden)
        return QStringLiteral("hidden");
    return column.values.join(QStringLiteral(" · "));
}

constexpr Column<MappedColumn> mappedColumns[] = {
    { .id = "column",
        .title = "Column",
        .text = [](const MappedColumn& column,
                    const Display&) { return visibleText(column.inKey ? column.name + " *" : column.name); },
        .monospace = true,
        .middleElision = true,
        .width = 21 },
    { .id = "type",
        .title = "Type",
        .text = [](const MappedColumn& column, const Display&) { return visibleText(column.type); },
        .width = 11 },
    { .id = "means", .title = "Means", .text = meaningText, .width = 20 },
    { .id = "sure",
        .title = "Sure",
        .text = confidenceText,
        .sortKey = [](const MappedColumn& column) { return QVariant(column.score); },
        .width = 12 },
    { .id = "values", .title = "Values", .text = valuesText, .width = 20, .grows = true },
    { .id = "why", .title = "Why", .text = reasonText, .width = 40, .shown = false },
};

} // namespace

bool looksKnown(const SurveyedTable& table) noexcept
{
    return table.binding.empty() && table.score >= alike;
}

QString verdictOf(const SurveyedTable& table)
{
    if (!table.candidates.empty())
        return QStringLiteral("ambiguous");
    if (!table.profile.empty())
        return visibleText(table.profile);
    return looksKnown(table) ? QStringLiteral("looks like %1").arg(likenessWord(table.likeness))
                             : QStringLiteral("not recognised");
}

SurveyModel::SurveyModel(QObject* parent)
    : ListModel(
        surveyColumns,
        [](const SurveyedTable& table) {
            return Identity{ table.name.schema, table.name.table };
        },
        parent)
{
}

void SurveyModel::load(StoreThread& thread)
{
    m_load.start(
        thread,
        [](Backend& backend) -> Result<std::vector<SurveyedTable>> {
            auto* mapper = backend.mapper();
            if (mapper == nullptr)
                return Error{ Failure::Unsupported, "The tables of this database cannot be listed.", {}, {} };
            return mapper->tables(false);
        },
        [this](const Result<std::vector<SurveyedTable>>& answer) {
            if (!answer)
                return setError(answer.error());
            auto tables = *answer;
            std::stable_sort(tables.begin(), tables.end(), [](const SurveyedTable& a, const SurveyedTable& b) {
                return rankOf(a) != rankOf(b) ? rankOf(a) < rankOf(b) : a.binding.empty() && a.score > b.score;
            });
            setRows(std::move(tables), Time());
        });
    Q_EMIT statusChanged();
}

std::size_t SurveyModel::ambiguous() const
{
    return std::size_t(
        std::count_if(m_rows.begin(), m_rows.end(), [](const auto& entry) { return !entry.row.candidates.empty(); }));
}

std::size_t SurveyModel::recognised() const
{
    return std::size_t(
        std::count_if(m_rows.begin(), m_rows.end(), [](const auto& entry) { return !entry.row.binding.empty(); }));
}

std::size_t SurveyModel::likely() const
{
    return std::size_t(std::count_if(m_rows.begin(), m_rows.end(),
        [](const auto& entry) { return entry.row.candidates.empty() && looksKnown(entry.row); }));
}

MappedColumnsModel::MappedColumnsModel(MappingDraft& draft, QObject* parent)
    : ListModel(
        mappedColumns, [](const MappedColumn& column) { return Identity{ column.name }; }, parent)
    , m_draft(draft)
{
    connect(&draft, &MappingDraft::changed, this, &MappedColumnsModel::follow);
    connect(&draft, &MappingDraft::failed, this, [this](const QString&, const Error& error) {
        if (!m_draft.isLoaded())
            setError(error);
    });
}

void MappedColumnsModel::follow()
{
    std::vector<MappedColumn> columns;
    for (const auto& facts : m_draft.table().columns) {
        MappedColumn column{ .name = facts.name, .type = facts.type, .meaning = m_draft.meaningOf(facts.name) };
        if (const auto* guess = m_draft.guess().find(facts.name)) {
            column.warning = guess->warning;
            for (const auto& candidate : guess->guesses)
                if (candidate.meaning == column.meaning) {
                    column.score = candidate.score;
                    column.reason = candidate.reason;
                }
        }
        column.shown = m_draft.shownValues(facts.name);
        column.values = m_draft.valuesOf(facts.name);
        const auto& identity = m_draft.mapping().identity;
        column.inKey = std::find(identity.begin(), identity.end(), facts.name) != identity.end();
        columns.push_back(std::move(column));
    }
    setRows(std::move(columns), Time());
}

PreviewModel::PreviewModel(Kind kind, QObject* parent)
    : ListModel(columnsOf(kind), identityOf, parent)
{
}

void PreviewModel::show(const MappingPreview& preview)
{
    m_fields = preview.binding.fields;
    setRows(preview.page.rows, preview.page.now);
}

QVariant PreviewModel::mark(const Row& row, int role) const
{
    switch (role) {
    case StateRole:
        return QString::fromStdString(row.state);
    case StuckRole:
        return row.stuck;
    default:
        return ListModel::mark(row, role);
    }
}

bool PreviewModel::hasField(const Column<Row>& column) const
{
    return column.field == nullptr || std::find(m_fields.begin(), m_fields.end(), column.field) != m_fields.end();
}

} // namespace fencepost::models
