// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/audit_page.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QGuiApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QPushButton>

#include "core/operations/operation.h"
#include "models/files.h"
#include "models/session.h"
#include "ui/operation_words.h"
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
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr auto auditInterval = std::chrono::milliseconds(2000);
constexpr int exportPage = 500;

Result<std::vector<AuditEntry>> allEntries(Backend& backend, AuditRequest request)
{
    std::vector<AuditEntry> all;
    request.limit = exportPage;
    while (true) {
        auto page = backend.inspector().audit(request);
        if (!page)
            return page.error();
        const bool last = page->size() < std::size_t(exportPage);
        if (!page->empty())
            request.beforeSeq = page->back().seq;
        std::move(page->begin(), page->end(), std::back_inserter(all));
        if (last)
            return all;
    }
}

} // namespace

AuditPage::AuditPage(PageContext& context, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_request(new QLineEdit(this))
    , m_verdict(new PlainLabel(this))
    , m_verify(new QPushButton(context.theme.icon("good"), tr("Verify the chain"), this))
    , m_undo(new QPushButton(context.theme.icon("undo"), tr("Undo…"), this))
    , m_exportButton(new QPushButton(context.theme.icon("save"), tr("Export…"), this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_grid(new RowGrid(context.theme, this))
    , m_card(new QFrame(this))
    , m_facts(new FieldList(context.theme, m_card))
{
    build();
    if (!context.session) {
        m_grid->emptyState().show(
            Emptiness::ConnectionLost, tr("No connection is open"), tr("Open one on the page Connections."));
        return;
    }
    m_model = new models::AuditModel(context.session->reads(), this);
    m_model->setZone(context.zone.value());
    m_grid->setModel(m_model);
    m_grid->setWords(tr("audit entries"));
    m_grid->setLayoutName(QStringLiteral("audit"));
    m_grid->setSelectable(false);
    connect(&context.zone, &ZoneSetting::changed, m_model, [this] { m_model->setZone(m_context.zone.value()); });
    connect(m_model, &models::RowsModelBase::loaded, this, [this] {
        m_banner->clear();
        showCurrent();
        Q_EMIT statusChanged();
    });
    connect(m_model, &models::RowsModelBase::statusChanged, this, &Page::statusChanged);
    connect(m_model, &models::RowsModelBase::failed, this, [this](const Error& error) {
        if (!m_context.session->lost())
            m_banner->report(tr("read the audit"), error);
    });
    showCurrent();
}

void AuditPage::build()
{
    setPart(this, "surface");
    m_request->setPlaceholderText(tr("Request id: only its entries"));
    addClearButton(*m_request, m_context.theme);
    m_request->setAccessibleName(tr("Request id"));
    m_request->setFont(m_context.theme.font(Text::Mono));
    m_request->addAction(m_context.theme.icon("filter", Role::Muted), QLineEdit::LeadingPosition);
    m_verdict->setWordWrap(true);
    m_verdict->setAccessibleName(tr("Verdict"));
    showNoVerdict();
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addWidget(m_request, 1);
    line->addWidget(m_undo);
    line->addWidget(m_exportButton);
    line->addWidget(m_verify);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(space::large, space::medium, space::large, space::medium);
    head->setSpacing(space::small);
    head->addLayout(line);
    head->addWidget(m_verdict);
    head->addWidget(m_banner);
    auto* hairline = new QFrame(this);
    setPart(hairline, "line");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(hairline);
    layout->addWidget(m_grid, 1);
    auto* below = new QFrame(this);
    setPart(below, "line");
    layout->addWidget(below);
    auto* card = new QVBoxLayout(m_card);
    card->setContentsMargins(space::large, space::medium, space::large, space::medium);
    card->addWidget(m_facts);
    layout->addWidget(m_card);
    m_card->hide();
    m_banner->clear();

    connect(m_request, &QLineEdit::returnPressed, this, [this] { showRequest(m_request->text().trimmed()); });
    connect(m_request, &QLineEdit::textChanged, this, [this](const QString& typed) {
        if (typed.isEmpty())
            showRequest({});
    });
    connect(m_verify, &QPushButton::clicked, this, &AuditPage::verify);
    connect(m_exportButton, &QPushButton::clicked, this, &AuditPage::exportEntries);
    connect(m_undo, &QPushButton::clicked, this, [this] {
        if (const auto* entry = current())
            m_context.navigation.undo(text(entry->requestId));
    });
    connect(m_grid, &RowGrid::currentRowChanged, this, &AuditPage::showCurrent);
    connect(m_grid, &RowGrid::rowActivated, this, [this] {
        if (const auto* entry = current())
            m_request->setText(text(entry->requestId));
        showRequest(m_request->text());
    });
    connect(m_grid, &RowGrid::copyAsked, this, [this] { run("copy-key"); });
    connect(m_grid, &RowGrid::retryAsked, this, &AuditPage::reload);
    connect(m_banner, &ErrorBanner::acted, this, [this](Failure failure) {
        if (failure == Failure::Denied)
            m_context.navigation.open("connections");
        else
            reload();
    });
}

void AuditPage::activate()
{
    if (!m_model)
        return;
    if (!std::exchange(m_loaded, true))
        m_model->showAll();
    else
        m_model->refresh();
    m_grid->setFocus();
}

void AuditPage::show(const QString&, const QString& filter)
{
    if (filter.isNull())
        return;
    m_request->setText(filter);
    showRequest(filter);
}

void AuditPage::showRequest(const QString& requestId)
{
    if (!m_model)
        return;
    m_loaded = true;
    m_shown = requestId.isNull() ? QStringLiteral("") : requestId;
    if (requestId.isEmpty())
        m_model->showAll();
    else
        m_model->showRequest(requestId);
}

void AuditPage::reload()
{
    if (m_model)
        m_model->refresh();
}

void AuditPage::setDense(bool dense)
{
    m_grid->view().setRowHeight(dense ? space::denseRow : space::row);
}

void AuditPage::setLive(bool live)
{
    if (m_model)
        m_model->setLive(live ? auditInterval : std::chrono::milliseconds(0));
}

QWidget* AuditPage::filterField() const
{
    return m_request;
}

PageStatus AuditPage::status() const
{
    PageStatus status;
    if (!m_model)
        return status;
    status.rows = tr("%1 entries").arg(countText(m_model->estimatedSize()));
    status.readAt = m_model->loadedAt();
    status.stale = m_model->stale();
    return status;
}

const AuditEntry* AuditPage::current() const
{
    const int row = m_grid->view().currentRow();
    return m_model && row >= 0 && row < m_model->rowCount() ? &m_model->rowAt(row) : nullptr;
}

void AuditPage::showCurrent()
{
    const auto* entry = current();
    showEntry(entry);
    const auto why = entry ? whyNoUndo(*entry, bindingOf(*entry).get()) : tr("no entry is chosen");
    m_undo->setEnabled(why.isEmpty());
    m_undo->setToolTip(plainToolTip(why.isEmpty() ? tr("Make the plan that takes this request back") : why));
    m_undo->setAccessibleDescription(why);
}

models::BindingPtr AuditPage::bindingOf(const AuditEntry& entry) const
{
    return m_context.session->binding(text(entry.binding));
}

void AuditPage::showEntry(const AuditEntry* entry)
{
    m_card->setVisible(entry != nullptr);
    if (!entry)
        return;
    const auto parameters = entry->parameters == "{}" ? QString() : text(entry->parameters);
    m_facts->setLines({ { tr("Reason"), text(entry->reason), {}, false, nullptr },
        { tr("Why not"), sentence(entry->detail), {}, false, "warning" },
        { tr("Row"), text(entry->identity), text(entry->binding), true, nullptr },
        { tr("Parameters"), parameters, {}, true, nullptr },
        { tr("Request"), text(entry->requestId), tr("item %1").arg(entry->item), true, nullptr },
        { tr("Undo"), undoText(*entry, bindingOf(*entry).get()), {}, false, nullptr },
        { tr("Hash"), text(entry->hash), {}, true, nullptr } });
}

bool AuditPage::handles(std::string_view command) const
{
    return m_model
        && (command == "copy-key" || command == "copy-as" || command == "next-row" || command == "previous-row");
}

void AuditPage::run(std::string_view command)
{
    if (command == "next-row")
        m_grid->view().moveCurrent(1, false);
    if (command == "previous-row")
        m_grid->view().moveCurrent(-1, false);
    const auto* entry = current();
    if (entry && command == "copy-key")
        QGuiApplication::clipboard()->setText(text(entry->requestId));
    if (entry && command == "copy-as")
        QGuiApplication::clipboard()->setText(QString::fromUtf8(jsonLine(*entry)));
}

void AuditPage::verify()
{
    if (!m_model)
        return;
    m_verify->setEnabled(false);
    setTone(m_verdict, "muted");
    m_verdict->setText(tr("Walking the chain…"));
    models::deliver(m_model->verify(), this, [this](const Result<AuditVerdict>& answer) { showVerdict(answer); });
}

// The line is there before there is a verdict, so that one moves no rows.
void AuditPage::showNoVerdict()
{
    setTone(m_verdict, "muted");
    m_verdict->setText(tr("The chain has not been verified since this page was opened."));
}

void AuditPage::showVerdict(const Result<AuditVerdict>& answer)
{
    m_verify->setEnabled(true);
    if (!answer) {
        showNoVerdict();
        return m_banner->report(tr("verify the audit"), answer.error());
    }
    if (answer->intact) {
        setTone(m_verdict, "good");
        m_verdict->setText(tr("The chain is whole: %1. Its end is %2.")
                               .arg(counted(answer->entries, tr("entry"), tr("entries")),
                                   answer->head.empty() ? tr("empty") : text(answer->head)));
        return;
    }
    setTone(m_verdict, "danger");
    const auto where = answer->brokenAt ? tr(" at entry %1").arg(numberText(*answer->brokenAt)) : QString();
    m_verdict->setText(tr("The chain is broken%1: %2").arg(where, text(answer->reason)));
}

QString AuditPage::verdict() const
{
    return m_verdict->text();
}

void AuditPage::exportEntries()
{
    if (!m_model)
        return;
    auto* chooser = newFileChooser(this, tr("Export audit entries"));
    chooser->setAcceptMode(QFileDialog::AcceptSave);
    chooser->setDefaultSuffix(QStringLiteral("jsonl"));
    chooser->selectFile(QStringLiteral("audit-%1.jsonl").arg(m_context.connection));
    connect(chooser, &QFileDialog::fileSelected, this, [this](const QString& path) {
        AuditRequest request;
        if (const auto id = m_request->text().trimmed(); !id.isEmpty())
            request.requestId = id.toStdString();
        m_export.start(
            m_context.session->reads(), [request](Backend& backend) { return allEntries(backend, request); },
            [this, path](const Result<std::vector<AuditEntry>>& answer) {
                if (answer)
                    write(path, *answer);
                else
                    m_banner->report(tr("export the audit"), answer.error());
            });
    });
    chooser->open();
}

void AuditPage::write(const QString& path, const std::vector<AuditEntry>& entries)
{
    QByteArray lines;
    for (const auto& entry : entries)
        lines += jsonLine(entry) + '\n';
    const auto written = models::replaceFile(path, lines);
    if (written)
        m_banner->tell("good",
            tr("%1 written to %2").arg(counted(std::int64_t(entries.size()), tr("entry"), tr("entries")), path));
    else
        m_banner->report(tr("write the export"), written.error());
}

QVariantMap AuditPage::arrangement() const
{
    return m_grid->arrangement();
}

void AuditPage::setArrangement(const QVariantMap& arrangement)
{
    m_grid->setArrangement(arrangement);
}

Page* makeAuditPage(PageContext& context, QWidget* parent)
{
    return new AuditPage(context, parent);
}

QByteArray jsonLine(const AuditEntry& entry)
{
    const QJsonObject object{
        { QStringLiteral("seq"), qint64(entry.seq) },
        { QStringLiteral("at"), text(formatInstant(entry.at)) },
        { QStringLiteral("request"), text(entry.requestId) },
        { QStringLiteral("item"), entry.item },
        { QStringLiteral("verb"), text(entry.verb) },
        { QStringLiteral("binding"), text(entry.binding) },
        { QStringLiteral("identity"), text(entry.identity) },
        { QStringLiteral("outcome"), text(entry.outcome) },
        { QStringLiteral("detail"), text(entry.detail) },
        { QStringLiteral("before"), text(entry.before) },
        { QStringLiteral("after"), text(entry.after) },
        { QStringLiteral("parameters"), text(entry.parameters) },
        { QStringLiteral("actor"), text(entry.actor) },
        { QStringLiteral("reason"), text(entry.reason) },
        { QStringLiteral("previous"), text(entry.previous) },
        { QStringLiteral("hash"), text(entry.hash) },
    };
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

} // namespace fencepost::ui
