// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/policy_view.h"

#include <algorithm>

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

#include "ui/theme.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

QString routeText(const PolicyRoute& route)
{
    return PolicyView::tr("%1 · %2").arg(text(route.scope), text(route.operation));
}

// The file's words are for a machine where they are neither names nor amounts.
QString valueText(const SettingText& setting)
{
    if (setting.value == "true")
        return PolicyView::tr("yes");
    if (setting.value == "false")
        return PolicyView::tr("no");
    if (setting.name == "max_attempts" && setting.value == "0")
        return PolicyView::tr("no limit");
    return text(setting.value);
}

} // namespace

PolicyView::PolicyView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(space::small);
}

QLabel* PolicyView::startWithCaption()
{
    while (QLayoutItem* item = m_layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    auto* caption = new PlainLabel(this);
    caption->setWordWrap(true);
    setTone(caption, "muted");
    m_layout->addWidget(caption);
    return caption;
}

void PolicyView::showNone(const QString& why)
{
    startWithCaption()->setText(why);
}

void PolicyView::show(const Result<Policy>& policy, const QString& path)
{
    QLabel* caption = startWithCaption();
    if (!policy && policy.error().failure != Failure::NotFound) {
        caption->hide();
        auto* banner = new ErrorBanner(m_theme, this);
        banner->report(tr("read %1").arg(path), policy.error());
        m_layout->addWidget(banner);
        return;
    }
    caption->setText(policy
            ? tr("Read from %1. Nothing here is enforced by the console: it is what the services were told.").arg(path)
            : tr("There is no fencepost.policy.json beside the database or in the working folder; the built-in "
                 "defaults are shown."));
    const Policy& shown = policy ? *policy : Policy();
    for (const std::string& warning : shown.warnings()) {
        auto* label = new PlainLabel(text(warning), this);
        label->setWordWrap(true);
        setTone(label, "warning");
        m_layout->addWidget(label);
    }
    m_layout->addWidget(makeTable(shown));
}

QWidget* PolicyView::makeTable(const Policy& policy)
{
    std::vector<std::pair<QString, RoutePolicy>> rows;
    for (const PolicyRoute& route : policy.routes())
        rows.emplace_back(routeText(route), policy.forRoute(route.scope, route.operation));
    rows.emplace_back(tr("everything else"), policy.forRoute({}, {}));
    const std::vector<SettingText> names = describe(rows.front().second);

    auto* table = new QTableWidget(static_cast<int>(rows.size()), static_cast<int>(names.size()) + 1, this);
    QStringList titles{ tr("Scope · operation") };
    for (const SettingText& setting : names)
        titles += sentence(setting.name).replace(u'_', u' ');
    table->setHorizontalHeaderLabels(titles);
    table->setAccessibleName(tr("Policy per route"));
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(space::row);
    table->setShowGrid(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setFrameShape(QFrame::NoFrame);
    table->setTabKeyNavigation(false);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    for (int row = 0; row < table->rowCount(); ++row) {
        const auto& [route, resolved] = rows[static_cast<std::size_t>(row)];
        table->setItem(row, 0, new QTableWidgetItem(route));
        const std::vector<SettingText> settings = describe(resolved);
        for (std::size_t column = 0; column < settings.size(); ++column) {
            auto* cell = new QTableWidgetItem(valueText(settings[column]));
            cell->setToolTip(plainToolTip(tr("from %1").arg(text(settings[column].from))));
            cell->setForeground(m_theme.color(settings[column].origin == Origin::Default ? Role::Muted : Role::Text));
            table->setItem(row, static_cast<int>(column) + 1, cell);
        }
    }
    // The style sheet makes headings bold only once they are shown, too late to be measured.
    const QFontMetrics bold(m_theme.font(Text::Strong));
    const QFontMetrics plain(m_theme.font(Text::Body));
    for (int column = 0; column < table->columnCount(); ++column) {
        int width = bold.horizontalAdvance(titles[column]) + space::small;
        for (int row = 0; row < table->rowCount(); ++row)
            width = std::max(width, plain.horizontalAdvance(table->item(row, column)->text()));
        table->setColumnWidth(column, width + space::huge);
        table->horizontalHeaderItem(column)->setToolTip(
            column == 0 ? QString() : plainToolTip(text(names[std::size_t(column) - 1].name)));
    }
    table->setTextElideMode(Qt::ElideRight);
    table->horizontalHeader()->setStretchLastSection(true);
    // A table would take all the height that is left, and its layout with it.
    table->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    table->setFixedHeight(table->horizontalHeader()->sizeHint().height() + table->rowCount() * space::row + 16);
    return table;
}

} // namespace fencepost::ui
