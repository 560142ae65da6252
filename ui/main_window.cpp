// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QStackedWidget>

#include "core/operations/operation.h"
#include "core/query/filter.h"
#include "core/run_journal.h"
#include "models/files.h"
#include "models/plan_folder.h"
#include "ui/commands.h"
#include "ui/dialogs/arm_dialog.h"
#include "ui/dialogs/shortcut_sheet.h"
#include "ui/dialogs/zone_dialog.h"
#include "ui/pages.h"
#include "ui/range_setting.h"
#include "ui/shell/activity.h"
#include "ui/shell/finders.h"
#include "ui/shell/frame.h"
#include "ui/shell/palette.h"
#include "ui/shell/rail.h"
#include "ui/shell/status_line.h"
#include "ui/shell/top_bar.h"
#include "ui/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/error_banner.h"
#include "ui/words.h"
#include "ui/workspace.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr std::size_t longestHistory = 50;

// Why there is no such place here, whatever the database has.
std::optional<Error> whyNoPlace(const Link& link, bool connectionKnown)
{
    if (!connectionKnown)
        return Error{ Failure::NotFound, "There is no connection called " + link.connection.toStdString() + " here", {},
            {}, "Add the connection under that name, then follow the link again." };
    if (!link.page.isEmpty() && findPage(link.page.toStdString()) == nullptr)
        return Error{ Failure::Invalid, "There is no page called " + link.page.toStdString(), {}, {},
            "Copy the link again from the page that it is meant to show." };
    if (const auto filter = parseFilter(link.filter.toStdString()); !filter)
        return Error{ Failure::Invalid, "The filter of the link cannot be read: " + filter.error().message, {}, {},
            "Copy the link again; without its filter it would show other rows." };
    return {};
}

} // namespace

MainWindow::MainWindow(Workspace& workspace, Theme& theme, ZoneSetting& zone, QWidget* parent)
    : QMainWindow(parent)
    , m_workspace(workspace)
    , m_theme(theme)
    , m_zone(zone)
    , m_range(new RangeSetting(this))
    , m_commands(new Commands(theme, *this))
    , m_frame(new Frame(theme, zone, *m_range, *m_commands, this))
    , m_status(new StatusLine(theme, zone, this))
    , m_palette(new Palette(theme, *m_commands, m_frame->top().search(), *this))
{
    setCentralWidget(m_frame);
    setStatusBar(m_status);
    setFocusPolicy(Qt::ClickFocus);
    setMinimumSize(800, 560);
    resize(1280, 800);
    connectParts();
    sessionChanged();
    setFocus();
}

// Dialogs go first: the end of a run in one of them is told to the session, and by it to a window that still is one.
MainWindow::~MainWindow()
{
    qDeleteAll(findChildren<QDialog*>(QString(), Qt::FindDirectChildrenOnly));
    closeSession();
}

void MainWindow::connectParts()
{
    connect(m_commands, &Commands::triggered, this, &MainWindow::runCommand);
    connect(&m_frame->rail(), &Rail::chosen, this, &MainWindow::openPage);
    connect(m_status, &StatusLine::zoneRequested, this, &MainWindow::chooseZone);
    for (QMenu* menu : m_frame->menus().findChildren<QMenu*>())
        connect(menu, &QMenu::aboutToShow, this, [this] {
            markToggles();
            // The rows may have left since something was selected.
            allowCommands();
        });
    connect(&m_frame->unconnected(), &EmptyState::acted, this, [this] { open("connections"); });
    connect(&m_frame->banner(), &ErrorBanner::acted, this, [this](Failure failure) {
        runCommand(failure == Failure::Denied ? QStringLiteral("page.connections") : QStringLiteral("reconnect"));
    });
    connect(&m_frame->banner(), &ErrorBanner::accepted, this, &MainWindow::acceptNotice);
    connect(m_status, &StatusLine::alertsRequested, this, [this] { open("alerts"); });
    if (auto* board = m_workspace.alerts())
        connect(board, &models::AlertBoard::changed, this, &MainWindow::showAlerts);
    connect(&m_workspace, &Workspace::sessionClosing, this, &MainWindow::closeSession);
    connect(&m_workspace, &Workspace::sessionChanged, this, &MainWindow::sessionChanged);
    connect(&m_frame->top().connectionMenu(), &QMenu::aboutToShow, this, [this] {
        fillConnectionMenu(m_frame->top().connectionMenu(), m_workspace, m_theme, [this] { open("connections"); });
    });
    m_palette->addFinder([this](const QString& typed) {
        return findLink(typed, m_theme, [this](const QString& words) {
            const auto link = parseLink(words);
            link ? openLink(*link) : report(tr("follow the link"), link.error());
        });
    });
    m_palette->addFinder([this](const QString& typed) { return findIds(typed, m_context ? &*m_context : nullptr); });
    m_palette->addFinder([this](const QString& typed) { return findKeys(typed, m_context ? &*m_context : nullptr); });
    m_palette->addFinder(
        [this](const QString& typed) { return findBookmarks(typed, m_context ? &*m_context : nullptr); });
    m_palette->addFinder([this](const QString& typed) { return findConnections(typed, m_workspace, m_theme); });
    qApp->installEventFilter(this);
}

Page* MainWindow::page() const
{
    const auto found = m_pages.find(m_current);
    return found == m_pages.end() ? nullptr : found->second;
}

Page* MainWindow::pageNamed(const QString& id)
{
    if (const auto found = m_pages.find(id); found != m_pages.end())
        return found->second;
    const PageEntry* entry = findPage(id.toStdString());
    if (!entry || (entry->needsSession && !m_context->session))
        return nullptr;
    Page* made = entry->create(*m_context, &m_frame->stack());
    made->setObjectName(QStringLiteral("page.") + id);
    made->setAccessibleName(tr(entry->title));
    made->setDense(m_dense);
    if (const auto saved = m_arrangements.find(id); saved != m_arrangements.end())
        made->setArrangement(saved->second);
    m_frame->stack().addWidget(made);
    m_pages[id] = made;
    connect(made, &Page::statusChanged, this, &MainWindow::showStatus);
    connect(made, &Page::selectionChanged, this, &MainWindow::allowCommands);
    return made;
}

void MainWindow::open(std::string_view id, const QString& binding, const QString& filter)
{
    const PageEntry* entry = findPage(id);
    if (!entry)
        return;
    remember(QLatin1String(entry->id), !binding.isEmpty() || !filter.isEmpty());
    m_pageChosen = true;
    // A dossier is of the rows of the page in front.
    if (m_current != QLatin1String(entry->id))
        closeDossier();
    m_current = QLatin1String(entry->id);
    if (m_frame->stack().isAncestorOf(focusWidget()))
        setFocus();
    m_frame->rail().setCurrent(id);
    if (Page* front = pageNamed(m_current)) {
        m_frame->stack().setCurrentWidget(front);
        if (!binding.isEmpty() || !filter.isNull())
            front->show(binding, filter);
        front->activate();
    } else {
        m_frame->unconnected().show(Emptiness::NotLoaded, tr("No connection is open"),
            tr("%1 shows what is in a database. Open a connection first.").arg(tr(entry->title)),
            tr("Choose a connection"));
        m_frame->stack().setCurrentWidget(&m_frame->unconnected());
    }
    followInFront();
    sessionMoved();
}

// What is left now, for the way back.
void MainWindow::remember(const QString& next, bool replaces)
{
    if (m_current.isEmpty() || (next == m_current && !replaces))
        return;
    if (m_history.size() == longestHistory)
        m_history.erase(m_history.begin());
    m_history.push_back({ m_current, page() ? page()->place() : Place() });
}

void MainWindow::openLink(const Link& link)
{
    m_pendingLink.reset();
    const auto* known = m_workspace.connections().named(link.connection);
    const bool here = isOpen(link.connection);
    if (const auto wrong = whyNoPlace(link, here || known != nullptr))
        return m_frame->banner().report(tr("follow the link"), *wrong);
    m_frame->banner().settle(tr("follow the link"));
    m_pendingLink = link;
    if (!here)
        m_workspace.open(known->id);
    else
        followPendingLink();
}

// Also what the command line named, which is no saved connection.
bool MainWindow::isOpen(const QString& connection) const
{
    if (const auto* session = m_workspace.session(); session && m_workspace.openId().isEmpty())
        return session->status().name == connection;
    const auto* known = m_workspace.connections().named(connection);
    return known != nullptr && known->id == m_workspace.openId();
}

void MainWindow::report(const QString& attempted, const Error& error)
{
    m_frame->banner().report(attempted, error);
}

void MainWindow::followPendingLink()
{
    models::Session* session = m_workspace.session();
    if (!m_pendingLink || !session || session->bindings().empty())
        return;
    const Link link = *std::exchange(m_pendingLink, std::nullopt);
    // Somebody has opened another connection meanwhile, which the link says nothing of.
    if (!link.connection.isEmpty() && !isOpen(link.connection))
        return;
    const models::BindingPtr binding = session->binding(link.binding);
    if (!link.binding.isEmpty() && !binding)
        return m_frame->banner().report(tr("follow the link"),
            Error{ Failure::NotFound,
                "There is no table " + link.binding.toStdString() + " in the connection that it leads to", {}, {},
                "See under Connections which tables are recognised." });
    const std::string page = binding ? pageOf(binding->kind) : "overview";
    if (link.range)
        m_range->freeze(link.range);
    // A link that names no filter is one to all rows.
    open(link.page.isEmpty() ? page : link.page.toStdString(), link.binding,
        link.filter.isNull() ? QStringLiteral("") : link.filter);
    if (binding && !link.identity.empty())
        openDossier(*binding, link.identity);
}

void MainWindow::openDossier(const Binding& binding, const std::vector<std::string>& identity)
{
    if (!parts().dossier || !m_context->session)
        return;
    if (!m_dossier) {
        m_dossier = parts().dossier(*m_context, m_frame);
        m_frame->setDossier(m_dossier);
        followInFront();
    }
    m_dossier->open(binding, identity);
    if (Page* front = page())
        front->standOn(binding, identity);
    allowCommands();
}

void MainWindow::closeDossier()
{
    if (!m_dossier)
        return;
    m_dossier->deleteLater();
    m_dossier = nullptr;
    m_frame->setDossier(nullptr);
    allowCommands();
}

void MainWindow::plan(const Operation& operation, const Selection& selection)
{
    if (parts().plan && m_context->session && !selection.isEmpty())
        parts().plan(*m_context, operation, selection, this)->open();
}

void MainWindow::resume(const Plan& interrupted)
{
    if (parts().resume && m_context->session)
        parts().resume(*m_context, interrupted, this)->open();
}

void MainWindow::undo(const QString& requestId)
{
    if (parts().undo && m_context->session)
        parts().undo(*m_context, requestId, this)->open();
}

void MainWindow::arm()
{
    models::Session* session = m_workspace.session();
    if (session && session->canArm() && !session->armed())
        (new ArmDialog(m_theme, *session, m_workspace.drafts(), this))->open();
}

void MainWindow::log(const QString& line)
{
    m_frame->activity().log(line);
}

void MainWindow::showRun(QWidget* run)
{
    m_frame->activity().addRun(run);
    m_frame->activity().show();
}

Selection MainWindow::selection() const
{
    const Page* front = page();
    Selection chosen = front ? front->selection() : Selection{};
    if (chosen.isEmpty() && m_dossier)
        chosen = m_dossier->selection();
    return chosen;
}

void MainWindow::closeSession()
{
    m_context.reset();
    m_frame->activity().endRuns();
    delete std::exchange(m_dossier, nullptr);
    m_frame->setDossier(nullptr);
    // A dialog of a page that goes ends its hold of the window, which then looks at the pages that are there.
    const auto gone = std::exchange(m_pages, {});
    for (const auto& [id, made] : gone) {
        m_arrangements[id] = made->arrangement();
        delete made;
    }
    m_context.emplace(PageContext{ nullptr, m_zone, *m_range, m_theme, *this, {}, {}, &m_workspace });
}

void MainWindow::sessionChanged()
{
    models::Session* session = m_workspace.session();
    closeSession();
    if (session) {
        const models::SessionStatus status = session->status();
        m_context.emplace(PageContext{
            session, m_zone, *m_range, m_theme, *this, status.name, status.environmentWord(), &m_workspace });
        connect(session, &models::Session::statusChanged, this, &MainWindow::sessionMoved);
        connect(session, &models::Session::armingChanged, this, &MainWindow::allowCommands);
        connect(session, &models::Session::bindingsChanged, this, &MainWindow::followPendingLink);
        connect(session, &models::Session::bindingsFailed, this, [this, session](const Error& error) {
            // A connection that was left may still answer: its trouble is not the new one's.
            if (m_workspace.session() == session)
                m_frame->banner().report(tr("read the tables"), error);
        });
        connect(session, &models::Session::disarmed, this, &MainWindow::sayDisarmed);
        log(tr("Opened %1").arg(status.name));
    }
    m_toldAlert.reset();
    m_frame->banner().clear();
    m_askedForInterrupted = false;
    m_saidBrokenSeal = false;
    m_interrupted.clear();
    const bool chosen = m_pageChosen;
    open(chosen ? m_current.toStdString() : session ? "overview" : "connections");
    m_pageChosen = chosen;
    // Its steps lead to tables of the session of before.
    m_history.clear();
    allowCommands();
}

// What a crash left in the middle. Carrying it out again repeats nothing.
void MainWindow::offerInterrupted()
{
    const models::Session* session = m_workspace.session();
    const auto plans = m_workspace.plans();
    if (m_askedForInterrupted || !parts().resume || !plans || !session || session->bindings().empty()
        || !session->status().info)
        return;
    m_askedForInterrupted = true;
    m_interrupted.clear();
    for (const models::KeptPlan& kept : plans->interrupted()) {
        // One that was stopped by hand has a report, and somebody read it.
        if (kept.plan && kept.plan->database == session->status().info->identity
            && !plans->report(text(kept.plan->requestId)))
            m_interrupted.push_back(*kept.plan);
    }
    if (!m_interrupted.empty())
        leaveOutWhatIsOver();
}

// A replay may have been brought to its end from elsewhere: its journal knows.
void MainWindow::leaveOutWhatIsOver()
{
    std::vector<std::string> ids;
    for (const Plan& plan : m_interrupted)
        if (isStaged(plan))
            ids.push_back(plan.requestId);
    m_over.start(
        m_workspace.session()->reads(),
        [ids](Backend& backend) -> Result<std::set<std::string>> {
            std::set<std::string> over;
            if (auto* journal = backend.inspector().runs())
                for (const auto& id : ids)
                    if (const auto run = journal->standing(id); run && *run && isOver((**run).phase))
                        over.insert(id);
            return over;
        },
        [this](const Result<std::set<std::string>>& over) {
            if (over)
                std::erase_if(m_interrupted, [&](const Plan& plan) { return over->contains(plan.requestId); });
            tellInterrupted();
        });
}

void MainWindow::tellInterrupted()
{
    if (m_interrupted.empty())
        return;
    const Plan& plan = m_interrupted.front();
    const Operation* operation = findOperation(plan.verb);
    const auto what = operation ? text(countedTitle(*operation, std::int64_t(plan.items.size()))) : text(plan.verb);
    const auto when = m_zone.value().format(plan.createdAt, models::Precision::Seconds);
    m_toldAlert.reset();
    m_frame->banner().tell("warning",
        tr("A run was cut short: %1 in %2, planned at %3. What it had done is not done twice.")
            .arg(what, text(plan.binding), when),
        tr("Look at it"));
    log(tr("Cut short: %1 in %2, request %3").arg(what, text(plan.binding), text(plan.requestId)));
}

void MainWindow::openInterrupted()
{
    if (m_interrupted.empty() || !m_context->session)
        return;
    const Plan plan = m_interrupted.front();
    m_interrupted.erase(m_interrupted.begin());
    m_frame->banner().clear();
    resume(plan);
}

// Somebody else's, or one of another day: reviewed in the dialog in which it would have been made, and checked there
// against what the rows are now.
void MainWindow::sayDisarmed(models::DisarmReason why)
{
    const auto sentence = [why]() -> QString {
        switch (why) {
        case models::DisarmReason::Asked:
        case models::DisarmReason::Closed:
            return tr("Disarmed: the connection is read-only again.");
        case models::DisarmReason::TimeOver:
            return tr("Disarmed: the time is over. The connection is read-only again.");
        case models::DisarmReason::Idle:
            return tr("Disarmed: the console was idle. The connection is read-only again.");
        case models::DisarmReason::Suspended:
            return tr("Disarmed: the computer slept. The connection is read-only again.");
        case models::DisarmReason::ConnectionLost:
            return tr("Disarmed: the connection that may write was lost.");
        }
        return {};
    }();
    log(sentence);
    if (why != models::DisarmReason::Asked && why != models::DisarmReason::Closed)
        m_frame->banner().tell("information", sentence);
}

void MainWindow::sessionMoved()
{
    const models::Session* session = m_workspace.session();
    const auto status = session ? std::optional(session->status()) : std::nullopt;
    m_frame->top().show(status ? &*status : nullptr);
    offerInterrupted();
    m_frame->band().setVisible(status.has_value());
    setWindowTitle(tr("Fencepost"));
    if (status) {
        const QString environment = status->environmentWord();
        const QString place =
            status->name + (status->info ? QStringLiteral(" · ") + text(status->info->location) : QString());
        m_frame->band().show(environment, status->snapshot ? snapshotWords(*status->snapshot) : place);
        if (status->snapshot)
            sayBrokenSeal(*status->snapshot);
        setWindowTitle(tr("%1 — %2 — Fencepost").arg(status->name, environmentLook(environment.toStdString()).word));
    }
    // Of the same look at the link as everything below: it may be open a moment later.
    const bool lost = status && status->link.isLost();
    m_frame->setStale(lost && m_current != QLatin1String("connections"));
    if (lost && status->link.error)
        m_frame->banner().report(status->refreshedAt
                ? tr("reach the database; what is shown is of %1")
                      .arg(m_zone.value().format(*status->refreshedAt, models::Precision::Seconds))
                : tr("reach the database"),
            *status->link.error);
    else if (status && status->link.state == models::Link::State::Open && m_frame->banner().property("link").toBool())
        m_frame->banner().clear();
    m_frame->banner().setProperty("link", lost);
    showStatus();
}

void MainWindow::showStatus()
{
    const models::Session* session = m_workspace.session();
    const auto status = session ? std::optional(session->status()) : std::nullopt;
    const Page* front = page();
    m_status->show(status ? &*status : nullptr, front ? front->status() : PageStatus{});
    showAlerts();
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event)
{
    const bool use = event->type() == QEvent::KeyPress || event->type() == QEvent::MouseButtonPress
        || event->type() == QEvent::Wheel;
    if (use && m_workspace.session())
        m_workspace.session()->touch();
    // Lists close themselves when they are asked whether Esc is theirs, and leave the key to what stands behind them.
    if (event->type() == QEvent::ShortcutOverride && QApplication::activePopupWidget()
        && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Cancel)) {
        event->accept();
        return true;
    }
    return QMainWindow::eventFilter(watched, event);
}

QJsonObject MainWindow::arrangement() const
{
    QJsonObject result = m_frame->arrangement();
    auto kept = m_arrangements;
    for (const auto& [id, made] : m_pages)
        kept[id] = made->arrangement();
    QJsonObject pageArrangements;
    for (const auto& [id, saved] : kept)
        pageArrangements[id] = QJsonObject::fromVariantMap(saved);
    result[QStringLiteral("pages")] = pageArrangements;
    result[QStringLiteral("dense")] = m_dense;
    return result;
}

void MainWindow::setArrangement(const QJsonObject& arrangement)
{
    m_frame->setArrangement(arrangement);
    setDense(arrangement[QStringLiteral("dense")].toBool());
    const QJsonObject saved = arrangement[QStringLiteral("pages")].toObject();
    for (auto it = saved.begin(); it != saved.end(); ++it) {
        m_arrangements[it.key()] = it.value().toObject().toVariantMap();
        if (const auto made = m_pages.find(it.key()); made != m_pages.end())
            made->second->setArrangement(m_arrangements[it.key()]);
    }
}

} // namespace fencepost::ui
