// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include <QElapsedTimer>
#include <QObject>

#include "models/arrivals.h"
#include "models/comparison.h"
#include "models/session.h"

namespace fencepost::models {

// One recognised table as the overview shows it.
struct OverviewEntry {
    BindingPtr binding;
    std::optional<Counts> counts; // of the last answer, kept while a newer one is awaited or failed
    std::optional<Error> error; // of the last attempt
    bool askedAgain = false; // the first answer left something open
};

// What could not be counted in time, filled from the count before: the best estimate that there is, and called one.
[[nodiscard]] Counts withEstimates(Counts counts, const std::optional<Counts>& before);

// Counts of every recognised table, each within a budget, one after the other so that other reads go in between.
class Overview : public QObject {
    Q_OBJECT

public:
    explicit Overview(Session& session, QObject* parent = nullptr);

    // Counts again; what is known stays until the answers come.
    void reload();
    // The arrivals of one table, when it or a range is chosen.
    void loadArrivals(const QString& binding, const ArrivalsRequest& request = {});
    // The same again, with those of before until they are there; too dear for every refresh of a large table, and left
    // out until it has cost little of the time.
    void refreshArrivals(const QString& binding, const ArrivalsRequest& request = {});
    // So many times what they cost passes before they are counted again.
    void restForEachChart(int times) { m_restForEachChart = times; }
    // Of the hour up to now where no range is given.
    void loadComparison(const QString& binding, const std::optional<TimeRange>& range);

    [[nodiscard]] const std::vector<OverviewEntry>& entries() const { return m_entries; }
    [[nodiscard]] const OverviewEntry* entry(const QString& binding) const; // null: there is none
    [[nodiscard]] const std::optional<Arrivals>& arrivals() const { return m_arrivals; }
    [[nodiscard]] const std::optional<Comparison>& comparison() const { return m_comparison; }
    [[nodiscard]] bool loading() const { return m_next < m_entries.size(); }
    // Of the newest counts of all tables.
    [[nodiscard]] Cost cost() const;

Q_SIGNALS:
    void changed();
    void arrivalsChanged();
    void comparisonChanged();

private:
    void countArrivalsOf(const BindingPtr& binding, const ArrivalsRequest& request);
    void takeBindings();
    void countNext();

    Session& m_session;
    std::vector<OverviewEntry> m_entries;
    std::size_t m_next = 0; // the table that is counted now
    std::optional<Arrivals> m_arrivals;
    QElapsedTimer m_arrivalsAsked;
    Duration m_arrivalsCost{}; // from the question to its answer
    int m_restForEachChart = 1000;
    QString m_comparedBinding;
    std::optional<Comparison> m_comparison; // kept while the same is asked again
    Latest<Result<Counts>> m_countsLoad;
    Latest<Result<Arrivals>> m_arrivalsLoad;
    Latest<Result<Comparison>> m_comparisonLoad;
};

} // namespace fencepost::models
