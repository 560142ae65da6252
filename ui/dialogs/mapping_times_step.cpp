// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/mapping_times_step.h"

#include <QComboBox>
#include <QCompleter>
#include <QGridLayout>
#include <QScrollArea>
#include <QSignalBlocker>

#include "models/mapping_draft.h"
#include "models/visible_text.h"
#include "models/zone.h"
#include "ui/dialogs/field_name.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr auto naiveWord = "naive"; // its zone is said apart

struct EncodingWords {
    const char* encoding;
    const char* title;
    bool postgres;
    bool sqlite;
};

constexpr EncodingWords encodings[] = {
    { "tz", QT_TRANSLATE_NOOP("MappingTimesStep", "Timestamp with time zone"), true, false },
    { naiveWord, QT_TRANSLATE_NOOP("MappingTimesStep", "Date and time of no zone"), true, true },
    { "isoZ", QT_TRANSLATE_NOOP("MappingTimesStep", "Text, 2026-11-20T23:45:47Z"), true, true },
    { "iso", QT_TRANSLATE_NOOP("MappingTimesStep", "Text with an offset from UTC"), true, true },
    { "epoch_s", QT_TRANSLATE_NOOP("MappingTimesStep", "Seconds since 1970"), true, true },
    { "epoch_ms", QT_TRANSLATE_NOOP("MappingTimesStep", "Milliseconds since 1970"), true, true },
    { "epoch_us", QT_TRANSLATE_NOOP("MappingTimesStep", "Microseconds since 1970"), true, true },
};

} // namespace

MappingTimesStep::MappingTimesStep(const Theme& theme, models::MappingDraft& draft, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_draft(draft)
    , m_zoneLine(new QWidget(this))
    , m_zone(new QComboBox(m_zoneLine))
    , m_zoneNote(new PlainLabel(this))
    , m_none(new PlainLabel(this))
    , m_lines(new QWidget)
{
    m_zone->setObjectName(QStringLiteral("zone"));
    m_zone->setAccessibleName(tr("Time zone of times that name none"));
    m_zone->setEditable(true);
    m_zone->setInsertPolicy(QComboBox::NoInsert);
    m_zone->addItem(tr("Choose…"), QString());
    m_zone->addItem(QStringLiteral("UTC"), QStringLiteral("UTC"));
    for (const QString& name : models::Zone::available())
        if (name != QLatin1String("UTC"))
            m_zone->addItem(name, name);
    m_zone->completer()->setCompletionMode(QCompleter::PopupCompletion);
    m_zone->completer()->setFilterMode(Qt::MatchContains);
    m_zone->setMinimumWidth(240);
    for (auto* label : { m_zoneNote, m_none })
        label->setWordWrap(true);
    m_zoneNote->setObjectName(QStringLiteral("zoneNote"));
    setTone(m_none, "muted");
    m_none->setText(tr("No column is mapped to an instant: ages, expiry and what is stuck cannot be shown."));
    auto* zone = new QHBoxLayout(m_zoneLine);
    zone->setContentsMargins(0, 0, 0, 0);
    zone->setSpacing(space::small);
    zone->addWidget(fieldName(tr("Times that name no zone are written in"), m_zone));
    zone->addWidget(m_zone);
    zone->addStretch(1);
    auto* content = new QWidget;
    setPart(content, "transparent");
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_lines);
    column->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(content);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, 0, space::huge, 0);
    layout->setSpacing(space::medium);
    layout->addWidget(m_zoneLine);
    layout->addWidget(m_zoneNote);
    layout->addWidget(m_none);
    layout->addWidget(scroll, 1);
    connect(m_zone, &QComboBox::editTextChanged, this, &MappingTimesStep::applyZone);
    connect(&draft, &models::MappingDraft::changed, this, &MappingTimesStep::fill);
}

void MappingTimesStep::focusFirst()
{
    if (m_zoneLine->isVisibleTo(this))
        m_zone->setFocus(Qt::TabFocusReason);
    else if (!m_entries.empty())
        m_entries.front().encoding->setFocus(Qt::TabFocusReason);
}

bool MappingTimesStep::sqlite() const
{
    return m_draft.table().dialect == "sqlite";
}

// What stands in the field, not what was chosen before it was typed over.
QString MappingTimesStep::zone() const
{
    const int known = m_zone->findText(m_zone->currentText().trimmed(), Qt::MatchFixedString);
    return known < 0 ? QString() : m_zone->itemData(known).toString();
}

QString MappingTimesStep::unknownZone() const
{
    const auto typed = m_zone->currentText().trimmed();
    return m_zone->findText(typed, Qt::MatchFixedString) < 0 ? typed : QString();
}

bool MappingTimesStep::asks(const Line& line) const
{
    return line.encoding->currentData().toString() == QLatin1String(naiveWord);
}

std::string MappingTimesStep::naiveEncoding() const
{
    if (zone().isEmpty())
        return {};
    return "naive:" + zone().toStdString();
}

void MappingTimesStep::fill()
{
    const auto columns = m_draft.instants();
    bool same = columns.size() == m_entries.size();
    for (std::size_t i = 0; same && i < columns.size(); ++i)
        same = m_entries[i].column == columns[i];
    if (!same)
        build(columns);
    bool asked = false;
    for (const auto& line : m_entries)
        asked = asked || asks(line);
    m_zoneLine->setVisible(asked);
    m_zoneNote->setVisible(asked);
    m_none->setVisible(columns.empty());
    showZoneNote();
}

void MappingTimesStep::showZoneNote()
{
    const auto unknown = unknownZone();
    setTone(m_zoneNote, !unknown.isEmpty() ? "warning" : "muted");
    m_zoneNote->setText(!unknown.isEmpty()
            ? tr("There is no time zone “%1”: choose one of the list, like Europe/Berlin or UTC.")
                  .arg(models::visibleText(unknown.toStdString()))
            : tr("Whoever runs the application knows it; the database does not. A wrong zone makes every age wrong by "
                 "hours."));
}

void MappingTimesStep::build(const std::vector<std::string>& columns)
{
    m_entries.clear();
    delete m_grid;
    qDeleteAll(m_lines->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
    m_grid = new QGridLayout(m_lines);
    m_grid->setContentsMargins(0, 0, space::small, 0);
    m_grid->setHorizontalSpacing(space::large);
    m_grid->setVerticalSpacing(space::small);
    m_grid->setColumnStretch(3, 1);
    int row = 0;
    for (const auto& column : columns) {
        auto* name = new PlainLabel(models::visibleText(column), m_lines);
        name->setFont(m_theme.font(Text::Mono));
        auto* meaning = new PlainLabel(tr(profile::entryOf(m_draft.meaningOf(column)).title), m_lines);
        setTone(meaning, "muted");
        auto* encoding = new QComboBox(m_lines);
        encoding->setObjectName(QStringLiteral("encoding%1").arg(row));
        encoding->setAccessibleName(tr("How the times of %1 are written").arg(name->text()));
        encoding->addItem(tr("Choose…"), QString());
        for (const auto& words : encodings)
            if (sqlite() ? words.sqlite : words.postgres)
                encoding->addItem(tr(words.title), QLatin1String(words.encoding));
        const auto guess = m_draft.encodingGuess(column);
        const auto said = m_chosen.find(column);
        const auto word = said != m_chosen.end() ? said->second
            : guess.asksForZone                  ? QString(QLatin1String(naiveWord))
                                                 : text(guess.encoding);
        encoding->setCurrentIndex(std::max(0, encoding->findData(word)));
        auto* reason = new PlainLabel(withStop(sentence(guess.reason)), m_lines);
        reason->setWordWrap(true);
        setTone(reason, "muted");
        name->setBuddy(encoding);
        m_grid->addWidget(name, row, 0);
        m_grid->addWidget(meaning, row, 1);
        m_grid->addWidget(encoding, row, 2);
        m_grid->addWidget(reason, row, 3);
        const Line line{ column, encoding, reason };
        connect(encoding, &QComboBox::currentIndexChanged, this, [this, line] { choose(line); });
        m_entries.push_back(line);
        ++row;
    }
    // Columns that came in later, or again, take the answer that is there already.
    for (const auto& line : m_entries)
        if (m_chosen.contains(line.column) || (asks(line) && !naiveEncoding().empty()))
            m_draft.setEncoding(line.column, encodingOf(line));
}

std::string MappingTimesStep::encodingOf(const Line& line) const
{
    return asks(line) ? naiveEncoding() : line.encoding->currentData().toString().toStdString();
}

void MappingTimesStep::choose(const Line& line)
{
    m_chosen[line.column] = line.encoding->currentData().toString();
    m_draft.setEncoding(line.column, encodingOf(line));
    fill();
}

void MappingTimesStep::applyZone()
{
    for (const auto& line : m_entries)
        if (asks(line))
            m_draft.setEncoding(line.column, naiveEncoding());
    fill();
}

} // namespace fencepost::ui
