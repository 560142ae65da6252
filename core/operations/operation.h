// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/inspector.h"

namespace fencepost {

// What an operation asks of the operator before a plan can be made.
struct Choice {
    const char* value; // "succeeded"
    const char* title; // "The effect happened"
};

struct Parameter {
    const char* id; // "as", "evidence"
    const char* title;
    bool required = false;
    std::span<const Choice> choices = {}; // empty: free text
    bool flag = false; // said or not said: its value is "1"
    bool ownTables = false; // it means something on Fencepost's own tables alone
    bool document = false; // many lines of it; the command line takes @FILE for it too
};

// One operator verb, a stateless constant. Menus, palette, shortcut sheet, dialogs and command line are made from the
// list.
struct Operation {
    const char* id; // "fence": also the subcommand and the audit's verb
    const char* title; // "Fence owner"
    const char* verb; // "Fence", for "Fence 3 owners on orders-prod"
    const char* object; // "owner", plural "owners"
    const char* objects;
    const char* shortcut; // "Shift+F"
    const char* summary; // one sentence for the sheet and --help
    const char* inverse; // what undo does, or why there is none
    bool hasInverse;
    const char* inverseVerb; // the audit's verb of the undo: "unexpire", "reopen"; empty without an inverse
    const char* risk; // low, medium, high
    std::span<const Parameter> parameters = {};
    Kind kind = Kind::Idempotency; // of the rows that it is about; a note is about any
    // Empty: it applies; else why not, for the tooltip and the plan's list of left-out rows.
    std::string (*whyNot)(const Binding&, const Row&, Time now);
    // What it will do to this row, in words: "fence 12 → next; owner …af3 can no longer finalize; the record is held".
    std::string (*effect)(const Binding&, const Row&, Time now, const std::map<std::string, std::string>& parameters);
    // What the operator should know before: "its lease is live for 42s". Empty: nothing.
    std::string (*warning)(const Binding&, const Row&, Time now, const std::map<std::string, std::string>& parameters);
    bool looksAtCalls = false; // what was sent to vendors for a record bears on it
};

// fence, release, expire, resolve, fail, replay, edit, discard, note; in the order in which menus show them.
[[nodiscard]] std::span<const Operation> operations() noexcept;
[[nodiscard]] const Operation* findOperation(std::string_view id) noexcept;
// Whether it belongs to tables of that kind; the rest is said by the table's capabilities.
[[nodiscard]] bool isFor(const Operation& operation, Kind kind) noexcept;
// Whether dead letters are what it is about.
[[nodiscard]] bool isOfLetters(std::string_view verb) noexcept;
// A replay is carried out in stages, with a journal.
[[nodiscard]] bool isReplay(std::string_view verb) noexcept;
// An edit is of one event: each has a payload of its own.
[[nodiscard]] bool isEdit(std::string_view verb) noexcept;
// The operation whose undo writes this verb.
[[nodiscard]] const Operation* findInverse(std::string_view inverseVerb) noexcept;
// Whether undo can take it back in this table, and what that does or why it cannot.
[[nodiscard]] bool canBeUndone(const Operation& operation, const Binding& binding) noexcept;
[[nodiscard]] std::string inverseOf(const Operation& operation, const Binding& binding);
// "Fence 3 owners".
[[nodiscard]] std::string countedTitle(const Operation& operation, std::int64_t count);
// The parameters are known to the operation, complete and well-formed; the error names the first that is not.
[[nodiscard]] Status checkParameters(const Operation& operation, const std::map<std::string, std::string>& parameters);

} // namespace fencepost
