// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

#include "models/overview.h"
#include "ui/page.h"
#include "ui/theme.h"

class QGridLayout;
class QLabel;

namespace fencepost::ui {

class ArrivalsChart;
class ChartMenu;
class ComparisonCard;
class EmptyState;
class ErrorBanner;
class FigureTile;
class FreezeStrip;
class PageHeader;
class StateBars;
class TableList;

// How the database stands at a glance. Every figure leads to the rows behind it.
class OverviewPage : public Page {
    Q_OBJECT
public:
    OverviewPage(PageContext& context, QWidget* parent);

    void activate() override;
    void reload() override;
    void setLive(bool live) override;
    void show(const QString& binding, const QString& filter) override;
    [[nodiscard]] Place place() const override { return { m_binding, {} }; }
    using QWidget::show;
    [[nodiscard]] PageStatus status() const override;
    [[nodiscard]] bool isLoading() const override
    {
        return m_overview.loading() || (!m_binding.isEmpty() && (!m_overview.arrivals() || !m_overview.comparison()));
    }

private:
    ChartMenu* makeStatesMenu();
    QWidget* makeFigures();
    QWidget* makeFacts();
    void choose(const QString& binding);
    void showAll();
    void showFigures(const models::OverviewEntry& entry);
    // What a figure says of some, of none, and where it cannot know.
    struct Attention {
        QString some;
        QString none;
        QString unseen;
    };
    static void showAttention(FigureTile& tile, const Count& count, const Attention& words, Role role);
    void showFacts();
    void showArrivals();
    void compare();
    void showComparison();
    void openRows(const QString& filter);

    PageContext& m_context;
    models::Overview m_overview;
    QTimer m_refresh;
    QString m_binding;
    PageHeader* m_header;
    ErrorBanner* m_banner;
    QWidget* m_content;
    EmptyState* m_empty;
    FigureTile* m_total;
    FigureTile* m_stuck;
    FigureTile* m_held;
    FigureTile* m_expiring;
    FigureTile* m_oldest;
    StateBars* m_states;
    QLabel* m_statesCaption;
    FreezeStrip* m_strip;
    ArrivalsChart* m_arrivals;
    ComparisonCard* m_comparison;
    TableList* m_tables;
    QLabel* m_facts[4];
    bool m_live = true;
};

[[nodiscard]] Page* makeOverviewPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui
