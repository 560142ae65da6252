// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/find_page.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>

#include "core/without_credentials.h"
#include "models/session.h"
#include "models/visible_text.h"
#include "ui/link.h"
#include "ui/pages.h"
#include "ui/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_grid.h"
#include "ui/widgets/timeline.h"
#include "ui/words.h"
#include "ui/workspace.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr auto findLayout = "find";
constexpr int longestId = 4096;

struct Scan {
    const char* title;
    Duration budget;
    bool always;
};

constexpr Scan scans[] = {
    { QT_TRANSLATE_NOOP("FindPage", "By indexes only"), Duration::zero(), false },
    { QT_TRANSLATE_NOOP("FindPage", "If nothing: payloads for 2 s"), std::chrono::seconds(2), false },
    { QT_TRANSLATE_NOOP("FindPage", "And payloads for 10 s"), std::chrono::seconds(10), true },
    { QT_TRANSLATE_NOOP("FindPage", "And payloads for 1 min"), std::chrono::minutes(1), true },
};
constexpr int usualScanOfPage = 1;

Mark markOf(const models::Happening& happening, const QString& connection)
{
    Mark mark;
    mark.kind = happening.what.starts_with("operator: ") ? MarkKind::Operator
        : happening.what.find("refused") != std::string::npos || happening.what == "mismatch"
            || happening.what == "fenced"
        ? MarkKind::Refusal
        : MarkKind::Change;
    mark.at = happening.at;
    mark.title = happening.what;
    std::replace(mark.title.begin(), mark.title.end(), '_', ' ');
    if (const auto arrow = happening.detail.find("-> "); arrow != std::string::npos) {
        const auto word = happening.detail.substr(arrow + 3);
        mark.state = stateOf(word.substr(0, word.find(',')));
        if (mark.state)
            mark.title += " → " + std::string(wordOf(*mark.state));
    }
    const auto row = happening.identity.empty() ? std::string() : happening.identity.back();
    mark.text = connection.toStdString() + " · " + happening.binding + " · " + withoutCredentials(row);
    if (!happening.detail.empty())
        mark.text += " · " + happening.detail;
    return mark;
}

QString scannedWords(const models::Searched& table)
{
    const auto& scanned = *table.scanned;
    const auto name = models::visibleText(table.binding);
    const auto looked = numberText(scanned.looked);
    if (scanned.all)
        return FindPage::tr("the payloads of all %1 rows of %2").arg(looked, name);
    const auto of = scanned.of ? countText(*scanned.of) : QString();
    const auto which = scanned.order == "created" ? FindPage::tr("newest") : FindPage::tr("first");
    return of.isEmpty() ? FindPage::tr("the payloads of the %1 %2 rows of %3").arg(which, looked, name)
                        : FindPage::tr("the payloads of the %1 %2 of %3 rows of %4").arg(which, looked, of, name);
}

QString journalWords(const models::Searched& table)
{
    const auto& journal = *table.journal;
    const auto name = models::visibleText(table.binding);
    const auto looked = numberText(journal.looked);
    if (journal.all)
        return FindPage::tr("all %1 entries of the journal of %2").arg(looked, name);
    return FindPage::tr("the newest %1 entries of the journal of %2").arg(looked, name);
}

} // namespace

FindPage::FindPage(PageContext& context, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_search(context.workspace ? context.workspace->trailSearch() : nullptr)
    , m_model(new models::TrailModel(this))
    , m_id(new QLineEdit(this))
    , m_scan(new QComboBox(this))
    , m_in(new QToolButton(this))
    , m_places(new QMenu(m_in))
    , m_begin(new QPushButton(tr("Find"), this))
    , m_summary(new PlainLabel(this))
    , m_searched(new PlainLabel(this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_grid(new RowGrid(context.theme, this))
    , m_timeline(new Timeline(context.theme, {}, this))
{
    build();
    m_model->setZone(context.zone.value());
    m_grid->setModel(m_model);
    m_grid->setLayoutName(QLatin1String(findLayout));
    if (m_search) {
        m_id->setText(text(m_search->id()));
        connect(m_search, &models::TrailSearch::changed, this, &FindPage::showAnswer);
    }
    m_begin->setEnabled(m_search != nullptr);
    showAnswer();
}

void FindPage::build()
{
    setPart(this, "surface");
    setKind(m_begin, "primary");
    setKind(m_in, "button");
    m_id->setObjectName(QStringLiteral("id"));
    m_id->setMaxLength(longestId);
    m_id->setPlaceholderText(tr("Any id: key, order, event, correlation, owner, dead letter, plan"));
    m_id->setAccessibleName(tr("Id"));
    addClearButton(*m_id, m_context.theme);
    m_begin->setObjectName(QStringLiteral("find"));
    m_scan->setObjectName(QStringLiteral("scan"));
    m_scan->setAccessibleName(tr("How far to look"));
    for (const auto& scan : scans)
        m_scan->addItem(tr(scan.title));
    m_scan->setCurrentIndex(usualScanOfPage);
    m_scan->setToolTip(tr("An id inside of a payload is found where the payload is read, the newest rows first"));
    m_in->setObjectName(QStringLiteral("in"));
    m_in->setMenu(m_places);
    m_in->setPopupMode(QToolButton::InstantPopup);
    m_in->setAccessibleName(tr("Connections that are searched"));
    m_in->hide();
    for (auto* label : { m_summary, m_searched }) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    setTone(m_searched, "muted");
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addWidget(m_id, 1);
    line->addWidget(m_scan);
    line->addWidget(m_in);
    line->addWidget(m_begin);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(space::large, space::medium, space::large, space::medium);
    head->setSpacing(space::small);
    head->addLayout(line);
    head->addWidget(m_summary);
    head->addWidget(m_banner);
    m_banner->clear();
    auto* halves = new QSplitter(Qt::Vertical, this);
    halves->setObjectName(QStringLiteral("halves"));
    halves->setChildrenCollapsible(false);
    halves->addWidget(m_grid);
    halves->addWidget(m_timeline);
    halves->setStretchFactor(0, 2);
    halves->setStretchFactor(1, 3);
    auto* foot = new QVBoxLayout;
    foot->setContentsMargins(space::large, space::small, space::large, space::small);
    foot->addWidget(m_searched);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(halves, 1);
    layout->addLayout(foot);
    m_grid->setSelectable(false);
    m_timeline->setFormat(
        [this](Time at) { return m_context.zone.value().format(at, models::Precision::Milliseconds); });
    connect(m_id, &QLineEdit::returnPressed, this, &FindPage::search);
    connect(m_begin, &QPushButton::clicked, this, [this] {
        if (m_search->running())
            m_search->stop();
        else
            search();
    });
    connect(m_grid, &RowGrid::rowActivated, this, &FindPage::openRow);
    connect(m_grid, &RowGrid::retryAsked, this, &FindPage::search);
    connect(m_timeline, &Timeline::chosen, this, &FindPage::showRowOf);
    connect(m_places, &QMenu::triggered, this, [this](const QAction* place) {
        if (place->isChecked())
            m_leftOut.remove(place->data().toString());
        else
            m_leftOut.insert(place->data().toString());
    });
}

// What is not chosen is left out; a connection that is new is searched.
void FindPage::fillPlaces(const std::vector<models::TrailPlace>& places)
{
    m_places->clear();
    int chosen = 0;
    for (const auto& place : places) {
        auto* action = m_places->addAction(place.name);
        action->setCheckable(true);
        action->setData(place.name);
        action->setChecked(!m_leftOut.contains(place.name));
        chosen += action->isChecked() ? 1 : 0;
    }
    m_in->setVisible(places.size() > 1);
    m_in->setText(
        tr("In %1 of %2").arg(chosen).arg(counted(std::int64_t(places.size()), tr("connection"), tr("connections"))));
}

void FindPage::search()
{
    if (!m_search || m_id->text().trimmed().isEmpty())
        return;
    m_banner->clear();
    m_context.workspace->searchPlaces([page = QPointer(this)](std::vector<models::TrailPlace> places) {
        if (page)
            page->begin(std::move(places));
    });
}

void FindPage::begin(std::vector<models::TrailPlace> places)
{
    fillPlaces(places);
    std::erase_if(places, [this](const models::TrailPlace& place) { return m_leftOut.contains(place.name); });
    if (places.empty())
        return m_banner->report(tr("look for it"),
            { Failure::Invalid, "No connection is chosen to look in", {}, {}, "Open a connection, or choose one" });
    const auto& scan = scans[std::max(m_scan->currentIndex(), 0)];
    m_search->search(std::move(places),
        { .id = m_id->text().trimmed().toStdString(), .scan = scan.budget, .alwaysScan = scan.always });
}

void FindPage::showAnswer()
{
    const bool running = m_search && m_search->running();
    m_begin->setText(running ? tr("Stop") : tr("Find"));
    if (running)
        m_summary->setText(tr("Looking for “%1”…").arg(models::visibleText(m_search->id())));
    if (running)
        return Q_EMIT statusChanged();
    if (!m_search || !m_search->answer()) {
        m_summary->clear();
        m_grid->emptyState().show(Emptiness::NotLoaded, tr("Nothing was looked for yet"),
            tr("Type any id above: its rows in all tables and connections are shown, and what happened to them."));
        m_timeline->hide();
        m_searched->hide();
        return Q_EMIT statusChanged();
    }
    const auto& answer = *m_search->answer();
    m_model->setRows(models::entriesOf(answer), answer.now);
    m_summary->setText(summaryOf(answer));
    m_searched->setText(searchedWords(answer));
    m_searched->setVisible(!m_searched->text().isEmpty());
    QStringList closed;
    for (const auto& [name, error] : answer.closed)
        closed += tr("%1 was not searched: %2").arg(name, text(withoutCredentials(error.message)));
    for (const auto& searched : answer.trail.searched)
        if (searched.error)
            closed += tr("%1 in %2 was not searched to its end: %3")
                          .arg(models::visibleText(searched.binding), answer.names[searched.source],
                              text(withoutCredentials(searched.error->message)));
    if (!closed.isEmpty())
        m_banner->tell("warning", closed.join(QStringLiteral(". ")) + u'.', tr("Try again"));
    showTimeline(answer);
    if (answer.trail.isEmpty())
        showNothing(answer);
    Q_EMIT statusChanged();
}

void FindPage::showTimeline(const models::TrailAnswer& answer)
{
    std::vector<Mark> marks;
    for (const auto& happening : answer.trail.happenings)
        marks.push_back(markOf(happening, answer.names[happening.source]));
    m_timeline->setVisible(!marks.empty());
    m_timeline->setMarks(std::move(marks));
}

void FindPage::showNothing(const models::TrailAnswer& answer)
{
    m_grid->emptyState().show(Emptiness::Filtered, tr("Nothing was found of “%1”").arg(models::visibleText(answer.id)),
        answer.closed.empty() ? tr("Check the id, or look into payloads for longer. What was searched stands below.")
                              : tr("Not every connection could be searched. What was searched stands below."));
}

QString FindPage::summaryOf(const models::TrailAnswer& answer) const
{
    const auto& trail = answer.trail;
    if (trail.isEmpty())
        return tr("Nothing was found of “%1”").arg(models::visibleText(answer.id));
    auto words = tr("“%1”: %2 found, %3 linked, %4")
                     .arg(models::visibleText(answer.id),
                         counted(std::int64_t(trail.found.size() + trail.runs.size()), tr("row"), tr("rows")),
                         numberText(std::int64_t(trail.linked.size())),
                         counted(std::int64_t(trail.happenings.size()), tr("event"), tr("events")));
    if (trail.cut)
        words += tr("; more rows hang together with it than are shown");
    return words;
}

QString FindPage::searchedWords(const models::TrailAnswer& answer) const
{
    QStringList byIndex;
    QStringList scanned;
    for (const auto& table : answer.trail.searched) {
        if (!table.fields.empty() && !table.error)
            byIndex += answer.names.size() > 1
                ? QStringLiteral("%1 (%2)").arg(models::visibleText(table.binding), answer.names[table.source])
                : models::visibleText(table.binding);
        if (table.scanned)
            scanned += scannedWords(table);
        if (table.journal)
            scanned += journalWords(table);
    }
    QStringList parts;
    if (!byIndex.isEmpty())
        parts += tr("Searched in %1 ms by indexes: %2")
                     .arg(std::chrono::duration_cast<std::chrono::milliseconds>(answer.time).count())
                     .arg(byIndex.join(QStringLiteral(", ")));
    if (!scanned.isEmpty())
        parts += tr("Read: %1").arg(scanned.join(QStringLiteral(", ")));
    else if (!answer.trail.isEmpty())
        parts += tr("Payloads and the journal were not read: choose for how long above");
    return parts.join(QStringLiteral(". "));
}

// The row of a happening, where it is one of those above.
void FindPage::showRowOf(std::size_t mark)
{
    const auto& happenings = m_search->answer()->trail.happenings;
    if (mark >= happenings.size())
        return;
    const auto& happening = happenings[mark];
    for (int i = 0; i < m_model->rowCount(); ++i) {
        const auto& entry = m_model->rowAt(i);
        if (entry.connection == m_search->answer()->names[happening.source] && entry.binding == happening.binding
            && entry.row.identity == happening.identity)
            return m_grid->view().setCurrentRow(i);
    }
}

void FindPage::openRow(int row)
{
    if (row < 0 || row >= m_model->rowCount())
        return;
    const auto entry = m_model->rowAt(row);
    Link link{ .connection = entry.connection, .binding = text(entry.binding), .identity = entry.row.identity };
    if (entry.isRun)
        link = { .connection = entry.connection, .page = QStringLiteral("runs") };
    else
        link.page = QLatin1String(pageOf(entry.kind));
    m_context.navigation.openLink(link);
}

QString FindPage::summary() const
{
    return m_summary->text();
}

QString FindPage::searched() const
{
    return m_searched->text();
}

void FindPage::activate()
{
    if (m_context.workspace)
        m_context.workspace->searchPlaces([page = QPointer(this)](const std::vector<models::TrailPlace>& places) {
            if (page)
                page->fillPlaces(places);
        });
    if (m_model->rowCount() > 0)
        m_grid->setFocus();
    else
        m_id->setFocus();
}

void FindPage::reload()
{
    search();
}

void FindPage::setDense(bool dense)
{
    m_grid->view().setRowHeight(dense ? space::denseRow : space::row);
}

void FindPage::show(const QString& /*binding*/, const QString& filter)
{
    if (filter.isNull() || filter == place().filter)
        return;
    m_id->setText(filter);
    search();
}

Place FindPage::place() const
{
    return { {}, m_search ? text(m_search->id()) : QString() };
}

QWidget* FindPage::filterField() const
{
    return m_id;
}

PageStatus FindPage::status() const
{
    PageStatus status;
    if (m_search && m_search->answer())
        status.rows = counted(m_model->rowCount(), tr("row"), tr("rows"));
    return status;
}

bool FindPage::isLoading() const
{
    return m_search && m_search->running();
}

bool FindPage::handles(std::string_view command) const
{
    return command == "next-row" || command == "previous-row" || command == "open-row";
}

void FindPage::run(std::string_view command)
{
    if (command == "next-row")
        m_grid->view().moveCurrent(1, false);
    else if (command == "previous-row")
        m_grid->view().moveCurrent(-1, false);
    else if (command == "open-row")
        openRow(m_grid->view().currentRow());
}

QVariantMap FindPage::arrangement() const
{
    auto map = m_grid->arrangement();
    map.insert(QStringLiteral("left out"), QStringList(m_leftOut.begin(), m_leftOut.end()));
    return map;
}

void FindPage::setArrangement(const QVariantMap& arrangement)
{
    m_grid->setArrangement(arrangement);
    const auto names = arrangement.value(QStringLiteral("left out")).toStringList();
    m_leftOut = QSet<QString>(names.begin(), names.end());
}

Page* makeFindPage(PageContext& context, QWidget* parent)
{
    return new FindPage(context, parent);
}

} // namespace fencepost::ui
