// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/connections_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QToolButton>

#include "ui/dialogs/confirm_dialog.h"
#include "ui/dialogs/connection_dialog.h"
#include "ui/pages.h"
#include "ui/theme.h"
#include "ui/widgets/bindings_view.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/policy_view.h"
#include "ui/widgets/survey_panel.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int idRole = Qt::UserRole; // empty: open without being saved
constexpr int environmentRole = Qt::UserRole + 1;
constexpr int urlRole = Qt::UserRole + 2;
constexpr int openRole = Qt::UserRole + 3;

// Name and address in two lines, the environment as icon and word, and whether it is the open one.
class ConnectionDelegate final : public QStyledItemDelegate {
public:
    ConnectionDelegate(const Theme& theme, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& /*index*/) const override
    {
        return { 200, 64 };
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool selected = option.state & QStyle::State_Selected;
        const QRect frame = option.rect.adjusted(4, 2, -4, -2);
        if (selected || option.state & QStyle::State_MouseOver) {
            painter->setBrush(m_theme.tint(Role::Accent, selected ? 16 : 8));
            painter->setPen(option.state & QStyle::State_HasFocus ? QPen(m_theme.color(Role::Accent), 1) : Qt::NoPen);
            painter->drawRoundedRect(QRectF(frame).adjusted(0.5, 0.5, -0.5, -0.5), space::radius, space::radius);
        }
        const EnvironmentLook look = environmentLook(index.data(environmentRole).toString().toStdString());
        const QColor colour = m_theme.color(look.role);
        const QRect inner = frame.adjusted(space::medium, space::small, -space::medium, -space::small);
        if (look.hatched)
            m_theme.paintHatch(*painter, QRectF(frame.left() + 1, frame.top() + 6, 5, frame.height() - 12), colour);
        else
            painter->fillRect(QRectF(frame.left() + 2, frame.top() + 8, 3, frame.height() - 16), colour);
        m_theme.paintIcon(*painter, QRectF(inner.left(), inner.top() + 3, space::icon, space::icon), look.icon, colour);

        QFont small = m_theme.font(Text::Caption);
        painter->setFont(small);
        painter->setPen(colour);
        const QString state =
            index.data(openRole).toBool() ? ConnectionsPage::tr("%1 · open").arg(look.word) : look.word;
        const int wordWidth = QFontMetrics(small).horizontalAdvance(state);
        painter->drawText(QRect(inner.right() - wordWidth, inner.top(), wordWidth + 1, 22), Qt::AlignVCenter, state);
        painter->setFont(m_theme.font(Text::Strong));
        painter->setPen(m_theme.color(Role::Text));
        const QRect name(inner.left() + 24, inner.top(), inner.width() - 24 - wordWidth - space::small, 22);
        painter->drawText(name, Qt::AlignVCenter,
            QFontMetrics(painter->font()).elidedText(index.data().toString(), Qt::ElideRight, name.width()));
        painter->setFont(m_theme.font(Text::MonoCaption));
        painter->setPen(m_theme.color(Role::Muted));
        const QRect url(inner.left() + 24, inner.top() + 24, inner.width() - 24, 18);
        painter->drawText(url, Qt::AlignVCenter,
            QFontMetrics(painter->font()).elidedText(index.data(urlRole).toString(), Qt::ElideMiddle, url.width()));
        painter->restore();
    }

private:
    const Theme& m_theme;
};

QLabel* makeSection(const Theme& theme, const QString& title)
{
    auto* label = new PlainLabel(title);
    label->setFont(theme.font(Text::Section));
    return label;
}

} // namespace

ConnectionsPage::ConnectionsPage(PageContext& context, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_workspace(*context.workspace)
    , m_header(new PageHeader(context.theme, tr("Connections"), this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_fileActions(new QWidget(this))
    , m_none(new EmptyState(context.theme, this))
    , m_panes(new QWidget(this))
{
    m_add = new QPushButton(context.theme.icon("add", Role::OnAccent), tr("Add a connection"), this);
    setKind(m_add, "primary");
    m_header->addRight(m_add);
    auto* restore = new QPushButton(tr("Use the backup"), m_fileActions);
    auto* aside = new QPushButton(tr("Set the file aside and start anew"), m_fileActions);
    auto* actions = new QHBoxLayout(m_fileActions);
    actions->setContentsMargins(0, 0, 0, 0);
    actions->addWidget(restore);
    actions->addWidget(aside);
    actions->addStretch();

    auto* panes = new QHBoxLayout(m_panes);
    panes->setContentsMargins(0, 0, 0, 0);
    panes->setSpacing(space::large);
    panes->addWidget(makeList());
    panes->addWidget(makeDetail(), 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, space::large, space::huge, space::large);
    layout->setSpacing(space::large);
    layout->addWidget(m_header);
    layout->addWidget(m_banner);
    layout->addWidget(m_fileActions);
    layout->addWidget(m_panes, 1);
    layout->addWidget(m_none, 1);

    connect(m_add, &QPushButton::clicked, this, [this] { edit({}); });
    connect(m_none, &EmptyState::acted, this, [this] { edit({}); });
    connect(restore, &QPushButton::clicked, this, [this] {
        if (const Status done = m_workspace.connections().restoreBackup(); !done)
            m_banner->report(tr("use the backup"), done.error());
    });
    connect(aside, &QPushButton::clicked, this, [this] {
        if (const auto done = m_workspace.connections().setAside(); !done)
            m_banner->report(tr("set the file aside"), done.error());
    });
    connect(&m_workspace.connections(), &models::Connections::changed, this, &ConnectionsPage::fill);
    connect(&m_workspace, &Workspace::keychainChanged, this, &ConnectionsPage::showDetail);
    connect(&context.theme, &Theme::changed, this, &ConnectionsPage::showDetail);
    if (context.session)
        connect(context.session, &models::Session::bindingsChanged, this, [this] {
            fill();
            openMapped();
            if (isVisible())
                survey();
        });
    connect(m_banner, &ErrorBanner::accepted, this, [this] {
        const auto* mapped = mappedBinding();
        if (mapped)
            m_context.navigation.open(pageOf(mapped->kind), text(mapped->name));
    });
    fill();
}

QWidget* ConnectionsPage::makeList()
{
    auto* pane = new QFrame(this);
    setPart(pane, "card");
    pane->setFixedWidth(320);
    m_list = new QListWidget(pane);
    m_list->setObjectName(QStringLiteral("connections"));
    m_list->setAccessibleName(tr("Connections"));
    m_list->setItemDelegate(new ConnectionDelegate(m_context.theme, m_list));
    m_list->setMouseTracking(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    const auto arrow = [this, pane](const char* icon, const QString& name, int by) {
        auto* button = new QToolButton(pane);
        button->setIcon(m_context.theme.icon(icon));
        button->setAccessibleName(name);
        button->setToolTip(name);
        connect(button, &QToolButton::clicked, this, [this, by] { move(by); });
        return button;
    };
    m_up = arrow("chevron-up", tr("Move up"), -1);
    m_down = arrow("chevron-down", tr("Move down"), 1);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(space::small, 0, space::small, 0);
    foot->addWidget(m_up);
    foot->addWidget(m_down);
    foot->addStretch();
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(1, space::small, 1, space::small);
    layout->addWidget(m_list, 1);
    layout->addLayout(foot);
    connect(m_list, &QListWidget::currentRowChanged, this, &ConnectionsPage::showDetail);
    connect(m_list, &QListWidget::itemActivated, this, [this] {
        if (const models::Connection* connection = chosen())
            openLater(connection->id);
    });
    return pane;
}

QWidget* ConnectionsPage::makeDetail()
{
    const Theme& theme = m_context.theme;
    auto* detail = new QWidget;
    detail->setProperty("part", QStringLiteral("background"));
    m_name = new ElidedLabel(theme, false, detail);
    m_name->setObjectName(QStringLiteral("name"));
    m_name->setFont(theme.font(Text::Title));
    m_name->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_environment = new EnvironmentChip(theme, detail);
    m_url = new ElidedLabel(theme, true, detail);
    m_access = new PlainLabel(detail);
    m_access->setWordWrap(true);
    m_keychain = new PlainLabel(detail);
    m_keychain->setWordWrap(true);
    setTone(m_keychain, "muted");
    m_open = new QPushButton(detail);
    m_open->setObjectName(QStringLiteral("open"));
    m_test = new QPushButton(theme.icon("connections"), tr("Test"), detail);
    m_edit = new QPushButton(theme.icon("edit"), tr("Edit"), detail);
    m_remove = new QPushButton(theme.icon("remove"), tr("Remove"), detail);
    m_test->setObjectName(QStringLiteral("test"));
    m_edit->setObjectName(QStringLiteral("edit"));
    m_remove->setObjectName(QStringLiteral("remove"));
    setKind(m_open, "primary");
    m_bindings = new BindingsView(theme, detail);
    m_survey = new SurveyPanel(theme, detail);
    m_surveyPart = new QWidget(detail);
    auto* surveyed = new QVBoxLayout(m_surveyPart);
    surveyed->setContentsMargins(0, space::large, 0, 0);
    surveyed->setSpacing(space::small);
    surveyed->addWidget(makeSection(theme, tr("All tables")));
    surveyed->addWidget(m_survey);
    m_policy = new PolicyView(theme, detail);

    auto* head = new QHBoxLayout;
    head->setSpacing(space::medium);
    head->addWidget(m_name);
    head->addWidget(m_environment);
    head->addStretch();
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(space::small);
    for (QPushButton* button : { m_open, m_test, m_edit, m_remove })
        buttons->addWidget(button);
    buttons->addStretch();
    auto* layout = new QVBoxLayout(detail);
    layout->setContentsMargins(0, 0, space::small, 0);
    layout->setSpacing(space::small);
    layout->addLayout(head);
    layout->addWidget(m_url);
    layout->addWidget(m_access);
    layout->addWidget(m_keychain);
    layout->addSpacing(space::tiny);
    layout->addLayout(buttons);
    layout->addSpacing(space::large);
    layout->addWidget(makeSection(theme, tr("Recognised tables")));
    layout->addWidget(m_bindings);
    layout->addWidget(m_surveyPart);
    layout->addSpacing(space::large);
    layout->addWidget(makeSection(theme, tr("Policy")));
    layout->addWidget(m_policy);
    layout->addStretch();
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("detail"));
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(detail);
    connect(m_open, &QPushButton::clicked, this, [this] {
        const models::Connection* connection = chosen();
        if (connection && !isOpen(*connection))
            openLater(connection->id);
        else if (connection || isUnsavedChosen())
            openLater({});
    });
    connect(m_test, &QPushButton::clicked, this, &ConnectionsPage::test);
    connect(m_edit, &QPushButton::clicked, this, [this] {
        if (const models::Connection* connection = chosen())
            edit(*connection);
    });
    connect(m_remove, &QPushButton::clicked, this, &ConnectionsPage::remove);
    connect(m_survey, &SurveyPanel::mapAsked, this, &ConnectionsPage::mapTable);
    connect(m_survey, &SurveyPanel::profileChosen, this, &ConnectionsPage::chooseProfile);
    connect(m_survey, &SurveyPanel::zoneAsked, this, &ConnectionsPage::askZone);
    connect(m_survey, &SurveyPanel::retryAsked, this, &ConnectionsPage::survey);
    connect(m_bindings, &BindingsView::mapAsked, this, [this](const QString& schema, const QString& table) {
        mapTable({ schema.toStdString(), table.toStdString() });
    });
    connect(m_bindings, &BindingsView::zoneAsked, this, &ConnectionsPage::askZone);
    connect(m_bindings, &BindingsView::profileChosen, this,
        [this](const QString& schema, const QString& table, const QString& profile) {
            chooseProfile({ schema.toStdString(), table.toStdString() }, profile);
        });
    return scroll;
}

void ConnectionsPage::activate()
{
    fill();
    survey();
}

bool ConnectionsPage::isLoading() const
{
    return m_survey->isLoading();
}

void ConnectionsPage::reload()
{
    if (m_context.session)
        m_context.session->reloadBindings();
}

bool ConnectionsPage::handles(std::string_view command) const
{
    return command == "next-row" || command == "previous-row";
}

void ConnectionsPage::run(std::string_view command)
{
    if (command == "connection-add")
        return edit({});
    const int step = command == "next-row" ? 1 : -1;
    if (m_list->count() > 0)
        m_list->setCurrentRow(std::clamp(m_list->currentRow() + step, 0, m_list->count() - 1));
}

const models::Connection* ConnectionsPage::chosen() const
{
    const QListWidgetItem* item = m_list->currentItem();
    return item ? m_workspace.connections().find(item->data(idRole).toString()) : nullptr;
}

bool ConnectionsPage::isOpen(const models::Connection& connection) const
{
    return m_workspace.session() && m_workspace.openId() == connection.id;
}

// A database of the command line is open without being among the saved ones.
bool ConnectionsPage::isUnsavedOpen() const
{
    return m_workspace.session() && !m_workspace.connections().find(m_workspace.openId());
}

bool ConnectionsPage::isUnsavedChosen() const
{
    return m_list->currentItem() && m_list->currentItem()->data(idRole).toString().isEmpty();
}

void ConnectionsPage::addItem(
    const QString& id, const QString& name, const QString& url, models::Environment environment, bool open)
{
    const QString word = models::wordOf(environment);
    auto* item = new QListWidgetItem(name, m_list);
    item->setData(idRole, id);
    item->setData(environmentRole, word);
    item->setData(urlRole, url);
    item->setData(openRole, open);
    item->setData(Qt::AccessibleTextRole, tr("%1, %2").arg(name, environmentLook(word.toStdString()).word));
}

void ConnectionsPage::addUnsavedItem()
{
    const models::SessionStatus status = m_workspace.session()->status();
    addItem({}, status.name,
        status.info ? tr("not saved · %1").arg(text(status.info->location)) : tr("this session, not saved"),
        status.environment, true);
}

void ConnectionsPage::fill()
{
    const models::Connection* before = chosen();
    const QString kept = before ? before->id : m_workspace.openId();
    {
        const QSignalBlocker quiet(m_list);
        m_list->clear();
        if (isUnsavedOpen())
            addUnsavedItem();
        for (const models::Connection& connection : m_workspace.connections().all())
            addItem(connection.id, connection.name, connection.url, connection.environment, isOpen(connection));
        for (int row = 0; row < m_list->count(); ++row)
            if (m_list->item(row)->data(idRole).toString() == kept)
                m_list->setCurrentRow(row);
        if (!m_list->currentItem() && m_list->count() > 0)
            m_list->setCurrentRow(0);
    }
    const bool none = m_list->count() == 0 && !m_workspace.session();
    m_panes->setVisible(!none);
    m_list->parentWidget()->setVisible(m_list->count() > 0);
    if (none)
        m_none->show(Emptiness::NoRows, tr("No connection yet"),
            tr("Fencepost reads idempotency, inbox and dead-letter tables of SQLite and PostgreSQL, read-only until "
               "you arm it."),
            tr("Add a connection"));
    m_none->setVisible(none && !m_workspace.connections().error());
    showFileProblem();
    showDetail();
}

void ConnectionsPage::showFileProblem()
{
    const auto& error = m_workspace.connections().error();
    m_fileActions->setVisible(error.has_value());
    m_add->setEnabled(!error);
    if (error)
        m_banner->report(tr("read your connections"), *error);
}

void ConnectionsPage::showDetail()
{
    const models::Connection* connection = chosen();
    const models::Session* session = m_workspace.session();
    const bool transient = isUnsavedChosen() && session;
    const auto status = session ? std::optional(session->status()) : std::nullopt;
    const bool open = transient || (connection && isOpen(*connection));
    m_name->setText(transient ? status->name : connection ? connection->name : QString());
    m_environment->setVisible(connection || transient);
    m_environment->setEnvironment(models::wordOf(transient ? status->environment
            : connection                                   ? connection->environment
                                                           : models::Environment::Local));
    m_url->setText(connection ? connection->url : transient && status->info ? text(status->info->location) : QString());
    const bool never = connection && connection->readOnly;
    const QString access = never ? tr("Read-only always: it can never be armed.")
                                 : tr("Read-only until armed, enforced by the database itself. That guards against "
                                      "accidents; a role without rights is the real guard.");
    m_access->setText(
        transient ? tr("Opened for this session and not saved among the connections. %1").arg(access) : access);
    m_keychain->setText(m_workspace.keychain() == Keychain::Missing
            ? tr("No keychain is running: passwords are asked for each time and live in memory until the connection is "
                 "closed. PGPASSFILE, a "
                 "service file and the environment work as well. Fencepost never writes a password to a file.")
            : tr("Passwords are kept in the system's keychain."));
    m_keychain->setVisible(!connection || connection->url.startsWith(QLatin1String("postgresql:")));
    m_open->setText(open ? tr("Close") : tr("Open"));
    setKind(m_open, open ? "plain" : "primary");
    m_open->setVisible(connection || transient);
    for (QPushButton* button : { m_test, m_edit, m_remove })
        button->setVisible(connection);
    const int place = placeOfChosen();
    m_up->setEnabled(place > 0);
    m_down->setEnabled(place >= 0 && place + 1 < m_workspace.connections().all().size());
    std::vector<Binding> bindings;
    if (open && session) {
        for (const models::BindingPtr& binding : session->bindings())
            bindings.push_back(*binding);
    }
    m_surveyPart->setVisible(open && session);
    m_bindings->show(bindings,
        open ? tr("None of the schema profiles fits a table of this database.")
             : tr("Open or test the connection to see its tables."));
    // The policy is found beside the database that is open, and says nothing about another one.
    if (open)
        m_policy->show(m_workspace.policy(), m_workspace.policyPath());
    else
        m_policy->showNone(tr("Open the connection to see what its services were told."));
}

// Among the saved ones; -1: none of them is chosen.
int ConnectionsPage::placeOfChosen() const
{
    const models::Connection* connection = chosen();
    return connection ? static_cast<int>(connection - m_workspace.connections().all().constData()) : -1;
}

void ConnectionsPage::edit(const models::Connection& connection)
{
    auto* dialog = new ConnectionDialog(m_context.theme, m_workspace, connection, this);
    connect(dialog, &ConnectionDialog::saved, this, [this](const QString& id) {
        for (int row = 0; row < m_list->count(); ++row) {
            if (m_list->item(row)->data(idRole).toString() == id)
                m_list->setCurrentRow(row);
        }
    });
    dialog->open();
}

void ConnectionsPage::remove()
{
    const models::Connection* connection = chosen();
    if (!connection)
        return;
    auto* dialog = new ConfirmDialog(m_context.theme,
        { .title = tr("Remove %1").arg(connection->name),
            .explanation =
                tr("Its definition and its password in the keychain are removed. The database is not touched."),
            .button = tr("Remove 1 connection"),
            .environment = models::wordOf(connection->environment),
            .place = connection->name },
        this);
    connect(dialog, &QDialog::accepted, this, [this, id = connection->id] {
        const bool open = m_workspace.openId() == id;
        if (const Status removed = m_workspace.connections().remove(id); !removed)
            return m_banner->report(tr("remove the connection"), removed.error());
        m_workspace.forgetPassword(id);
        if (open)
            openLater({});
    });
    dialog->open();
}

// A session takes the pages with it when it closes, this one and its dialogs too: not while one of them is still at
// work. An empty id only closes.
void ConnectionsPage::openLater(const QString& id)
{
    QTimer::singleShot(0, &m_workspace, [&workspace = m_workspace, id] {
        if (id.isEmpty())
            workspace.close();
        else
            workspace.open(id);
    });
}

void ConnectionsPage::move(int by)
{
    const models::Connection* connection = chosen();
    if (!connection)
        return;
    if (const Status moved = m_workspace.connections().move(connection->id, placeOfChosen() + by); !moved)
        m_banner->report(tr("move the connection"), moved.error());
}

void ConnectionsPage::test()
{
    const models::Connection* connection = chosen();
    if (!connection)
        return;
    m_banner->tell("information", tr("Connecting to %1…").arg(connection->name));
    m_test->setEnabled(false);
    const int number = ++m_tests;
    m_workspace.test(*connection, {},
        [self = QPointer(this), number, id = connection->id, name = connection->name](
            const Result<ConnectionReport>& answer) {
            if (!self || number != self->m_tests)
                return;
            self->m_test->setEnabled(true);
            if (!answer)
                return self->m_banner->report(tr("connect to %1").arg(name), answer.error());
            self->m_banner->tell("good",
                tr("%1: %2 %3 answered in %4, %5.")
                    .arg(name, text(answer->info.product), text(answer->info.version),
                        text(formatDuration(answer->roundTrip)),
                        counted(static_cast<std::int64_t>(answer->bindings.size()), tr("recognised table"),
                            tr("recognised tables"))));
            // Another one may have been chosen meanwhile.
            if (self->chosen() && self->chosen()->id == id)
                self->m_bindings->show(
                    answer->bindings, tr("None of the schema profiles fits a table of this database."));
        });
}

Page* makeConnectionsPage(PageContext& context, QWidget* parent)
{
    return new ConnectionsPage(context, parent);
}

} // namespace fencepost::ui
