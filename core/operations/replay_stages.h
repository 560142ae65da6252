// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/operations/plan.h"
#include "core/run_journal.h"

namespace fencepost {

struct StageReport {
    std::int64_t rows = 0;
    std::int64_t changed = 0; // put back, by this run or before
    std::int64_t skipped = 0;
    std::int64_t failed = 0;
    // Of those that were put back, where that is asked for.
    std::int64_t succeeded = 0;
    std::int64_t deadAgain = 0;
    std::int64_t pending = 0;
    std::int64_t failing = 0; // of those that are pending: what was tried since has failed

    [[nodiscard]] std::int64_t done() const { return changed + skipped + failed; }
};

[[nodiscard]] StageReport sumOf(const std::vector<StageReport>& stages);

// The rows of a replay, stage by stage: what was done with each and what became of it. Rows are told by their place in
// the plan. Used by one thread at a time, that of the journal.
class ReplayStages {
public:
    struct Told {
        std::string outcome; // a word of ItemResult; empty: its turn has not come
        std::string detail;
        bool here = false; // done by who holds this, not read from the journal
    };

    ReplayStages() = default;
    // `ramp`: rows of the first stages, all the rest is the last. `asks`: what became of the rows is asked for. A row
    // that is skipped proves nothing: its stage takes the next one as well.
    ReplayStages(const Plan& plan, const std::vector<int>& ramp, bool asks);

    [[nodiscard]] bool asks() const { return m_asks; }
    [[nodiscard]] std::size_t rows() const { return m_rows.size(); }
    [[nodiscard]] std::size_t stages() const { return m_ends.size(); }
    [[nodiscard]] std::size_t endOf(std::size_t stage) const { return m_ends[stage]; }
    // The first that is not over: with rows that have had no turn, or no outcome yet.
    [[nodiscard]] std::size_t current() const;
    [[nodiscard]] const std::vector<StageReport>& reports() const { return m_reports; }
    [[nodiscard]] StageReport sum() const { return sumOf(m_reports); }
    // What a brake judges by: the outcomes of a stage, and of all stages the newest, those since settle(). Neither has
    // what was forgiven.
    [[nodiscard]] const StageReport& judged(std::size_t stage) const { return m_judged[stage]; }
    [[nodiscard]] const StageReport& newest() const { return m_newest; }
    void settle();
    // What became of rows so far, with the attempts that failed, is no reason any more.
    void forgive();
    [[nodiscard]] const Told& told(std::size_t row) const { return m_rows[row].told; }
    [[nodiscard]] bool isPutBack(std::size_t row) const;
    [[nodiscard]] std::vector<ReplayFate> fates() const; // Pending where nothing is known of it

    void note(std::size_t row, Told told);
    // What the journal knows of rows that were not done here.
    Status recall(RunJournal& journal);
    // What became of those that were put back and are not known yet: of `most` of them, spread over all, others each
    // time. True: the target of one asked to be left alone, and it was not known to wait for that.
    Result<bool> askFates(RunJournal& journal, std::size_t most);

private:
    struct Row {
        int number = 0;
        std::string letter;
        int deaths = 0; // as the plan saw them
        Told told;
        ReplayFate fate = ReplayFate::Pending;
        bool fails = false; // while it is pending
        bool waits = false; // for a target that asked to be left alone
        bool passed = false; // its stage has taken another row for it
        bool settled = false;
        bool forgiven = false;
    };

    void note(std::size_t row, ReplayFate fate, bool fails);
    // Adds a row to what is told of its stage, or takes it out.
    void count(std::size_t row, int sign);
    void widen(std::size_t stage);
    void count(StageReport& into, std::size_t row, int sign) const;
    [[nodiscard]] bool isKnown(std::size_t row) const;
    [[nodiscard]] std::size_t stageOf(std::size_t row) const;
    [[nodiscard]] std::vector<std::size_t> someOpen(std::size_t most);

    std::string m_requestId;
    bool m_asks = false;
    std::vector<Row> m_rows; // as the plan's
    std::vector<std::size_t> m_ends; // of the stages
    std::vector<StageReport> m_reports; // of the stages
    std::vector<StageReport> m_judged; // as the stages
    StageReport m_newest;
    std::size_t m_sample = 0; // how often some were asked for
    std::set<std::size_t> m_open; // put back, and what became of them is not known
};

} // namespace fencepost
