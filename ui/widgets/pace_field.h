// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QWidget>

class QDoubleSpinBox;
class QLabel;

namespace fencepost::ui {

// How many rows of a plan are carried out per second at most, and how long that takes.
class PaceField final : public QWidget {
    Q_OBJECT
public:
    explicit PaceField(QWidget* parent = nullptr);

    // None: as fast as the database answers.
    [[nodiscard]] std::optional<double> pace() const;
    void setPace(std::optional<double> rowsPerSecond);
    // The same, unless somebody is typing another one.
    void follow(std::optional<double> rowsPerSecond);
    // Rows that the estimate is of; none: there is no estimate.
    void setRows(std::optional<std::size_t> rows);
    [[nodiscard]] QString estimate() const;

Q_SIGNALS:
    void paceChosen(std::optional<double> rowsPerSecond);

private:
    void showEstimate();

    QDoubleSpinBox* m_field;
    QLabel* m_estimate;
    std::optional<std::size_t> m_rows;
};

} // namespace fencepost::ui
