// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <thread>
#include <tuple>

#include "models/list_model.h"
#include "models/snapshots.h"

namespace fencepost::models {

// How often one kind of difference is there.
struct DifferenceCount {
    std::string table;
    SnapshotChange change = SnapshotChange::Changed;
    std::string states; // statesOf
    std::int64_t count = 0;

    [[nodiscard]] bool holds(const SnapshotDifference& difference) const
    {
        return difference.change == change && difference.table == table && statesOf(difference) == states;
    }
};

// What differs between two snapshots. They are read on a thread of its own; all differences are counted, and as many
// are held as anybody looks through.
class DifferencesModel final : public ListModel<SnapshotDifference> {
    Q_OBJECT

public:
    static constexpr std::int64_t mostHeld = 20'000;

    explicit DifferencesModel(std::shared_ptr<const Snapshots> snapshots, QObject* parent = nullptr);
    ~DifferencesModel() override; // waits for the step in hand

    void compare(const QString& first, const QString& second);
    // Holds those of one kind only, or all again; compares anew. The counts are always of all.
    void narrow(std::optional<DifferenceCount> kind);
    [[nodiscard]] const std::optional<DifferenceCount>& kind() const { return m_kind; }
    [[nodiscard]] const QString& first() const { return m_first; }
    [[nodiscard]] const QString& second() const { return m_second; }
    void stop(); // what was found stays
    void reload() override;
    void refresh() override { reload(); }
    [[nodiscard]] bool loading() const override { return m_running; }
    [[nodiscard]] bool isWhole() const { return m_whole; } // compared to the end
    [[nodiscard]] std::int64_t found() const { return m_found; } // of all kinds
    [[nodiscard]] const std::vector<DifferenceCount>& counts() const { return m_counts; }
    [[nodiscard]] const std::optional<SnapshotPair>& pair() const { return m_pair; }

Q_SIGNALS:
    void paired();
    void progressed();

private:
    struct Work;
    struct Batch;

    void start();
    void take(const Batch& batch);
    void end();

    const std::shared_ptr<const Snapshots> m_snapshots;
    QString m_first;
    QString m_second;
    std::optional<DifferenceCount> m_kind; // none: all
    std::shared_ptr<Work> m_work; // with the thread
    std::thread m_thread;
    std::optional<SnapshotPair> m_pair;
    std::vector<DifferenceCount> m_counts;
    std::int64_t m_found = 0;
    bool m_running = false;
    bool m_counted = false; // before, of the same two: what is counted now is told when it is whole
    bool m_whole = false;
};

} // namespace fencepost::models
