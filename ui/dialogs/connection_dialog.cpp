// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/connection_dialog.h"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>

#include "ui/theme.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/file_chooser.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int labelWidth = 148;
constexpr int portWidth = 110;

const char* const sslModes[] = { "", "disable", "allow", "prefer", "require", "verify-ca", "verify-full" };
const char* const sessionAttributes[] = { "", "any", "read-write", "read-only", "primary", "standby",
    "prefer-standby" };

QFormLayout* makeForm(QWidget* parent)
{
    auto* form = parent ? new QFormLayout(parent) : new QFormLayout;
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(space::medium);
    form->setVerticalSpacing(space::small);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    return form;
}

QLabel* makeLabel(const QString& words, QWidget* buddy)
{
    auto* label = new PlainLabel(words);
    label->setMinimumWidth(labelWidth);
    label->setBuddy(buddy);
    return label;
}

} // namespace

ConnectionDialog::ConnectionDialog(
    const Theme& theme, Workspace& workspace, const models::Connection& connection, QWidget* parent)
    : QDialog(parent)
    , m_theme(theme)
    , m_workspace(workspace)
    , m_before(connection)
    , m_band(new EnvironmentBand(theme, this))
    , m_banner(new ErrorBanner(theme, this))
    , m_name(new QLineEdit(this))
    , m_environment(new QComboBox(this))
    , m_kind(new QComboBox(this))
    , m_readOnly(new QCheckBox(tr("Never arm: this connection can only read"), this))
    , m_test(new QPushButton(tr("Test"), this))
    , m_save(new QPushButton(tr("Save connection"), this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(connection.id.isEmpty() ? tr("Add a connection") : tr("Edit %1").arg(connection.name));
    auto* title = new PlainLabel(windowTitle(), this);
    title->setFont(theme.font(Text::Title));
    m_name->setObjectName(QStringLiteral("name"));
    m_name->setAccessibleName(tr("Name"));
    m_name->setPlaceholderText(tr("orders-prod"));
    m_environment->setObjectName(QStringLiteral("environment"));
    m_environment->setAccessibleName(tr("Environment"));
    for (const models::Environment environment : models::environments) {
        const QString word = models::wordOf(environment);
        const EnvironmentLook look = environmentLook(word.toStdString());
        m_environment->addItem(theme.icon(look.icon, look.role), look.word, word);
    }
    m_kind->setObjectName(QStringLiteral("kind"));
    m_kind->setAccessibleName(tr("Kind of database"));
    m_kind->addItem(theme.icon("database"), tr("SQLite file"));
    m_kind->addItem(theme.icon("database"), tr("PostgreSQL"));
    m_readOnly->setObjectName(QStringLiteral("readOnly"));
    m_sqlite = makeSqlite();
    m_postgres = makePostgres();
    m_test->setObjectName(QStringLiteral("test"));
    m_save->setObjectName(QStringLiteral("save"));
    setKind(m_save, "primary");
    auto* cancel = new QPushButton(tr("Cancel"), this);

    auto* form = makeForm(nullptr);
    form->addRow(makeLabel(tr("Name"), m_name), m_name);
    form->addRow(makeLabel(tr("Environment"), m_environment), m_environment);
    form->addRow(makeLabel(tr("Database"), m_kind), m_kind);
    auto* note = new PlainLabel(
        tr("Every session starts read-only, enforced by the database. That guards against accidents; a role without "
           "rights is the real guard."),
        this);
    note->setWordWrap(true);
    setTone(note, "muted");
    auto* body = new QWidget(this);
    body->setProperty("part", QStringLiteral("background"));
    auto* bodyLayout = new QVBoxLayout(body);
    bodyLayout->setContentsMargins(space::huge, space::large, space::huge, space::small);
    bodyLayout->setSpacing(space::medium);
    bodyLayout->addWidget(title);
    bodyLayout->addLayout(form);
    bodyLayout->addWidget(m_sqlite);
    bodyLayout->addWidget(m_postgres);
    bodyLayout->addWidget(m_readOnly);
    bodyLayout->addWidget(note);
    bodyLayout->addStretch();
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(body);

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_test);
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_save);
    auto* foot = new QVBoxLayout;
    foot->setContentsMargins(space::huge, space::small, space::huge, space::large);
    foot->setSpacing(space::medium);
    foot->addWidget(m_banner);
    foot->addLayout(buttons);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_band);
    layout->addWidget(scroll, 1);
    layout->addLayout(foot);

    connect(m_kind, &QComboBox::currentIndexChanged, this, &ConnectionDialog::showKind);
    connect(m_environment, &QComboBox::currentIndexChanged, this, &ConnectionDialog::showEnvironment);
    connect(m_name, &QLineEdit::textChanged, this, &ConnectionDialog::showEnvironment);
    connect(&workspace, &Workspace::keychainChanged, this, &ConnectionDialog::showKeychain);
    connect(m_test, &QPushButton::clicked, this, &ConnectionDialog::test);
    connect(m_save, &QPushButton::clicked, this, &ConnectionDialog::save);
    connect(m_banner, &ErrorBanner::acted, this, &ConnectionDialog::test);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    fill(connection);
    showKind();
    showEnvironment();
    showKeychain();
    // As they are read; the fields of the two kinds are made after the parts that stand below them.
    for (const auto& [before, after] : { std::pair<QWidget*, QWidget*>{ m_passFile, m_readOnly },
             { m_readOnly, m_test }, { m_test, cancel }, { cancel, m_save } })
        setTabOrder(before, after);
    m_save->setDefault(true);
    m_name->setFocus();
}

QLineEdit* ConnectionDialog::makeField(const QString& label, const QString& name, const QString& placeholder)
{
    auto* field = new QLineEdit(this);
    field->setObjectName(name);
    field->setAccessibleName(label);
    field->setPlaceholderText(placeholder);
    return field;
}

QLineEdit* ConnectionDialog::addField(
    QFormLayout* form, const QString& label, const QString& name, const QString& placeholder)
{
    auto* field = makeField(label, name, placeholder);
    form->addRow(makeLabel(label, field), field);
    return field;
}

void ConnectionDialog::addPair(QFormLayout* form, const QString& label, QLineEdit* first, QLineEdit* second)
{
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addWidget(first, 1);
    line->addWidget(second, 1);
    form->addRow(makeLabel(label, first), line);
}

QWidget* ConnectionDialog::makeSqlite()
{
    auto* part = new QWidget(this);
    auto* form = makeForm(part);
    m_path = new QLineEdit(part);
    m_path->setObjectName(QStringLiteral("path"));
    m_path->setAccessibleName(tr("File"));
    m_path->setPlaceholderText(tr("/var/lib/orders/keys.db"));
    auto* choose = new QPushButton(tr("Choose…"), part);
    choose->setAccessibleName(tr("Choose a file"));
    auto* row = new QHBoxLayout;
    row->setSpacing(space::small);
    row->addWidget(m_path, 1);
    row->addWidget(choose);
    form->addRow(makeLabel(tr("File"), m_path), row);
    connect(choose, &QPushButton::clicked, this, &ConnectionDialog::chooseFile);
    return part;
}

QWidget* ConnectionDialog::makePostgres()
{
    auto* part = new QWidget(this);
    auto* form = makeForm(part);
    m_host = makeField(tr("Host"), QStringLiteral("host"), tr("db1.example, or several: db1,db2"));
    m_port = makeField(tr("Port"), QStringLiteral("port"), QStringLiteral("5432"));
    m_port->setFixedWidth(portWidth);
    addPair(form, tr("Host and port"), m_host, m_port);
    m_database = addField(form, tr("Database"), QStringLiteral("database"), tr("orders"));
    m_user = addField(form, tr("User"), QStringLiteral("user"), tr("fencepost_reader"));
    m_password =
        addField(form, tr("Password"), QStringLiteral("password"), tr("empty: keychain, PGPASSFILE or environment"));
    m_password->setEchoMode(QLineEdit::Password);
    m_remember = new QCheckBox(part);
    m_remember->setObjectName(QStringLiteral("remember"));
    form->addRow(makeLabel({}, m_remember), m_remember);
    m_sslMode = new QComboBox(part);
    m_sslMode->setObjectName(QStringLiteral("sslMode"));
    m_sslMode->setAccessibleName(tr("TLS"));
    for (const char* mode : sslModes)
        m_sslMode->addItem(*mode ? QLatin1String(mode) : tr("as libpq decides (prefer)"), QLatin1String(mode));
    form->addRow(makeLabel(tr("TLS"), m_sslMode), m_sslMode);
    m_sslRootCert = addField(form, tr("Root certificate"), QStringLiteral("sslRootCert"), tr("~/.postgresql/root.crt"));
    m_sslCert = makeField(tr("Client certificate"), QStringLiteral("sslCert"), tr("postgresql.crt"));
    m_sslKey = makeField(tr("Client key"), QStringLiteral("sslKey"), tr("postgresql.key"));
    addPair(form, tr("Client certificate, key"), m_sslCert, m_sslKey);
    m_target = new QComboBox(part);
    m_target->setObjectName(QStringLiteral("target"));
    m_target->setAccessibleName(tr("Target session attributes"));
    for (const char* attribute : sessionAttributes)
        m_target->addItem(*attribute ? QLatin1String(attribute) : tr("any server"), QLatin1String(attribute));
    form->addRow(makeLabel(tr("Which server"), m_target), m_target);
    m_service = addField(form, tr("Service"), QStringLiteral("service"), tr("of pg_service.conf"));
    m_schema = addField(form, tr("Schema"), QStringLiteral("schema"), tr("empty: the role's search path"));
    m_passFile = addField(form, tr("Password file"), QStringLiteral("passFile"), tr("~/.pgpass"));
    return part;
}

void ConnectionDialog::fill(const models::Connection& connection)
{
    m_name->setText(connection.name);
    m_environment->setCurrentIndex(m_environment->findData(models::wordOf(connection.environment)));
    m_readOnly->setChecked(connection.readOnly);
    const auto parsed = connection.url.isEmpty() ? Result<Address>(Address{}) : m_workspace.addressOf(connection.url);
    if (!parsed) {
        m_banner->report(tr("read the address of this connection"), parsed.error());
        return;
    }
    const Address& address = *parsed;
    m_kind->setCurrentIndex(address.sqlite ? 0 : 1);
    m_path->setText(address.path);
    m_host->setText(address.host);
    m_port->setText(address.port);
    m_database->setText(address.database);
    m_user->setText(address.user);
    m_sslMode->setCurrentIndex(std::max(0, m_sslMode->findData(address.sslMode)));
    m_sslRootCert->setText(address.sslRootCert);
    m_sslCert->setText(address.sslCert);
    m_sslKey->setText(address.sslKey);
    m_target->setCurrentIndex(std::max(0, m_target->findData(address.targetSessionAttrs)));
    m_service->setText(address.service);
    m_schema->setText(address.schema);
    m_passFile->setText(address.passFile);
}

Address ConnectionDialog::address() const
{
    const auto words = [](const QLineEdit* field) { return field->text().trimmed(); };
    if (m_kind->currentIndex() == 0)
        return { .sqlite = true, .path = words(m_path) };
    return { .sqlite = false,
        .host = words(m_host),
        .port = words(m_port),
        .database = words(m_database),
        .user = words(m_user),
        .service = words(m_service),
        .schema = words(m_schema),
        .sslMode = m_sslMode->currentData().toString(),
        .sslRootCert = words(m_sslRootCert),
        .sslCert = words(m_sslCert),
        .sslKey = words(m_sslKey),
        .targetSessionAttrs = m_target->currentData().toString(),
        .passFile = words(m_passFile) };
}

models::Connection ConnectionDialog::connection() const
{
    models::Connection connection = m_before;
    connection.name = m_name->text().trimmed();
    connection.environment =
        models::environmentOf(m_environment->currentData().toString()).value_or(models::Environment::Local);
    connection.url = m_workspace.urlOf(address());
    connection.readOnly = m_readOnly->isChecked();
    return connection;
}

void ConnectionDialog::test()
{
    models::Connection tested = connection();
    if (tested.name.isEmpty())
        tested.name = tr("this connection");
    if (const Status checked = models::check(tested); !checked)
        return m_banner->report(tr("test the connection"), checked.error());
    m_banner->tell("information", tr("Connecting…"));
    m_test->setEnabled(false);
    const int number = ++m_tests;
    m_workspace.test(
        tested, m_password->text(), [self = QPointer(this), number](const Result<ConnectionReport>& answer) {
            if (!self || number != self->m_tests)
                return;
            self->m_test->setEnabled(true);
            if (!answer)
                return self->m_banner->report(tr("connect"), answer.error());
            const DatabaseInfo& info = answer->info;
            QStringList tables;
            for (const Binding& binding : answer->bindings)
                tables += text(binding.name);
            self->m_banner->tell(tables.isEmpty() ? "warning" : "good",
                tr("%1 %2 answered in %3. %4")
                    .arg(text(info.product), text(info.version), text(formatDuration(answer->roundTrip)),
                        tables.isEmpty() ? tr("No table is recognised.")
                                         : tr("Recognised: %1.").arg(tables.join(QStringLiteral(", ")))));
        });
}

void ConnectionDialog::save()
{
    const models::Connection edited = connection();
    if (edited.id.isEmpty()) {
        const Result<QString> added = m_workspace.connections().add(edited);
        if (!added)
            return m_banner->report(tr("add the connection"), added.error());
        m_before = edited;
        m_before.id = *added;
    } else {
        if (const Status updated = m_workspace.connections().update(edited); !updated)
            return m_banner->report(tr("change the connection"), updated.error());
    }
    keep();
}

// The connection is kept already; a keychain that fails leaves the dialog open and says so.
void ConnectionDialog::keep()
{
    const QString id = m_before.id;
    if (m_password->text().isEmpty() || !m_remember->isChecked() || !m_remember->isEnabled()) {
        Q_EMIT saved(id);
        return accept();
    }
    m_save->setEnabled(false);
    m_workspace.keepPassword(id, m_password->text(), [self = QPointer(this), id](const Status& kept) {
        if (!self)
            return;
        self->m_save->setEnabled(true);
        Q_EMIT self->saved(id);
        if (kept)
            return self->accept();
        self->m_banner->report(tr("keep the password; the connection itself is saved"), kept.error());
    });
}

// As high as its fields, so that nothing has to be scrolled where the screen has room.
void ConnectionDialog::showKind()
{
    const bool sqlite = m_kind->currentIndex() == 0;
    m_sqlite->setVisible(sqlite);
    m_postgres->setVisible(!sqlite);
    // Its buttons must be in sight on a low screen, too; there the fields scroll.
    const QRect room = screen()->availableGeometry();
    const int frame = frameGeometry().height() - height();
    resize(620, std::min(sqlite ? 430 : 784, room.height() - frame));
    if (!isVisible())
        return;
    const int lowest = room.bottom() + 1 - height() - frame;
    move(pos().x(), std::clamp(pos().y(), room.top(), std::max(room.top(), lowest)));
}

void ConnectionDialog::showEnvironment()
{
    m_band->show(m_environment->currentData().toString(), m_name->text().trimmed());
}

void ConnectionDialog::showKeychain()
{
    const bool usable = m_workspace.keychain() == Keychain::Usable;
    m_remember->setEnabled(usable);
    m_remember->setChecked(usable);
    m_remember->setText(usable ? tr("Keep the password in the system's keychain")
            : m_workspace.keychain() == Keychain::Unknown
            ? tr("Looking for the system's keychain")
            : tr("No keychain is running: the password is asked for each time"));
}

void ConnectionDialog::chooseFile()
{
    auto* chooser = newFileChooser(this, tr("Choose an SQLite file"));
    chooser->setFileMode(QFileDialog::ExistingFile);
    chooser->selectFile(m_path->text());
    connect(chooser, &QFileDialog::fileSelected, m_path, &QLineEdit::setText);
    chooser->open();
}

} // namespace fencepost::ui
