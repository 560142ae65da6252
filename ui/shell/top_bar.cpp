// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/top_bar.h"

#include <algorithm>

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

#include "models/session.h"
#include "models/zone.h"
#include "ui/commands.h"
#include "ui/range_setting.h"
#include "ui/theme.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int barHeight = 52;
constexpr int searchWidth = 480;
constexpr int narrowBar = 1000;

// m:ss, so that the width does not change while it counts down.
QString countdown(Duration left)
{
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left).count();
    return QStringLiteral("%1:%2").arg(seconds / 60).arg(seconds % 60, 2, 10, QLatin1Char('0'));
}

} // namespace

TopBar::TopBar(const Theme& theme, RangeSetting& range, const Commands& commands, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_commands(commands)
    , m_connection(new QToolButton(this))
    , m_menu(new QMenu(this))
    , m_environment(new EnvironmentChip(theme, this))
    , m_search(new QLineEdit(this))
    , m_range(new QComboBox(this))
    , m_live(makeButton(commands.action("live")))
    , m_arming(makeButton(commands.action("arm")))
{
    setObjectName(QStringLiteral("topBar"));
    setAttribute(Qt::WA_StyledBackground);
    setFixedHeight(barHeight);
    m_connection->setObjectName(QStringLiteral("connectionChip"));
    m_connection->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_connection->setPopupMode(QToolButton::InstantPopup);
    m_connection->setMenu(m_menu);
    m_connection->setFont(theme.font(Text::Strong));
    m_connection->setProperty("menu", QStringLiteral("true"));
    m_connection->setFocusPolicy(Qt::TabFocus);
    m_search->setObjectName(QStringLiteral("search"));
    m_search->setAccessibleName(tr("Find a key, a page or a command"));
    m_search->addAction(theme.icon("search", Role::Muted), QLineEdit::LeadingPosition);
    m_search->setMaximumWidth(searchWidth);
    m_search->setMinimumWidth(160);
    m_range->setObjectName(QStringLiteral("range"));
    m_range->setAccessibleName(tr("Range of time"));
    m_range->setToolTip(tr("The time whose arrivals are counted. Which rows are listed is the filter's"));
    m_range->setFocusPolicy(Qt::TabFocus);
    for (const Range& each : ranges())
        m_range->addItem(RangeSetting::tr(each.title));
    m_arming->setObjectName(QStringLiteral("arming"));
    m_live->setObjectName(QStringLiteral("live"));

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(space::medium, 0, space::medium, 0);
    layout->setSpacing(space::small);
    layout->addWidget(m_connection);
    layout->addWidget(m_environment);
    layout->addStretch(1);
    layout->addWidget(m_search, 4);
    layout->addStretch(1);
    layout->addWidget(m_range);
    layout->addWidget(m_live);
    layout->addWidget(m_arming);

    connect(m_range, &QComboBox::currentIndexChanged, &range, &RangeSetting::set);
    connect(&range, &RangeSetting::changed, this, [this, &range] { showRange(range); });
    showRange(range);
    connect(&commands, &Commands::keysChanged, this, &TopBar::showKeys);
    reserve();
    show(nullptr);
    setLive(true);
}

// A time that is frozen is none of those that can be chosen; choosing one lets it move again.
void TopBar::showRange(const RangeSetting& range)
{
    const auto& frozen = range.frozen();
    if (frozen)
        m_range->setPlaceholderText(tr("Frozen: %1").arg(models::durationText(frozen->until - frozen->from)));
    m_range->setCurrentIndex(frozen ? -1 : range.index());
}

// Neither what a button says nor the seconds it counts may move what stands beside it.
void TopBar::reserve()
{
    const auto widest = [this](QToolButton& button, const char* kind, const QString& words) {
        setKind(&button, kind);
        button.setIcon(m_theme.icon("lock"));
        button.setText(words);
        button.ensurePolished();
        return button.sizeHint().width();
    };
    for (const QString& words : { tr(" Live"), tr(" Paused") })
        m_liveWidth = std::max(m_liveWidth, widest(*m_live, "button", words));
    m_armingWidth = widest(*m_arming, "armed", tr(" Armed %1 · Disarm").arg(QStringLiteral("00:00")));
    m_armingWidth = std::max(m_armingWidth, widest(*m_arming, "button", tr(" Read-only")));
}

void TopBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

// The environment stands in the band above as well, and a symbol says live.
void TopBar::arrange()
{
    const bool narrow = width() < narrowBar;
    m_environment->setVisible(m_connected && !narrow);
    m_live->setToolButtonStyle(narrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    m_live->setMinimumWidth(narrow ? 0 : m_liveWidth);
    m_arming->setMinimumWidth(narrow ? 0 : m_armingWidth);
}

void TopBar::setLive(bool live)
{
    m_isLive = live;
    m_live->setText(live ? tr(" Live") : tr(" Paused"));
    m_live->setIcon(live ? m_theme.icon("live", Role::Succeeded) : m_theme.icon("pause", Role::Warning));
    m_live->setAccessibleName(live ? tr("Live, press to pause") : tr("Paused, press to resume"));
    showKeys();
}

void TopBar::showKeys()
{
    const QString find = m_commands.action("palette")->shortcut().toString(QKeySequence::NativeText);
    m_search->setPlaceholderText(tr("Find a key, a page or a command   %1").arg(find).trimmed());
    const QString pause = m_commands.action("live")->shortcut().toString(QKeySequence::NativeText);
    const QString keys = pause.isEmpty() ? QString() : tr(" (%1)").arg(pause);
    m_live->setToolTip(
        (m_isLive ? tr("Refreshes by itself. Pause%1") : tr("Paused: what is shown does not change. Resume%1"))
            .arg(keys));
}

void TopBar::show(const models::SessionStatus* status)
{
    const bool lost = status
        && (status->link.state == models::Link::State::Lost || status->link.state == models::Link::State::Failed);
    m_connection->setText(QStringLiteral(" ") + (status ? elidedId(status->name, 32) : tr("Not connected")));
    m_connection->setIcon(
        status && !lost ? m_theme.icon("database") : m_theme.icon("disconnected", lost ? Role::Warning : Role::Muted));
    m_connection->setAccessibleName(status ? tr("Connection %1").arg(status->name) : tr("Not connected"));
    m_connected = status != nullptr;
    arrange();
    if (status)
        m_environment->setEnvironment(status->environmentWord());
    m_range->setVisible(status != nullptr);
    m_live->setVisible(status && !status->snapshot); // nothing moves in one
    m_live->setEnabled(!lost);
    m_arming->setVisible(status != nullptr);
    showArming(status);
}

void TopBar::showArming(const models::SessionStatus* status)
{
    const bool armed = status && status->arming == models::Arming::Armed && status->armedFor;
    if (armed) {
        m_arming->setText(tr(" Armed %1 · Disarm").arg(countdown(*status->armedFor)));
        m_arming->setIcon(m_theme.icon("armed", Role::OnDanger));
        m_arming->setToolTip(plainToolTip(tr("Armed because: %1").arg(status->armedReason)));
        m_arming->setAccessibleName(tr("Armed, press to disarm"));
    } else {
        const bool arming = status && status->arming == models::Arming::Arming;
        m_arming->setText(arming ? tr(" Arming…") : tr(" Read-only"));
        m_arming->setIcon(m_theme.icon("lock"));
        m_arming->setToolTip(status && status->snapshot
                ? tr("This is a snapshot: it is evidence, and nothing is ever written to it")
                : tr("The database refuses every write of this session. Arm it to carry out a plan"));
        m_arming->setAccessibleName(tr("Read-only, press to arm"));
    }
    if (m_arming->property("kind").toString() != QLatin1String(armed ? "armed" : "button"))
        setKind(m_arming, armed ? "armed" : "button");
}

QToolButton* TopBar::makeButton(QAction* action)
{
    auto* button = new QToolButton(this);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::TabFocus);
    setKind(button, "button");
    connect(button, &QToolButton::clicked, action, &QAction::trigger);
    return button;
}

} // namespace fencepost::ui
