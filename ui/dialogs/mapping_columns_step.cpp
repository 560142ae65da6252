// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/mapping_columns_step.h"

#include <algorithm>

#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "models/mapping_models.h"
#include "models/visible_text.h"
#include "ui/dialogs/field_name.h"
#include "ui/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_grid.h"
#include "ui/widgets/table_list.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int detailWidth = 340;
constexpr Kind rowKinds[] = { Kind::Idempotency, Kind::Inbox, Kind::Outbox, Kind::DeadLetter, Kind::Job, Kind::Lock };

QLabel* makeSentence(const char* tone)
{
    auto* label = new PlainLabel;
    label->setWordWrap(true);
    setTone(label, tone);
    return label;
}

QString joinedNames(const std::vector<std::string>& columns)
{
    QStringList names;
    for (const auto& column : columns)
        names += models::visibleText(column);
    return names.join(QStringLiteral(", "));
}

QVariant namesData(const std::vector<std::string>& columns)
{
    QStringList names;
    for (const auto& column : columns)
        names += QString::fromStdString(column);
    return names;
}

} // namespace

MappingColumnsStep::MappingColumnsStep(const Theme& theme, models::MappingDraft& draft, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_draft(draft)
    , m_model(new models::MappedColumnsModel(draft, this))
    , m_kind(new QComboBox(this))
    , m_identity(new QComboBox(this))
    , m_grid(new RowGrid(theme, this))
{
    m_kind->setObjectName(QStringLiteral("rowKind"));
    m_kind->setAccessibleName(tr("What the rows are"));
    for (const auto kind : rowKinds)
        m_kind->addItem(kindText(kind), static_cast<int>(kind));
    m_identity->setObjectName(QStringLiteral("identity"));
    m_identity->setAccessibleName(tr("What tells one row from another"));
    m_identity->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_identity->setMinimumContentsLength(28);
    m_grid->setObjectName(QStringLiteral("columns"));
    m_grid->setModel(m_model);
    m_grid->setSelectable(false);
    m_grid->setWords(tr("columns"));
    auto* head = new QHBoxLayout;
    head->setContentsMargins(space::huge, 0, space::huge, 0);
    head->setSpacing(space::small);
    head->addWidget(fieldName(tr("Its rows are"), m_kind));
    head->addWidget(m_kind);
    head->addSpacing(space::large);
    head->addWidget(fieldName(tr("Told apart by"), m_identity));
    head->addWidget(m_identity);
    head->addStretch(1);
    auto* body = new QHBoxLayout;
    body->setContentsMargins(space::huge, 0, space::huge, 0);
    body->setSpacing(space::large);
    auto* card = new QFrame(this);
    setPart(card, "card");
    auto* inside = new QVBoxLayout(card);
    inside->setContentsMargins(1, 1, 1, 1);
    inside->addWidget(m_grid);
    body->addWidget(card, 1);
    body->addWidget(makeDetail());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::medium);
    layout->addLayout(head);
    layout->addLayout(body, 1);

    connect(m_kind, &QComboBox::activated, this,
        [this] { m_draft.setKind(static_cast<Kind>(m_kind->currentData().toInt())); });
    connect(m_identity, &QComboBox::activated, this, &MappingColumnsStep::chooseIdentity);
    connect(m_meaning, &QComboBox::activated, this, [this] {
        if (const auto column = current(); !column.empty())
            m_draft.setMeaning(column, static_cast<profile::Meaning>(m_meaning->currentData().toInt()));
    });
    connect(m_reveal, &QPushButton::clicked, this, [this] {
        if (const auto column = current(); !column.empty())
            m_draft.reveal(column);
    });
    connect(m_grid, &RowGrid::currentRowChanged, this, &MappingColumnsStep::showColumn);
    connect(m_grid, &RowGrid::rowActivated, m_meaning, [this] { m_meaning->setFocus(Qt::TabFocusReason); });
    connect(m_grid, &RowGrid::retryAsked, &draft, &models::MappingDraft::load);
    connect(&draft, &models::MappingDraft::changed, this, &MappingColumnsStep::fill);
}

QWidget* MappingColumnsStep::makeDetail()
{
    auto* detail = new QFrame(this);
    setPart(detail, "card");
    detail->setFixedWidth(detailWidth);
    m_column = new ElidedLabel(m_theme, true, detail);
    m_column->setFont(m_theme.font(Text::Mono));
    m_type = new PlainLabel(detail);
    m_type->setFont(m_theme.font(Text::Caption));
    setTone(m_type, "muted");
    m_meaning = new QComboBox(detail);
    m_meaning->setObjectName(QStringLiteral("meaning"));
    m_meaning->setAccessibleName(tr("What the column means"));
    m_meaning->setMaxVisibleItems(12);
    for (const auto& entry : profile::meanings())
        m_meaning->addItem(tr(entry.title), static_cast<int>(entry.meaning));
    m_reason = makeSentence("muted");
    m_reason->setObjectName(QStringLiteral("reason"));
    m_warning = makeSentence("warning");
    m_warning->setObjectName(QStringLiteral("warning"));
    m_valuesTitle = makeSentence("muted");
    m_values = new QPlainTextEdit(detail);
    m_values->setObjectName(QStringLiteral("values"));
    m_values->setAccessibleName(tr("Sampled values"));
    m_values->setReadOnly(true);
    m_values->setTabChangesFocus(true);
    m_values->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_values->setFont(m_theme.font(Text::MonoCaption));
    m_reveal = new QPushButton(m_theme.icon("reveal"), tr("Reveal the values"), detail);
    m_reveal->setObjectName(QStringLiteral("reveal"));
    m_reveal->setAutoDefault(false);
    m_reveal->setToolTip(tr("The look is written into the audit"));
    auto* meaning = new QHBoxLayout;
    meaning->setSpacing(space::small);
    meaning->addWidget(fieldName(tr("Means"), m_meaning));
    meaning->addWidget(m_meaning, 1);
    auto* layout = new QVBoxLayout(detail);
    layout->setContentsMargins(space::large, space::medium, space::large, space::medium);
    layout->setSpacing(space::small);
    layout->addWidget(m_column);
    layout->addWidget(m_type);
    layout->addLayout(meaning);
    layout->addWidget(m_reason);
    layout->addWidget(m_warning);
    layout->addWidget(m_valuesTitle);
    layout->addWidget(m_values, 1);
    layout->addWidget(m_reveal, 0, Qt::AlignLeft);
    layout->addStretch();
    return detail;
}

void MappingColumnsStep::focusFirst()
{
    m_grid->setFocus(Qt::TabFocusReason);
}

std::string MappingColumnsStep::current() const
{
    const int row = m_grid->view().currentRow();
    return row >= 0 && row < m_model->rowCount() ? m_model->rowAt(row).name : std::string();
}

void MappingColumnsStep::fill()
{
    m_kind->setCurrentIndex(m_kind->findData(static_cast<int>(m_draft.mapping().kind)));
    fillIdentity();
    if (m_grid->view().currentRow() < 0 && m_model->rowCount() > 0)
        m_grid->view().setCurrentRow(0);
    showColumn();
}

// The unique keys of the table; without one, the column of the key, which nothing guards.
void MappingColumnsStep::fillIdentity()
{
    const QSignalBlocker quiet(m_identity);
    m_identity->clear();
    for (const auto& key : m_draft.table().uniqueKeys)
        m_identity->addItem(joinedNames(key), namesData(key));
    for (const auto& column : m_draft.table().columns)
        if (m_draft.meaningOf(column.name) == profile::Meaning::Key
            && m_identity->findData(namesData({ column.name })) < 0)
            m_identity->addItem(
                tr("%1 (no unique key)").arg(models::visibleText(column.name)), namesData({ column.name }));
    const auto chosen = namesData(m_draft.mapping().identity);
    if (m_identity->findData(chosen) < 0)
        m_identity->insertItem(
            0, m_draft.mapping().identity.empty() ? tr("Choose…") : joinedNames(m_draft.mapping().identity), chosen);
    m_identity->setCurrentIndex(m_identity->findData(chosen));
}

void MappingColumnsStep::chooseIdentity()
{
    std::vector<std::string> columns;
    for (const auto& name : m_identity->currentData().toStringList())
        columns.push_back(name.toStdString());
    m_draft.setIdentity(std::move(columns));
}

void MappingColumnsStep::showColumn()
{
    const auto column = current();
    m_meaning->setEnabled(!column.empty());
    if (column.empty())
        return;
    const auto& row = m_model->rowAt(m_grid->view().currentRow());
    m_column->setText(models::visibleText(row.name));
    m_type->setText(row.inKey ? tr("%1 · part of what tells rows apart").arg(models::visibleText(row.type))
                              : models::visibleText(row.type));
    m_meaning->setCurrentIndex(m_meaning->findData(static_cast<int>(row.meaning)));
    m_reason->setText(row.meaning == profile::Meaning::None ? tr("Nothing by its name, its type and its values.")
            : row.score > 0 ? withStop(tr("%1 of 100: %2").arg(row.score).arg(models::visibleText(row.reason)))
                            : tr("Chosen by hand."));
    m_warning->setText(models::visibleText(row.warning));
    m_warning->setVisible(!row.warning.empty());
    const bool hidden = row.shown == models::ValuesShown::Hidden;
    const auto rows = counted(std::int64_t(m_draft.sampledRows()), tr("sampled row"), tr("sampled rows"));
    m_valuesTitle->setText(hidden        ? tr("The values are hidden: bodies are read when somebody asks to see them.")
            : m_draft.sampledRows() == 0 ? tr("The table has no rows yet.")
            : row.shown == models::ValuesShown::Redacted ? tr("Hidden by the column's name, as a secret is everywhere.")
                                                         : tr("Different values in %1").arg(rows));
    m_values->setPlainText(row.values.join(u'\n'));
    m_values->setVisible(!hidden && m_draft.sampledRows() > 0);
    m_reveal->setVisible(row.shown != models::ValuesShown::Values);
    layout()->activate();
}

} // namespace fencepost::ui
