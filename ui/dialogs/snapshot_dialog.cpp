// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/snapshot_dialog.h"

#include <QComboBox>

#include "models/operator.h"
#include "models/session.h"
#include "models/visible_text.h"
#include "ui/dialogs/rules_field.h"
#include "ui/theme.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int partOfFilter = 1; // beside everything

}

SnapshotDialog::SnapshotDialog(const Theme& theme, models::Session& session,
    std::shared_ptr<const models::Snapshots> snapshots, What what, QWidget* parent)
    : FileRunDialog(theme,
        { .title = tr("Take a snapshot of %1").arg(what.connection),
            .act = tr("Take snapshot"),
            .attempt = tr("take the snapshot"),
            .promise = tr("One file that is sealed, so that a later change shows, and that the console opens without a "
                          "network. It gets its name when it is whole."),
            .stopped = tr("The snapshot was stopped, and no file is left of it.") },
        parent)
    , m_session(session)
    , m_snapshots(std::move(snapshots))
    , m_what(std::move(what))
    , m_part(new QComboBox(this))
    , m_rules(new RulesField(this))
{
    m_part->addItem(tr("All rows of all tables"));
    m_part->setObjectName(QStringLiteral("part"));
    addField(tr("Rows"), m_part);
    if (!m_what.filter.isEmpty())
        addFilter(theme);
    addField(tr("Hidden"), m_rules);
    addFile({ m_what.folder, m_what.connection, session.databaseNow(), QStringLiteral("snapshot") });
    connect(m_rules, &RulesField::changed, this, [this] { setReady(true); });
}

SnapshotDialog::~SnapshotDialog()
{
    if (m_run)
        m_run->stop();
}

void SnapshotDialog::addFilter(const Theme& theme)
{
    m_part->addItem(tr("What the filter finds in %1, with what hangs on it").arg(m_what.binding));
    auto* filter = new PlainLabel(m_what.filter, this);
    filter->setFont(theme.font(Text::Mono));
    addWidget(filter);
    connect(m_part, &QComboBox::currentIndexChanged, filter,
        [filter](int part) { filter->setEnabled(part == partOfFilter); });
    m_part->setCurrentIndex(partOfFilter);
}

Result<SnapshotRequest> SnapshotDialog::request() const
{
    SnapshotRequest request;
    request.path = path().toStdString();
    request.replace = replaces();
    request.actor = models::actorName();
    request.program = "fencepost " FENCEPOST_VERSION;
    if (m_part->currentIndex() == partOfFilter) {
        auto filter = parseFilter(m_what.filter.toStdString());
        if (!filter)
            return filter.error();
        request.filterText = m_what.filter.toStdString();
        request.filter = *filter;
        request.binding = m_what.binding.toStdString();
    }
    auto rules = m_rules->rules();
    if (!rules)
        return rules.error();
    request.rules = std::move(*rules);
    return request;
}

Status SnapshotDialog::begin()
{
    auto wanted = request();
    if (!wanted)
        return wanted.error();
    m_run = new models::SnapshotRun(
        m_session.openLongReads(), m_snapshots, std::move(*wanted), m_session.clock(), &m_session);
    connect(m_run, &models::SnapshotRun::progressed, this, &SnapshotDialog::showRows);
    connect(m_run, &models::SnapshotRun::finished, this, &SnapshotDialog::take);
    connect(m_run, &models::SnapshotRun::failed, this, [this](const Error& error) {
        m_run = nullptr;
        fail(error);
    });
    showProgress(tr("Connecting once more, so that the pages go on reading…"));
    m_run->start();
    return {};
}

void SnapshotDialog::stop()
{
    m_run->stop();
    m_run = nullptr;
}

void SnapshotDialog::showRows(const QString& table, qint64 rows)
{
    if (!table.isEmpty())
        showProgress(tr("%1 are read, now of %2").arg(counted(rows, tr("row"), tr("rows")), table));
}

void SnapshotDialog::take(const SnapshotManifest& manifest)
{
    m_run = nullptr;
    std::int64_t rows = 0;
    for (const auto& table : manifest.tables)
        rows += table.rows;
    const auto sentence =
        tr("%1 of %2 are in %3")
            .arg(counted(rows, tr("row"), tr("rows")), models::visibleText(manifest.location), path());
    finish(sentence,
        tr("%1, as of %2 by the database's clock, sealed.").arg(sentence, text(formatInstant(manifest.takenAt))),
        manifest.warnings);
}

} // namespace fencepost::ui
