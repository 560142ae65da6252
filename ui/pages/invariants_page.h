// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/broken_rows_model.h"
#include "models/violations_model.h"
#include "ui/page.h"

class QFrame;
class QLabel;
class QPushButton;

namespace fencepost::ui {

class ErrorBanner;
class RowGrid;

// What must hold of the rows and does not: one click scans every table, a finding opens as a view of its rows, and the
// plan that mends it is begun from here.
class InvariantsPage final : public Page {
    Q_OBJECT
public:
    explicit InvariantsPage(PageContext& context, QWidget* parent = nullptr);

    void activate() override;
    void reload() override;
    void setDense(bool dense) override;
    [[nodiscard]] PageStatus status() const override;
    [[nodiscard]] bool isLoading() const override;
    [[nodiscard]] bool handles(std::string_view command) const override;
    void run(std::string_view command) override;
    [[nodiscard]] QVariantMap arrangement() const override;
    void setArrangement(const QVariantMap& arrangement) override;

    [[nodiscard]] models::ViolationsModel* model() const { return m_model; }
    [[nodiscard]] RowGrid& grid() const { return *m_grid; }
    // Of the finding that was chosen.
    [[nodiscard]] models::BrokenRowsModel& brokenRows() const { return *m_broken; }
    [[nodiscard]] RowGrid& rows() const { return *m_rows; }
    [[nodiscard]] QPushButton& scanButton() const { return *m_scan; }
    [[nodiscard]] QPushButton& openButton() const { return *m_open; }
    [[nodiscard]] QPushButton& planButton() const { return *m_plan; }
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QString advice() const;

private:
    void build();
    void scan(Duration budget);
    void showProgress();
    void showNothing();
    void showCurrent();
    [[nodiscard]] const models::FoundViolation* current() const;
    [[nodiscard]] std::optional<Mending> mendingOfCurrent() const;
    [[nodiscard]] QString openWords(const models::FoundViolation& found) const;
    void openRows();
    void openRow(int row);
    void showOpen();
    [[nodiscard]] std::string chosenTrail(const models::FoundViolation& found) const;
    void openTrail(const std::string& trail);
    void makePlan();

    const PageContext m_context;
    models::ViolationsModel* m_model = nullptr; // null: there is no session
    QLabel* m_summary;
    QPushButton* m_scan;
    ErrorBanner* m_banner;
    RowGrid* m_grid;
    models::BrokenRowsModel* const m_broken;
    QWidget* m_found; // what is told of the finding that was chosen
    QFrame* m_card;
    QLabel* m_why;
    QLabel* m_advice;
    QPushButton* m_open;
    QPushButton* m_plan;
    RowGrid* m_rows;
};

[[nodiscard]] Page* makeInvariantsPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui
