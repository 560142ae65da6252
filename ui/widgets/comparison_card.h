// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QFrame>

#include "models/comparison.h"
#include "models/zone.h"

class QLabel;

namespace fencepost::ui {

class PlainTable;
class Theme;

// What was created in the last hour beside the hour before it, or in a frozen time beside the one before it, by state.
class ComparisonCard final : public QFrame {
    Q_OBJECT
public:
    ComparisonCard(const Theme& theme, QWidget* parent = nullptr);

    // None: it is still being counted. `states` is the order of the lines.
    void show(const std::optional<models::Comparison>& comparison, const std::vector<std::string>& states, bool frozen,
        const models::Zone& zone);
    using QWidget::show;
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] const PlainTable& table() const { return *m_table; }

Q_SIGNALS:
    // The rows behind a number.
    void chosen(const QString& filter);

private:
    void say(const QString& sentence, const QString& caption);
    void choose(int row, int column);

    QLabel* m_sentence;
    QLabel* m_caption;
    PlainTable* m_table;
    std::optional<models::Comparison> m_comparison;
    std::vector<std::string> m_states; // of the lines after the first
};

} // namespace fencepost::ui
