// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSet>

#include "models/trail_model.h"
#include "ui/page.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QToolButton;

namespace fencepost::ui {

class ErrorBanner;
class RowGrid;
class Timeline;

// What an id belongs to: its rows in all tables of all connections, the rows that hang together with them, and what
// happened to all of them on one axis of time. Needs no open connection.
class FindPage final : public Page {
    Q_OBJECT
public:
    explicit FindPage(PageContext& context, QWidget* parent = nullptr);

    void activate() override;
    void reload() override;
    void setDense(bool dense) override;
    // The filter is the id.
    void show(const QString& binding, const QString& filter) override;
    using QWidget::show;
    [[nodiscard]] Place place() const override;
    [[nodiscard]] QWidget* filterField() const override;
    [[nodiscard]] PageStatus status() const override;
    [[nodiscard]] bool isLoading() const override;
    [[nodiscard]] bool handles(std::string_view command) const override;
    void run(std::string_view command) override;
    [[nodiscard]] QVariantMap arrangement() const override;
    void setArrangement(const QVariantMap& arrangement) override;

    [[nodiscard]] QString summary() const;
    [[nodiscard]] QString searched() const;
    [[nodiscard]] models::TrailModel& model() const { return *m_model; }
    [[nodiscard]] RowGrid& grid() const { return *m_grid; }
    [[nodiscard]] Timeline& timeline() const { return *m_timeline; }
    [[nodiscard]] QMenu& places() const { return *m_places; }

private:
    void build();
    void fillPlaces(const std::vector<models::TrailPlace>& places);
    void search();
    void begin(std::vector<models::TrailPlace> places);
    void showAnswer();
    void showTimeline(const models::TrailAnswer& answer);
    void showNothing(const models::TrailAnswer& answer);
    [[nodiscard]] QString summaryOf(const models::TrailAnswer& answer) const;
    [[nodiscard]] QString searchedWords(const models::TrailAnswer& answer) const;
    void showRowOf(std::size_t mark);
    void openRow(int row);

    const PageContext m_context;
    models::TrailSearch* const m_search; // null: this window searches none
    models::TrailModel* m_model;
    QLineEdit* m_id;
    QComboBox* m_scan;
    QToolButton* m_in;
    QMenu* m_places;
    QPushButton* m_begin;
    QLabel* m_summary;
    QLabel* m_searched;
    ErrorBanner* m_banner;
    RowGrid* m_grid;
    Timeline* m_timeline;
    QSet<QString> m_leftOut; // connections that are not searched
};

[[nodiscard]] Page* makeFindPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui
