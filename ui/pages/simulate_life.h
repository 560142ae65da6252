// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include <QWidget>

#include "core/simulation/simulator.h"
#include "ui/widgets/state_path.h"
#include "ui/widgets/timeline_layout.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace fencepost::ui {

class StalePart;
class StateDiagram;
class Theme;
class Timeline;

// The life of one simulated request as marks of a timeline, and its record's path as far as one of them.
[[nodiscard]] std::vector<Mark> marksOf(const std::vector<simulation::TraceLine>& trace, Time start);
[[nodiscard]] StatePath pathOf(const std::vector<simulation::TraceLine>& trace, Time start, std::size_t until);

// One request, step by step: what happened to it, and where its record stood.
class SimulateLife final : public QWidget {
    Q_OBJECT
public:
    SimulateLife(const Theme& theme, QWidget* parent);

    void setWorlds(const QStringList& names, std::int64_t requests, std::uint64_t interesting);
    // `whose`: which world the request is of.
    void show(const std::shared_ptr<const simulation::Outcome>& outcome, Time start, const QString& whose);
    using QWidget::show;
    // What is shown is of another run than the last one, or of other worlds than what is chosen by now.
    void setStale(bool stale);
    [[nodiscard]] bool isStale() const;
    [[nodiscard]] QString whose() const;
    void step(int by);
    [[nodiscard]] std::size_t current() const { return m_current; }
    [[nodiscard]] Timeline& timeline() const { return *m_timeline; }
    [[nodiscard]] StateDiagram& diagram() const { return *m_diagram; }

Q_SIGNALS:
    void asked(int world, quint64 request);

private:
    void build(const Theme& theme);
    void choose(std::size_t mark);

    QComboBox* m_world;
    QSpinBox* m_request;
    QPushButton* m_show;
    QPushButton* m_back;
    QPushButton* m_on;
    QLabel* m_words;
    QLabel* m_whose;
    StalePart* m_stale = nullptr;
    Timeline* m_timeline;
    StateDiagram* m_diagram;
    std::shared_ptr<const simulation::Outcome> m_outcome;
    Time m_start{};
    std::size_t m_current = 0;
};

} // namespace fencepost::ui
