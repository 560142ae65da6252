// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/differences_page.h"

#include <QAbstractItemView>
#include <QBoxLayout>
#include <QComboBox>
#include <QFrame>
#include <QLineEdit>
#include <QPushButton>

#include "models/visible_text.h"
#include "ui/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/field_list.h"
#include "ui/widgets/file_chooser.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/widgets/row_grid.h"
#include "ui/words.h"
#include "ui/workspace.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr auto differencesLayout = "differences";
constexpr int kindCharacters = 28;

QString kindText(const models::DifferenceCount& kind)
{
    QStringList parts{ text(wordOf(kind.change)), models::visibleText(kind.table) };
    if (!kind.states.empty())
        parts += models::visibleText(kind.states);
    return parts.join(QStringLiteral(" · "));
}

// Of all, in words: "3 added, 1 removed, 40 changed".
QString totals(const std::vector<models::DifferenceCount>& counts)
{
    QStringList parts;
    for (const auto change : { SnapshotChange::Added, SnapshotChange::Removed, SnapshotChange::Changed }) {
        std::int64_t all = 0;
        for (const auto& kind : counts)
            all += kind.change == change ? kind.count : 0;
        if (all > 0)
            parts += QStringLiteral("%1 %2").arg(numberText(all), text(wordOf(change)));
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace

DifferencesPage::DifferencesPage(PageContext& context, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_model(context.workspace ? context.workspace->differences() : nullptr)
    , m_first(makeSide(QStringLiteral("first"), tr("Earlier snapshot")))
    , m_second(makeSide(QStringLiteral("second"), tr("Later snapshot")))
    , m_compare(new QPushButton(tr("Compare"), this))
    , m_kinds(new QComboBox(this))
    , m_summary(new PlainLabel(this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_grid(new RowGrid(context.theme, this))
    , m_card(new QFrame(this))
    , m_facts(new FieldList(context.theme, m_card))
{
    build();
    if (!m_model) {
        m_compare->setEnabled(false);
        showNothing();
        return;
    }
    m_model->setZone(context.zone.value());
    m_grid->setModel(m_model);
    m_grid->setWords(tr("differences"), tr("The two hold the same rows"), tr("The two hold the same rows"),
        tr("Nothing came, went or changed between them."));
    m_grid->setLayoutName(QLatin1String(differencesLayout));
    m_first.file->setText(m_model->first());
    m_second.file->setText(m_model->second());
    connect(m_model, &models::DifferencesModel::paired, this, &DifferencesPage::showPair);
    connect(m_model, &models::DifferencesModel::progressed, this, &DifferencesPage::showProgress);
    connect(m_model, &models::RowsModelBase::failed, this,
        [this](const Error& error) { m_banner->report(tr("compare the snapshots"), error); });
    showPair();
    showProgress();
}

DifferencesPage::Side DifferencesPage::makeSide(const QString& name, const QString& words)
{
    Side side{ new QLineEdit(this), new QPushButton(tr("Choose…"), this), new QPushButton(this) };
    side.file->setObjectName(name);
    side.file->setAccessibleName(words);
    side.file->setPlaceholderText(words);
    side.choose->setAccessibleName(tr("Choose: %1").arg(words));
    side.open->setObjectName(QStringLiteral("open-") + name);
    connect(side.choose, &QPushButton::clicked, this, [this, side] { choose(side); });
    connect(side.open, &QPushButton::clicked, this, [this, side] { jump(side); });
    connect(side.file, &QLineEdit::returnPressed, this, &DifferencesPage::compare);
    return side;
}

void DifferencesPage::build()
{
    setPart(this, "surface");
    setKind(m_compare, "primary");
    m_compare->setObjectName(QStringLiteral("compare"));
    m_kinds->setObjectName(QStringLiteral("kinds"));
    m_kinds->setAccessibleName(tr("Kind of difference"));
    // The longest kind would take the summary's room; the list below is as wide as it needs.
    m_kinds->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_kinds->setMinimumContentsLength(kindCharacters);
    m_first.open->setText(tr("Open in the earlier"));
    m_second.open->setText(tr("Open in the later"));
    for (auto* button : { m_first.open, m_second.open })
        button->setIcon(m_context.theme.icon("dossier"));
    m_summary->setWordWrap(true);
    setTone(m_summary, "muted");
    auto* files = new QHBoxLayout;
    files->setSpacing(space::small);
    for (const auto& side : { m_first, m_second }) {
        files->addWidget(side.file, 1);
        files->addWidget(side.choose);
    }
    files->addWidget(m_compare);
    auto* line = new QHBoxLayout;
    line->setSpacing(space::medium);
    line->addWidget(m_summary, 1);
    line->addWidget(m_kinds);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(space::large, space::medium, space::large, space::medium);
    head->setSpacing(space::small);
    head->addLayout(files);
    head->addLayout(line);
    head->addWidget(m_banner);
    m_banner->clear();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(m_grid, 1);
    layout->addWidget(makeCard());
    m_grid->setSelectable(false);
    connect(m_compare, &QPushButton::clicked, this, [this] {
        if (m_model->loading())
            m_model->stop();
        else
            compare();
    });
    connect(m_kinds, &QComboBox::activated, this, &DifferencesPage::narrow);
    connect(m_grid, &RowGrid::currentRowChanged, this, &DifferencesPage::showCurrent);
    connect(m_grid, &RowGrid::rowActivated, this, [this] { jump(m_second.open->isEnabled() ? m_second : m_first); });
    connect(m_grid, &RowGrid::retryAsked, this, &DifferencesPage::reload);
    connect(m_banner, &ErrorBanner::acted, this, &DifferencesPage::reload);
}

// The whole of the row in front: a row of the grid cuts what is long.
QWidget* DifferencesPage::makeCard()
{
    auto* buttons = new QVBoxLayout;
    buttons->setSpacing(space::small);
    buttons->addStretch();
    buttons->addWidget(m_first.open);
    buttons->addWidget(m_second.open);
    auto* card = new QHBoxLayout(m_card);
    card->setContentsMargins(space::large, space::medium, space::large, space::medium);
    card->setSpacing(space::medium);
    card->addWidget(m_facts, 1);
    card->addLayout(buttons);
    m_card->hide();
    return m_card;
}

void DifferencesPage::choose(const Side& side)
{
    auto* chooser = newFileChooser(this, side.file->accessibleName());
    chooser->setFileMode(QFileDialog::ExistingFile);
    chooser->setNameFilters({ tr("Snapshots (*.db *.sqlite *.snapshot)"), tr("All files (*)") });
    connect(chooser, &QFileDialog::fileSelected, side.file, &QLineEdit::setText);
    chooser->open();
}

void DifferencesPage::compare()
{
    const auto first = m_first.file->text().trimmed();
    const auto second = m_second.file->text().trimmed();
    m_banner->clear();
    if (first.isEmpty() || second.isEmpty())
        return m_banner->report(tr("compare the snapshots"),
            { Failure::Invalid, "Two files are needed", {}, {}, "Choose the earlier and the later snapshot" });
    m_kinds->clear();
    m_model->compare(first, second);
}

void DifferencesPage::narrow()
{
    const int kind = m_kinds->currentIndex() - 1; // behind "all"
    const auto& counts = m_model->counts();
    m_model->narrow(
        kind >= 0 && std::size_t(kind) < counts.size() ? std::optional(counts[std::size_t(kind)]) : std::nullopt);
}

void DifferencesPage::showPair()
{
    const auto& pair = m_model->pair();
    if (!pair)
        return;
    QStringList warnings;
    for (const auto& warning : pair->warnings)
        warnings += models::visibleText(warning);
    if (warnings.isEmpty())
        m_banner->clear();
    else
        m_banner->tell("warning", warnings.join(QStringLiteral(". ")) + u'.');
}

void DifferencesPage::showProgress()
{
    const bool running = m_model->loading();
    m_compare->setText(running ? tr("Stop") : tr("Compare"));
    const auto found = counted(m_model->found(), tr("difference"), tr("differences"));
    if (!m_model->pair()) {
        m_summary->setText(running ? tr("Reading the snapshots…")
                                   : tr("Added, removed and changed rows of two snapshots of one database."));
    } else {
        const auto& pair = *m_model->pair();
        const auto at = [this](const SnapshotManifest& manifest) {
            return m_context.zone.value().format(manifest.takenAt, models::Precision::Seconds);
        };
        const auto span = tr("From %1 to %2").arg(at(pair.first), at(pair.second));
        const auto all = totals(m_model->counts());
        m_summary->setText(running      ? tr("%1: %2 so far").arg(span, found)
                : !m_model->isWhole()   ? tr("%1: %2 until it was stopped").arg(span, found)
                : m_model->found() == 0 ? tr("%1: nothing differs").arg(span)
                                        : tr("%1: %2 (%3)").arg(span, found, all)
                    + (m_model->rowCount() >= models::DifferencesModel::mostHeld
                            ? tr(". The first %1 are listed").arg(numberText(models::DifferencesModel::mostHeld))
                            : QString()));
    }
    if (!running)
        showKinds();
    showNothing();
    showCurrent();
    Q_EMIT statusChanged();
}

void DifferencesPage::showKinds()
{
    const auto& counts = m_model->counts();
    m_kinds->clear();
    m_kinds->setVisible(!counts.empty());
    if (counts.empty())
        return;
    m_kinds->addItem(tr("All kinds (%1)").arg(numberText(m_model->found())));
    for (const auto& kind : counts) {
        m_kinds->addItem(QStringLiteral("%1 (%2)").arg(kindText(kind), numberText(kind.count)));
        const auto& chosen = m_model->kind();
        if (chosen && chosen->table == kind.table && chosen->change == kind.change && chosen->states == kind.states)
            m_kinds->setCurrentIndex(m_kinds->count() - 1);
    }
    m_kinds->view()->setMinimumWidth(m_kinds->view()->sizeHintForColumn(0) + space::large);
    m_kinds->setToolTip(plainToolTip(m_kinds->currentText()));
}

void DifferencesPage::showNothing()
{
    if (!m_model || (m_model->first().isEmpty() && !m_model->loading()))
        m_grid->emptyState().show(Emptiness::NotLoaded, tr("No snapshots are compared yet"),
            tr("Choose two files above. Take a snapshot with \"Take a snapshot…\" or with fencepostctl snapshot OUT."));
}

const SnapshotDifference* DifferencesPage::current() const
{
    const int row = m_grid->view().currentRow();
    return m_model && row >= 0 && row < m_model->rowCount() ? &m_model->rowAt(row) : nullptr;
}

void DifferencesPage::showCurrent()
{
    const auto* row = current();
    m_card->setVisible(row != nullptr);
    if (row == nullptr)
        return;
    std::vector<FactLine> lines;
    for (const auto& [column, value] : row->key)
        lines.push_back({ models::visibleText(column), models::visibleText(value), {}, true, nullptr });
    const auto state = [](const std::string& word) { return word.empty() ? tr("not there") : text(word); };
    if (row->change != SnapshotChange::Added)
        lines.push_back({ tr("Earlier"), row->from.empty() ? QString() : state(row->from), {}, false, nullptr });
    if (row->change != SnapshotChange::Removed)
        lines.push_back({ tr("Later"), row->to.empty() ? QString() : state(row->to), {}, false, nullptr });
    QStringList columns;
    for (const auto& column : row->columns)
        columns += models::visibleText(column);
    lines.push_back({ tr("Differs in"), columns.join(QStringLiteral(", ")), {}, true, nullptr });
    m_facts->setLines(lines);
    const bool opens = !row->identity.empty();
    m_first.open->setEnabled(opens && row->change != SnapshotChange::Added);
    m_second.open->setEnabled(opens && row->change != SnapshotChange::Removed);
    for (auto* button : { m_first.open, m_second.open })
        button->setToolTip(opens ? QString() : tr("Rows of this table are shown with the records that they belong to"));
}

void DifferencesPage::jump(const Side& side)
{
    const auto* row = current();
    if (row == nullptr || !side.open->isEnabled())
        return;
    // The page may be gone when this returns: another database has pages of its own.
    const auto file = side.file == m_first.file ? m_model->first() : m_model->second();
    const auto binding = text(row->binding);
    const auto identity = row->identity;
    m_context.navigation.openFile(file, binding, identity);
}

QString DifferencesPage::summary() const
{
    return m_summary->text();
}

void DifferencesPage::activate()
{
    if (m_first.file->text().isEmpty())
        m_first.file->setFocus();
    else
        m_grid->setFocus();
}

void DifferencesPage::reload()
{
    if (m_model && !m_model->first().isEmpty())
        m_model->reload();
}

void DifferencesPage::setDense(bool dense)
{
    m_grid->view().setRowHeight(dense ? space::denseRow : space::row);
}

PageStatus DifferencesPage::status() const
{
    PageStatus status;
    if (m_model && m_model->pair())
        status.rows = counted(m_model->found(), tr("difference"), tr("differences"));
    return status;
}

bool DifferencesPage::isLoading() const
{
    return m_model && m_model->loading();
}

bool DifferencesPage::handles(std::string_view command) const
{
    return m_model && (command == "next-row" || command == "previous-row");
}

void DifferencesPage::run(std::string_view command)
{
    if (command == "next-row")
        m_grid->view().moveCurrent(1, false);
    else if (command == "previous-row")
        m_grid->view().moveCurrent(-1, false);
}

QVariantMap DifferencesPage::arrangement() const
{
    return m_grid->arrangement();
}

void DifferencesPage::setArrangement(const QVariantMap& arrangement)
{
    m_grid->setArrangement(arrangement);
}

Page* makeDifferencesPage(PageContext& context, QWidget* parent)
{
    return new DifferencesPage(context, parent);
}

} // namespace fencepost::ui
