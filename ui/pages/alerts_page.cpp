// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/alerts_page.h"

#include <QBoxLayout>
#include <QFrame>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include "models/session.h"
#include "models/visible_text.h"
#include "ui/alert_place.h"
#include "ui/dialogs/alert_delivery_dialog.h"
#include "ui/dialogs/alert_rule_dialog.h"
#include "ui/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_grid.h"
#include "ui/words.h"
#include "ui/workspace.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

AlertsPage::AlertsPage(PageContext& context, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_board(context.workspace ? context.workspace->alerts() : nullptr)
    , m_summary(new PlainLabel(this))
    , m_add(new QPushButton(context.theme.icon("add", Role::OnAccent), tr("Add rule…"), this))
    , m_suggest(new QPushButton(context.theme.icon("policy"), tr("Use suggested rules"), this))
    , m_delivery(new QPushButton(context.theme.icon("settings"), tr("Who is told…"), this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_rules(new RowGrid(context.theme, this))
    , m_words(new PlainLabel(this))
    , m_open(new QPushButton(context.theme.icon("table"), tr("Open the rows"), this))
    , m_edit(new QPushButton(context.theme.icon("edit"), tr("Edit…"), this))
    , m_switch(new QPushButton(context.theme.icon("pause"), tr("Switch off"), this))
    , m_silence(new QToolButton(this))
    , m_remove(new QPushButton(context.theme.icon("remove"), tr("Remove"), this))
    , m_events(new RowGrid(context.theme, this))
{
    build();
    if (!m_board) {
        m_summary->setText(tr("Alerts are not kept here."));
        for (QWidget* control : std::initializer_list<QWidget*>{ m_add, m_suggest, m_delivery })
            control->setEnabled(false);
        showCurrent();
        return;
    }
    m_ruleRows = new models::AlertRulesModel(*m_board, m_clock, this);
    m_eventRows = new models::AlertEventsModel(*m_board, m_clock, this);
    for (models::RowsModelBase* model : std::initializer_list<models::RowsModelBase*>{ m_ruleRows, m_eventRows })
        model->setZone(context.zone.value());
    m_rules->setModel(m_ruleRows);
    m_rules->setWords(tr("alert rules"), {}, tr("No alert rule"),
        tr("Add one: its figure is watched as long as the connection is open."));
    m_rules->setLayoutName(QStringLiteral("alerts"));
    m_events->setModel(m_eventRows);
    m_events->setWords(
        tr("alerts"), {}, tr("No alert since this connection was opened"), tr("No rule was over what it may be."));
    m_events->setLayoutName(QStringLiteral("alert-events"));
    connectParts();
    showBoard();
}

QLayout* AlertsPage::makeHead()
{
    setKind(m_add, "primary");
    m_summary->setWordWrap(true);
    setTone(m_summary, "muted");
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addWidget(m_summary, 1);
    for (QPushButton* button : { m_delivery, m_suggest, m_add })
        line->addWidget(button);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(space::large, space::medium, space::large, space::medium);
    head->setSpacing(space::small);
    head->addLayout(line);
    head->addWidget(m_banner);
    m_banner->clear();
    return head;
}

QLayout* AlertsPage::makeCard()
{
    m_words->setWordWrap(true);
    m_silence->setText(tr("Silence"));
    m_silence->setIcon(m_context.theme.icon("clock"));
    m_silence->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_silence->setPopupMode(QToolButton::InstantPopup);
    m_silence->setAccessibleName(tr("Silence the rule"));
    setKind(m_silence, "button");
    auto* card = new QHBoxLayout;
    card->setContentsMargins(space::large, space::small, space::large, space::small);
    card->setSpacing(space::small);
    card->addWidget(m_words, 1);
    for (QWidget* button : std::initializer_list<QWidget*>{ m_open, m_edit, m_switch, m_silence, m_remove })
        card->addWidget(button);
    return card;
}

void AlertsPage::build()
{
    setPart(this, "surface");
    auto* happened = new PlainLabel(tr("What began and ended"), this);
    happened->setFont(m_context.theme.font(Text::Section));
    happened->setContentsMargins(space::large, space::medium, space::large, space::small);
    const auto addLine = [this](QVBoxLayout& layout) {
        auto* hairline = new QFrame(this);
        setPart(hairline, "line");
        layout.addWidget(hairline);
    };
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(makeHead());
    addLine(*layout);
    layout->addWidget(m_rules, 3);
    addLine(*layout);
    layout->addLayout(makeCard());
    addLine(*layout);
    layout->addWidget(happened);
    layout->addWidget(m_events, 2);
    m_rules->setSelectable(false);
    m_events->setSelectable(false);
}

void AlertsPage::connectParts()
{
    fillSilence();
    connect(m_board, &models::AlertBoard::changed, this, &AlertsPage::showBoard);
    connect(m_board, &models::AlertBoard::notebookFailed, this,
        [this](const Error& error) { m_banner->report(tr("write the alert into the notebook"), error); });
    connect(m_context.workspace, &Workspace::alertDeliveryChanged, this, &AlertsPage::showBoard);
    connect(&m_context.zone, &ZoneSetting::changed, this, [this] {
        m_ruleRows->setZone(m_context.zone.value());
        m_eventRows->setZone(m_context.zone.value());
    });
    connect(m_add, &QPushButton::clicked, this, &AlertsPage::addRule);
    connect(m_suggest, &QPushButton::clicked, m_board, &models::AlertBoard::suggest);
    connect(m_delivery, &QPushButton::clicked, this, &AlertsPage::chooseDelivery);
    connect(m_edit, &QPushButton::clicked, this, &AlertsPage::editRule);
    connect(m_open, &QPushButton::clicked, this, [this] { openRows(m_rules->view().currentRow()); });
    connect(m_switch, &QPushButton::clicked, this, [this] {
        if (const auto* watched = current())
            m_board->setOn(QString(watched->kept.id), !watched->kept.on);
    });
    connect(m_remove, &QPushButton::clicked, this, [this] {
        if (const auto* watched = current())
            m_board->remove(QString(watched->kept.id));
    });
    connect(m_rules, &RowGrid::currentRowChanged, this, &AlertsPage::showCurrent);
    connect(m_rules, &RowGrid::rowActivated, this, &AlertsPage::openRows);
    connect(m_events, &RowGrid::rowActivated, this, &AlertsPage::openEvent);
}

void AlertsPage::fillSilence()
{
    auto* menu = new QMenu(m_silence);
    const auto offer = [this, menu](const QString& words, auto act) {
        auto* action = menu->addAction(words);
        connect(action, &QAction::triggered, this, [this, act] {
            if (const auto* watched = current())
                act(*m_board, QString(watched->kept.id));
        });
        return action;
    };
    using Board = models::AlertBoard;
    offer(
        tr("For 15 minutes"), [](Board& board, const QString& id) { board.silenceFor(id, std::chrono::minutes(15)); });
    offer(tr("For 1 hour"), [](Board& board, const QString& id) { board.silenceFor(id, std::chrono::hours(1)); });
    auto* whileOver =
        offer(tr("Until it is over"), [](Board& board, const QString& id) { board.silenceWhileOver(id); });
    auto* end = offer(tr("No longer"), [](Board& board, const QString& id) { board.unsilence(id); });
    connect(menu, &QMenu::aboutToShow, this, [this, whileOver, end] {
        const auto* watched = current();
        whileOver->setEnabled(watched && watched->over);
        end->setEnabled(watched && watched->silent);
    });
    m_silence->setMenu(menu);
}

const models::WatchedRule* AlertsPage::current() const
{
    const int row = m_rules->view().currentRow();
    return m_ruleRows && row >= 0 && row < m_ruleRows->rowCount() ? m_board->find(m_ruleRows->rowAt(row).kept.id)
                                                                  : nullptr;
}

void AlertsPage::showBoard()
{
    QString words = alertSummary(*m_board, m_context.zone.value());
    words += tr(". Looked at every %1").arg(text(formatDuration(m_board->interval())));
    if (m_board->connection().isEmpty())
        words += tr("; kept until this connection is closed, because it is in no list");
    m_summary->setText(words + QLatin1Char('.'));
    const bool lost = m_board->state() == models::AlertBoard::Watch::NotWatched;
    setTone(m_summary, m_board->over() > 0 || lost ? "warning" : "muted");
    showDelivery();
    showCurrent();
    Q_EMIT statusChanged();
}

// What the banner says of anything else stays, and so does what was dismissed.
void AlertsPage::showDelivery()
{
    const QString problem = m_context.workspace->alertDeliveryProblem();
    if (problem == m_problem)
        return;
    if (!problem.isEmpty())
        m_banner->tell("warning", problem);
    else if (m_banner->sentence() == m_problem)
        m_banner->clear();
    m_problem = problem;
}

void AlertsPage::showCurrent()
{
    const auto* watched = current();
    for (QWidget* control : std::initializer_list<QWidget*>{ m_edit, m_switch, m_silence, m_remove })
        control->setEnabled(watched != nullptr);
    m_open->setEnabled(watched && watched->rule);
    if (!watched)
        return m_words->setText(tr("Choose a rule to see what it says and to change it."));
    m_switch->setText(watched->kept.on ? tr("Switch off") : tr("Switch on"));
    if (watched->error)
        return m_words->setText(tr("%1. %2").arg(models::visibleText(watched->error->message),
            watched->rule ? tr("It is looked at again.") : tr("Edit it or remove it: it watches nothing.")));
    m_words->setText(
        tr("%1: %2.").arg(sentence(watched->rule->measure->title), models::standingOf(*watched).toLower()));
}

void AlertsPage::addRule()
{
    auto* dialog = new AlertRuleDialog(
        m_context.theme, {}, [board = m_board](const QString& rule) { return board->add(rule); }, this);
    dialog->open();
}

void AlertsPage::editRule()
{
    const auto* watched = current();
    if (!watched)
        return;
    auto* dialog = new AlertRuleDialog(
        m_context.theme, watched->kept.text,
        [board = m_board, id = watched->kept.id](const QString& rule) { return board->edit(id, rule); }, this);
    dialog->open();
}

void AlertsPage::chooseDelivery()
{
    (new AlertDeliveryDialog(m_context.theme, *m_context.workspace, this))->open();
}

void AlertsPage::openRows(int row)
{
    if (!m_ruleRows || row < 0 || row >= m_ruleRows->rowCount() || !m_ruleRows->rowAt(row).rule || !m_context.session)
        return;
    const auto& watched = m_ruleRows->rowAt(row);
    const auto place = alertPlace(*watched.rule, watched.reading, *m_context.session);
    m_context.navigation.open(place.page.toStdString(), place.binding, place.filter);
}

void AlertsPage::openEvent(int row)
{
    if (!m_eventRows || row < 0 || row >= m_eventRows->rowCount() || !m_context.session)
        return;
    const auto& state = m_eventRows->rowAt(row).change.state;
    const auto place = alertPlace(state.rule, state.reading, *m_context.session);
    m_context.navigation.open(place.page.toStdString(), place.binding, place.filter);
}

QString AlertsPage::summary() const
{
    return m_summary->text();
}

QString AlertsPage::words() const
{
    return m_words->text();
}

void AlertsPage::activate()
{
    m_rules->setFocus();
}

void AlertsPage::reload()
{
    if (m_board)
        m_board->look();
}

void AlertsPage::setDense(bool dense)
{
    for (RowGrid* grid : { m_rules, m_events })
        grid->view().setRowHeight(dense ? space::denseRow : space::row);
}

PageStatus AlertsPage::status() const
{
    PageStatus status;
    if (m_ruleRows)
        status.rows = counted(m_ruleRows->rowCount(), tr("alert rule"), tr("alert rules"));
    return status;
}

bool AlertsPage::handles(std::string_view command) const
{
    return m_board && (command == "next-row" || command == "previous-row" || command == "alert-add");
}

void AlertsPage::run(std::string_view command)
{
    if (command == "alert-add")
        addRule();
    else if (command == "next-row")
        m_rules->view().moveCurrent(1, false);
    else if (command == "previous-row")
        m_rules->view().moveCurrent(-1, false);
}

QVariantMap AlertsPage::arrangement() const
{
    return { { QStringLiteral("rules"), m_rules->arrangement() },
        { QStringLiteral("events"), m_events->arrangement() } };
}

void AlertsPage::setArrangement(const QVariantMap& arrangement)
{
    m_rules->setArrangement(arrangement[QStringLiteral("rules")].toMap());
    m_events->setArrangement(arrangement[QStringLiteral("events")].toMap());
}

Page* makeAlertsPage(PageContext& context, QWidget* parent)
{
    return new AlertsPage(context, parent);
}

} // namespace fencepost::ui
