// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/look_back_page.h"

#include <utility>

#include <QBoxLayout>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QToolButton>

#include "models/session.h"
#include "models/visible_text.h"
#include "ui/link.h"
#include "ui/range_setting.h"
#include "ui/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/range_field.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr auto shortestRest = std::chrono::seconds(5);
// At most a hundredth of the time goes to it.
constexpr int restAfter = 100;

} // namespace

LookBackPage::LookBackPage(PageContext& context, Tables tables, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_shown(std::move(tables))
    , m_tables(new QComboBox(this))
    , m_range(new RangeField(context.theme, context.range, context.zone, this))
    , m_tools(new QHBoxLayout)
    , m_mistake(new PlainLabel(this))
    , m_summary(new PlainLabel(this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_empty(new EmptyState(context.theme, this))
    , m_layout(new QVBoxLayout(this))
{
    setPart(this, "surface");
    m_tables->setAccessibleName(tr("Table"));
    m_tables->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_summary->setWordWrap(true);
    setTone(m_summary, "muted");
    m_mistake->setObjectName(QStringLiteral("rangeMistake"));
    setTone(m_mistake, "danger");
    m_mistake->hide();
    m_tools->setSpacing(space::small);
    m_tools->addWidget(m_tables);
    m_tools->addWidget(m_range);
    m_tools->addStretch(1);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(space::large, space::medium, space::large, space::small);
    head->setSpacing(space::small);
    head->addLayout(m_tools);
    head->addWidget(m_mistake);
    head->addWidget(m_summary);
    head->addWidget(m_banner);
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
    m_layout->addLayout(head);
    m_layout->addWidget(m_empty, 1);
    m_banner->clear();
    m_empty->hide();
    connect(m_range, &RangeField::mistaken, this, [this](const QString& what) {
        m_mistake->setText(tr("%1. The time stays as it was").arg(what));
        m_mistake->setVisible(!what.isEmpty());
    });
    connect(m_empty, &EmptyState::acted, this, [this] { m_context.navigation.open("connections"); });
    connect(m_tables, &QComboBox::activated, this, [this](int row) {
        m_binding = m_tables->itemData(row).toString();
        askAgain();
    });
    connect(m_banner, &ErrorBanner::acted, this, [this](Failure failure) {
        if (failure == Failure::Denied)
            m_context.navigation.open("connections");
        else
            reload();
    });
    if (!context.session) {
        m_empty->show(Emptiness::ConnectionLost, tr("No connection is open"), tr("Open one on the page Connections."));
        return;
    }
    m_refresh.setSingleShot(true);
    connect(&m_refresh, &QTimer::timeout, this, [this] {
        if (isVisible() && !m_context.session->lost())
            askAgain();
    });
    connect(&context.range, &RangeSetting::changed, this, [this] {
        if (isVisible())
            askAgain();
    });
    connect(context.session, &models::Session::bindingsChanged, this, &LookBackPage::fillTables);
    connect(context.session, &models::Session::bindingsFailed, this, &LookBackPage::fillTables);
    fillTables();
}

QToolButton* LookBackPage::addTool(const char* icon, const QString& words, const QString& name)
{
    auto* button = new QToolButton(this);
    if (icon != nullptr)
        button->setIcon(m_context.theme.icon(icon));
    button->setText(words);
    button->setToolTip(name);
    button->setAccessibleName(name);
    setWords(*button, icon == nullptr);
    addTool(button);
    return button;
}

void LookBackPage::addTool(QWidget* tool)
{
    m_tools->addWidget(tool);
}

void LookBackPage::setContent(QWidget* content)
{
    m_content = content;
    m_layout->insertWidget(1, content, 1);
    content->setVisible(m_empty->isHidden());
}

void LookBackPage::run(std::string_view command)
{
    if (command == "copy-link")
        QGuiApplication::clipboard()->setText(formatLink({ .connection = m_context.connection,
            .page = QLatin1String(m_shown.page),
            .binding = m_binding,
            .range = m_range->shown() }));
}

void LookBackPage::fillTables()
{
    const QSignalBlocker blocker(m_tables);
    m_tables->clear();
    int chosen = -1;
    int first = -1;
    for (const auto& binding : m_context.session->bindings()) {
        if (!m_shown.wanted(*binding))
            continue;
        const auto name = text(binding->name);
        m_tables->addItem(models::visibleText(binding->name), name);
        if (name == m_binding)
            chosen = m_tables->count() - 1;
        if (first < 0 && binding->kind == Kind::Idempotency)
            first = m_tables->count() - 1;
    }
    if (chosen < 0 && m_tables->count() > 0)
        chosen = std::max(first, 0);
    m_tables->setCurrentIndex(chosen);
    const auto before = m_binding;
    m_binding = m_tables->currentData().toString();
    const bool none =
        m_tables->count() == 0 && (m_context.session->bindingsRead() || m_context.session->bindingsError().has_value());
    m_empty->setVisible(none);
    if (m_content)
        m_content->setVisible(!none);
    if (none)
        m_empty->showNoTable(*m_context.session, m_shown.rows, tr("Connections"), m_shown.whyNone);
    if (isVisible() && m_binding != before)
        askAgain();
}

void LookBackPage::askAgain()
{
    if (!m_context.session || m_binding.isEmpty())
        return;
    if (const auto binding = m_context.session->binding(m_binding))
        ask(binding, m_context.range.lookBack());
    Q_EMIT statusChanged();
}

QString LookBackPage::beforeText(const TimeRange& range)
{
    const auto length = range.until - range.from;
    return length == std::chrono::hours(1) ? tr("the hour before")
                                           : tr("the %1 before").arg(models::durationText(length));
}

void LookBackPage::answered(const Basis& basis, const QString& summary)
{
    m_banner->clear();
    m_range->setShown(basis.range);
    m_summary->setText(summary);
    if (!basis.unread.empty()) {
        QStringList left;
        for (const auto& what : basis.unread)
            left += text(what);
        m_banner->tell("warning", tr("Not everything is here: %1.").arg(left.join(QStringLiteral("; "))));
    }
    QStringList notes;
    for (const auto& what : basis.notes)
        notes += text(what);
    m_summary->setToolTip(notes.join(QStringLiteral("\n")));
    if (m_live && !m_context.range.frozen())
        m_refresh.start(std::max(std::chrono::duration_cast<std::chrono::milliseconds>(basis.cost.time * restAfter),
            std::chrono::milliseconds(shortestRest)));
    Q_EMIT statusChanged();
}

void LookBackPage::failed(const QString& attempted, const Error& error)
{
    if (!m_context.session->lost())
        m_banner->report(attempted, error);
    Q_EMIT statusChanged();
}

QString LookBackPage::summary() const
{
    return m_summary->text();
}

void LookBackPage::activate()
{
    askAgain();
}

void LookBackPage::reload()
{
    m_banner->clear();
    askAgain();
}

void LookBackPage::setLive(bool live)
{
    m_live = live;
    if (live)
        m_refresh.start(shortestRest);
    else
        m_refresh.stop();
}

void LookBackPage::show(const QString& binding, const QString& /*filter*/)
{
    if (binding.isEmpty() || binding == m_binding)
        return;
    m_binding = binding;
    if (m_context.session)
        fillTables();
    askAgain();
}

Place LookBackPage::place() const
{
    return { m_binding, {} };
}

} // namespace fencepost::ui
