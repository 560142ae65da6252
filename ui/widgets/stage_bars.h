// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QWidget>

#include "core/operations/replay.h"

namespace fencepost::ui {

class Theme;

// The stages of a replay, one bar each: what became of its rows, as parts of the whole stage and in words. A stage
// whose turn has not come is an empty track.
class StageBars final : public QWidget {
    Q_OBJECT
public:
    explicit StageBars(const Theme& theme, QWidget* parent = nullptr);

    void setProgress(const ReplayProgress& progress);
    // "5 rows · 3 succeeded · 1 died again · 1 pending".
    [[nodiscard]] QString wordsOf(std::size_t stage) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintStage(QPainter& painter, const QRect& place, std::size_t stage) const;

    const Theme& m_theme;
    std::vector<StageReport> m_stages;
    std::size_t m_current = 0;
    RunPhase m_phase = RunPhase::Running;
};

} // namespace fencepost::ui
