// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/mapping_wizard.h"

#include <algorithm>

#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include "core/profile/library.h"
#include "models/mapping_draft.h"
#include "models/profile_file.h"
#include "models/session.h"
#include "models/visible_text.h"
#include "ui/dialogs/mapping_columns_step.h"
#include "ui/dialogs/mapping_preview.h"
#include "ui/dialogs/mapping_save_step.h"
#include "ui/dialogs/mapping_state_step.h"
#include "ui/dialogs/mapping_times_step.h"
#include "ui/page.h"
#include "ui/theme.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"
#include "ui/workspace.h"

namespace fencepost::ui {

namespace {

constexpr QSize usualWizard(1160, 760);

} // namespace

MappingWizard::MappingWizard(PageContext& context, const TableName& table, QWidget* parent)
    : QDialog(parent)
    , m_context(context)
    , m_draft(new models::MappingDraft(*context.session, table, this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_tabs(new QTabBar(this))
    , m_stack(new QStackedWidget(this))
    , m_columns(new MappingColumnsStep(context.theme, *m_draft, this))
    , m_state(new MappingStateStep(context.theme, *m_draft, this))
    , m_times(new MappingTimesStep(context.theme, *m_draft, this))
    , m_save(new MappingSaveStep(context.theme, *context.workspace, *m_draft, this))
    , m_preview(new MappingPreviewView(context.theme, context.zone, *m_draft, this))
    , m_hint(new PlainLabel(this))
    , m_back(new QPushButton(tr("Back"), this))
    , m_next(new QPushButton(this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Map the table %1").arg(models::visibleText(table.table)));
    for (QWidget* step : { static_cast<QWidget*>(m_columns), static_cast<QWidget*>(m_state),
             static_cast<QWidget*>(m_times), static_cast<QWidget*>(m_save) })
        m_stack->addWidget(step);
    auto* banner = new QVBoxLayout;
    banner->setContentsMargins(space::huge, 0, space::huge, 0);
    banner->addWidget(m_banner);
    auto* line = new QFrame(this);
    setPart(line, "line");
    auto* content = new QVBoxLayout;
    content->setContentsMargins(0, space::medium, 0, space::large);
    content->setSpacing(space::medium);
    content->addWidget(makeHead(table));
    content->addLayout(banner);
    content->addWidget(m_stack, 5);
    content->addWidget(line);
    content->addWidget(m_preview, 4);
    content->addLayout(makeFoot());
    auto* band = new EnvironmentBand(context.theme, this);
    const auto info = context.session->status().info;
    band->show(
        context.environment, info ? tr("%1 · %2").arg(context.connection, text(info->location)) : context.connection);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(band);
    layout->addLayout(content, 1);
    m_banner->clear();
    // Not larger than the window below it, which fits its screen.
    resize(parent ? usualWizard.boundedTo(parent->window()->size()) : usualWizard);

    connect(m_draft, &models::MappingDraft::failed, m_banner, &ErrorBanner::report);
    connect(m_draft, &models::MappingDraft::changed, this, &MappingWizard::showButtons);
    connect(m_draft, &models::MappingDraft::loaded, this, [this] { m_columns->focusFirst(); });
    connect(m_draft, &models::MappingDraft::previewChanged, this, &MappingWizard::showButtons);
    connect(m_save, &MappingSaveStep::changed, this, &MappingWizard::showButtons);
    connect(m_banner, &ErrorBanner::acted, this, [this] {
        m_banner->clear();
        if (!m_draft->isLoaded())
            m_draft->load();
    });
    connect(context.session, &QObject::destroyed, this, &QDialog::close);
    showStep(Columns);
    m_draft->load();
}

QWidget* MappingWizard::makeHead(const TableName& table)
{
    auto* head = new QWidget(this);
    auto* title = new PlainLabel(windowTitle(), head);
    title->setFont(m_context.theme.font(Text::Title));
    auto* where = new PlainLabel(table.schema.empty()
            ? tr("Nothing is written to the database.")
            : tr("In the schema %1. Nothing is written to the database.").arg(models::visibleText(table.schema)),
        head);
    setTone(where, "muted");
    m_tabs->setObjectName(QStringLiteral("steps"));
    m_tabs->setAccessibleName(tr("Steps"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    for (const auto& name : { tr("1  Columns"), tr("2  State"), tr("3  Times"), tr("4  Save") })
        m_tabs->addTab(name);
    connect(m_tabs, &QTabBar::currentChanged, this, &MappingWizard::showStep);
    auto* layout = new QVBoxLayout(head);
    layout->setContentsMargins(space::huge, 0, space::huge, 0);
    layout->setSpacing(space::small);
    auto* words = new QHBoxLayout;
    words->setSpacing(space::large);
    words->addWidget(title);
    words->addWidget(where, 1, Qt::AlignBottom);
    layout->addLayout(words);
    layout->addWidget(m_tabs, 0, Qt::AlignLeft);
    return head;
}

QLayout* MappingWizard::makeFoot()
{
    auto* cancel = new QPushButton(tr("Cancel"), this);
    cancel->setAutoDefault(false);
    m_back->setAutoDefault(false);
    m_back->setObjectName(QStringLiteral("back"));
    m_next->setObjectName(QStringLiteral("next"));
    m_next->setDefault(true);
    setKind(m_next, "primary");
    m_hint->setObjectName(QStringLiteral("hint"));
    m_hint->setWordWrap(true);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(space::huge, 0, space::huge, 0);
    foot->setSpacing(space::small);
    foot->addWidget(m_hint, 1);
    foot->addWidget(cancel);
    foot->addWidget(m_back);
    foot->addWidget(m_next);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_back, &QPushButton::clicked, this, [this] { showStep(step() - 1); });
    connect(m_next, &QPushButton::clicked, this, &MappingWizard::next);
    return foot;
}

int MappingWizard::step() const
{
    return m_stack->currentIndex();
}

QString MappingWizard::hint() const
{
    return m_hint->text();
}

void MappingWizard::showStep(int step)
{
    m_stack->setCurrentIndex(std::clamp(step, 0, steps - 1));
    {
        const QSignalBlocker quiet(m_tabs);
        m_tabs->setCurrentIndex(this->step());
    }
    showButtons();
    // Whoever walks through the tabs by keys stays in them.
    if (m_tabs->hasFocus())
        return;
    switch (this->step()) {
    case State:
        return m_state->focusFirst();
    case Times:
        return m_times->focusFirst();
    case Save:
        return m_save->focusFirst();
    default:
        return m_columns->focusFirst();
    }
}

void MappingWizard::showButtons()
{
    const bool last = step() == Save;
    m_back->setEnabled(step() > Columns);
    m_next->setText(!last ? tr("Next") : m_save->replaces() ? tr("Replace the file") : tr("Save the profile"));
    const auto questions = m_draft->questions();
    QString words;
    if (!m_draft->isLoaded())
        words = tr("Reading the table…");
    else if (!questions.isEmpty())
        words = questions.front();
    else if (const auto& error = m_draft->previewError())
        words = withStop(tr("Rows cannot be read through this mapping: %1").arg(text(error->message)));
    else if (last)
        words = m_save->whyNot();
    const bool open = !words.isEmpty();
    setTone(m_hint, open && m_draft->isLoaded() ? "warning" : "muted");
    m_hint->setText(open ? words : tr("Everything is said that a profile needs."));
    m_next->setEnabled(!last || (!open && m_draft->preview().has_value()));
}

void MappingWizard::next()
{
    if (step() == Save)
        return save();
    showStep(step() + 1);
}

void MappingWizard::save()
{
    const auto document = m_draft->document();
    if (!document)
        return m_banner->report(tr("save the profile"), document.error());
    const auto path = m_save->path();
    // Before anything is written: a file that is refused would be refused at every start.
    if (const auto own = profile::parseOwn(*document, path.toStdString()); !own)
        return m_banner->report(tr("save the profile"), own.error());
    models::ProfileFile file(path);
    if (const auto written = file.save(*document, m_save->replaces()); !written)
        return m_banner->report(tr("save the profile"), written.error());
    if (const auto adopted = m_context.workspace->adoptProfile(path); !adopted) {
        const auto restored = file.takeBack();
        return m_banner->report(
            tr("read the table through the profile that was saved"), restored ? adopted.error() : restored.error());
    }
    Q_EMIT saved(QString::fromStdString(m_draft->mapping().name), path);
    accept();
}

} // namespace fencepost::ui
