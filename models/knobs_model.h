// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "core/simulation/scenario_lists.h"

namespace fencepost::models {

// Every knob of one world, with the value at which it stands. A value that is no value of its knob is refused.
class KnobsModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Setting, Value, Usual, Meaning, ColumnCount };
    enum Role { IsTurned = Qt::UserRole }; // it does not stand where it usually does

    explicit KnobsModel(QObject* parent = nullptr);

    void setScenario(simulation::Scenario scenario);
    [[nodiscard]] const simulation::Scenario& scenario() const { return m_scenario; }
    // Why the last value was refused.
    [[nodiscard]] const QString& problem() const { return m_problem; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

    // The phases and faults of the world, which are no rows. A member by its path, "faults[0].for", as it is written;
    // empty: there is no such one.
    [[nodiscard]] QString member(const QString& path) const;
    bool setMember(const QString& path, const QString& value);
    // Within the world's duration.
    void addFault(simulation::FaultKind kind);
    void addPhase();
    void removeEntry(std::string_view list, int entry);

Q_SIGNALS:
    void refused(int row, const QString& problem);
    // `whole`: they are those of another world.
    void listsChanged(bool whole);
    void listRefused(const QString& path, const QString& problem);

private:
    simulation::Scenario m_scenario;
    simulation::Scenario m_usual;
    QString m_problem;
};

// A slider's way over a knob's values: even where they lie close together, else each part of the way multiplies, from a
// place on where the value stops being zero.
class KnobScale {
public:
    static constexpr int positions = 200;

    // A word or a spread that is not even has no place on a slider.
    [[nodiscard]] static bool has(const simulation::ScenarioKnob& knob, const simulation::Scenario& scenario);

    explicit KnobScale(const simulation::ScenarioKnob& knob);
    [[nodiscard]] int positionOf(const simulation::Scenario& scenario) const;
    [[nodiscard]] QString valueAt(int position) const;

private:
    [[nodiscard]] std::int64_t numberAt(int position) const;

    const simulation::ScenarioKnob& m_knob;
    std::int64_t m_least;
    std::int64_t m_most;
    std::int64_t m_first; // the least that is not zero
    bool m_even;
};

} // namespace fencepost::models
