// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.h"
#include "core/clock.h"
#include "core/operations/operation.h"
#include "core/random.h"

namespace fencepost {

// One row of a plan as it was seen. What the plan acts on is this list, never a filter.
struct PlanItem {
    int number = 0; // the audit's item; an undo keeps the numbers of the plan that it undoes
    std::vector<std::string> identity;
    std::string key;
    std::string state;
    std::optional<std::int64_t> fence;
    std::map<std::string, std::string> seen; // cas columns
    std::map<std::string, std::string> parameters; // of this row alone, over those of the plan
    std::string effect; // in words
    std::string warning; // "the lease is live", …
    std::string verdict; // of a dead letter: a word of ReplayVerdict

    bool operator==(const PlanItem&) const = default;
};

struct LeftOut {
    std::vector<std::string> identity;
    std::string key;
    std::string why;
    std::string verdict; // as in PlanItem

    bool operator==(const LeftOut&) const = default;
};

// A frozen plan: a file that can be reviewed, approved and applied headless. Format 1; its hash covers all the rest.
struct Plan {
    std::string requestId; // UUID: a second run is answered from the audit
    std::string verb;
    std::string binding;
    std::string profile;
    std::string database; // DatabaseInfo::identity
    std::string filter; // as typed, for the reader; empty: rows were named
    std::map<std::string, std::string> parameters;
    std::string reason;
    std::string actor;
    Time createdAt; // the database's clock
    std::vector<PlanItem> items;
    std::vector<LeftOut> leftOut; // matched, but the verb does not apply
    std::map<std::string, std::int64_t> countsByState;
    std::map<std::string, std::int64_t> verdicts; // of all rows that matched, also those that were left out
    std::string effect; // in words, for the whole
    std::string inverse;
    std::string sql;
    std::string undoOf; // request id of the plan that this one undoes
    std::vector<std::string> warnings; // of the table when it was read: rows may be hidden, …

    bool operator==(const Plan&) const = default;
};

struct PlanRequest {
    std::string verb;
    std::string filter; // text; used where identities is empty. An empty filter with no identities is refused
    std::vector<std::vector<std::string>> identities;
    std::map<std::string, std::string> parameters;
    std::string reason;
    std::string actor;
    std::int64_t limit = 100'000; // more matching rows are an error: narrow the filter
    // Of the policy: expiring such a row must be asked for twice and leaves a tombstone. None: no row is financial.
    std::function<bool(const Row& row)> isFinancial = {};
};

// Reads the rows and freezes them. Changes nothing.
[[nodiscard]] Result<Plan> makePlan(
    Inspector& inspector, const Binding& binding, const PlanRequest& request, Random& random);
// The plan that takes back what an earlier request changed, from the images in the audit. Its request id follows from
// the earlier one, so undoing twice is answered "already done". Unsupported: the verb has no inverse.
[[nodiscard]] Result<Plan> makeUndo(Inspector& inspector, const std::string& requestId, const std::string& reason,
    const std::string& actor, Random& random);

[[nodiscard]] std::string formatPlan(const Plan& plan); // JSON with its hash
// Invalid: not a plan, half-written, edited after it was made, or of another format.
[[nodiscard]] Result<Plan> parsePlan(std::string_view text);

struct ItemReport {
    int item = 0;
    std::string key;
    ItemOutcome outcome;
};

struct RunReport {
    std::string requestId;
    std::int64_t changed = 0;
    std::int64_t alreadyDone = 0;
    std::int64_t skipped = 0;
    std::int64_t failed = 0;
    std::int64_t notRun = 0; // stopped before its turn; with the others it adds up to the plan's size
    std::vector<ItemReport> items;
    std::optional<Error> stoppedBy; // full disk, lost connection: the rest was not run
    bool forGood = false; // stopped so that it cannot be gone on with
};

// Called after each item; false stops.
using Progress = std::function<bool(const ItemReport& report, std::size_t done, std::size_t total)>;

// Refuses a plan for another database or binding. Errors of single rows are in the report; an error that would meet
// every row (full disk, lost connection, missing right) stops the run. Running a plan again finishes it: rows that were
// changed are answered "already done". `actor` (user@host) carries it out and is audited; who made the plan is kept
// beside where that was somebody else.
[[nodiscard]] Result<RunReport> applyPlan(
    Inspector& inspector, const Plan& plan, const std::string& actor, const Progress& progress);

} // namespace fencepost
