// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/frame.h"

#include <QEvent>
#include <QJsonArray>
#include <QMenuBar>
#include <QPainter>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/shell/activity.h"
#include "ui/shell/menus.h"
#include "ui/shell/rail.h"
#include "ui/shell/top_bar.h"
#include "ui/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/error_banner.h"

namespace fencepost::ui {

namespace {

const QList<int> acrossAtFirst{ 760, 420 };
const QList<int> downAtFirst{ 540, 270 };

// Below these widths there is no room for the words of the rail, or for rows and record side by side.
constexpr int roomForRail = 1000;
constexpr int roomForBoth = 1200;

QJsonArray sizesOf(const QSplitter& splitter)
{
    QJsonArray result;
    for (const int size : splitter.sizes())
        result.append(size);
    return result;
}

void restore(QSplitter& splitter, const QJsonValue& saved)
{
    QList<int> sizes;
    for (const QJsonValue& size : saved.toArray())
        sizes.append(size.toInt());
    // A part that was hidden has the size 0 and would stay lost behind its handle.
    if (sizes.size() == splitter.count() && !sizes.contains(0))
        splitter.setSizes(sizes);
}

} // namespace

Veil::Veil(const Theme& theme, QWidget& below)
    : QWidget(&below)
    , m_theme(theme)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setGeometry(below.rect());
    below.installEventFilter(this);
    hide();
}

bool Veil::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == parent() && event->type() == QEvent::Resize)
        resize(parentWidget()->size());
    return false;
}

void Veil::paintEvent(QPaintEvent* /*event*/)
{
    QColor grey = m_theme.color(Role::Background);
    // The rows below are muted as well, and are still to be read.
    grey.setAlphaF(0.3F);
    QPainter(this).fillRect(rect(), grey);
}

Frame::Frame(
    const Theme& theme, const ZoneSetting& zone, RangeSetting& range, const Commands& commands, QWidget* parent)
    : QWidget(parent)
    , m_band(new EnvironmentBand(theme, this))
    , m_menus(new QMenuBar(this))
    , m_top(new TopBar(theme, range, commands, this))
    , m_rail(new Rail(theme, commands, this))
    , m_banner(new ErrorBanner(theme, this))
    , m_stack(new QStackedWidget(this))
    , m_veil(new Veil(theme, *m_stack))
    , m_unconnected(new EmptyState(theme, m_stack))
    , m_centre(new QWidget(this))
    , m_slot(new QWidget(this))
    , m_slotLayout(new QVBoxLayout(m_slot))
    , m_slotVeil(new Veil(theme, *m_slot))
    , m_activity(new Activity(theme, zone, this))
    , m_across(new QSplitter(Qt::Horizontal, this))
    , m_down(new QSplitter(Qt::Vertical, this))
{
    m_menus->setNativeMenuBar(false);
    m_menus->setAccessibleName(tr("Menus"));
    fillMenus(*m_menus, commands);
    m_slot->setObjectName(QStringLiteral("dossierSlot"));
    m_slot->setAttribute(Qt::WA_StyledBackground);
    m_slotLayout->setContentsMargins(1, 0, 0, 0);
    m_stack->addWidget(m_unconnected);

    m_centre->setMinimumWidth(480);
    auto* centreLayout = new QVBoxLayout(m_centre);
    centreLayout->setContentsMargins(0, 0, 0, 0);
    centreLayout->setSpacing(0);
    auto* bannerRoom = new QVBoxLayout;
    bannerRoom->setContentsMargins(space::huge, 0, space::huge, 0);
    bannerRoom->addWidget(m_banner);
    centreLayout->addLayout(bannerRoom);
    centreLayout->addWidget(m_stack, 1);

    m_across->addWidget(m_centre);
    m_across->addWidget(m_slot);
    m_across->setChildrenCollapsible(false);
    m_across->setStretchFactor(0, 1);
    m_across->setHandleWidth(1);
    m_down->addWidget(m_across);
    m_down->addWidget(m_activity);
    m_down->setChildrenCollapsible(false);
    m_down->setStretchFactor(0, 1);
    m_down->setHandleWidth(1);

    auto* middle = new QHBoxLayout;
    middle->setSpacing(0);
    middle->addWidget(m_rail);
    middle->addWidget(m_down, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_band);
    layout->addWidget(m_menus);
    layout->addWidget(m_top);
    layout->addLayout(middle, 1);

    m_slot->hide();
    m_activity->hide();
    m_band->hide();
    resetArrangement();
    connect(m_activity, &Activity::closed, m_activity, &QWidget::hide);
}

void Frame::setDossier(QWidget* dossier)
{
    if (dossier)
        m_slotLayout->addWidget(dossier);
    m_slotVeil->raise();
    m_slot->setVisible(dossier != nullptr);
    fit();
}

// A window that has no room for both shows the record instead of the rows; Esc leads back to them.
void Frame::fit()
{
    m_rail->setNarrow(width() < roomForRail);
    m_centre->setVisible(width() >= roomForBoth || m_slot->isHidden());
}

void Frame::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

void Frame::setStale(bool stale)
{
    for (Veil* veil : { m_veil, m_slotVeil }) {
        veil->setVisible(stale);
        veil->raise();
    }
}

QJsonObject Frame::arrangement() const
{
    QJsonObject result{ { QStringLiteral("collapsed"), m_rail->isCollapsed() },
        { QStringLiteral("activity"), !m_activity->isHidden() } };
    if (!m_slot->isHidden())
        result[QStringLiteral("across")] = sizesOf(*m_across);
    if (!m_activity->isHidden())
        result[QStringLiteral("down")] = sizesOf(*m_down);
    return result;
}

void Frame::setArrangement(const QJsonObject& arrangement)
{
    m_rail->setCollapsed(arrangement[QStringLiteral("collapsed")].toBool());
    m_activity->setVisible(arrangement[QStringLiteral("activity")].toBool());
    restore(*m_across, arrangement[QStringLiteral("across")]);
    restore(*m_down, arrangement[QStringLiteral("down")]);
}

void Frame::resetArrangement()
{
    m_rail->setCollapsed(false);
    m_activity->hide();
    m_across->setSizes(acrossAtFirst);
    m_down->setSizes(downAtFirst);
}

} // namespace fencepost::ui
