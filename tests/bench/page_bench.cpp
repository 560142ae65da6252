// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <QCoreApplication>

#include "core/forensics.h"
#include "core/profile/library.h"
#include "core/store/schema.h"
#include "core/store/stores.h"
#include "models/arrivals.h"
#include "tests/bench/figures.h"
#include "tests/bench/require.h"
#include "tests/support/large_table.h"

// page_bench URL [ROWS]: fills the database where it is empty, then asks for all figures of each page as the console
// does, says what each took against its budget and what of it is labelled as an estimate or as not read in time.

namespace {

using namespace fencepost;
using namespace std::chrono_literals;
using test::require;

constexpr int rounds = 5;

class Questions {
public:
    explicit Questions(Duration slowest)
        : m_slowest(slowest)
    {
    }

    // `body` answers what is said about the figures themselves.
    void ask(const std::string& what, Duration budget, const std::function<std::string()>& body)
    {
        std::string said;
        const auto figures = test::measured(rounds, [&](int) { said = body(); });
        test::print(what.c_str(), figures);
        const double allowed = std::chrono::duration<double, std::milli>(budget + m_slowest).count();
        std::printf("  budget %s%s%s\n", formatDuration(budget).c_str(), said.empty() ? "" : "; ", said.c_str());
        m_holds = m_holds && figures.most95 <= allowed;
    }
    [[nodiscard]] bool holds() const { return m_holds; }

private:
    Duration m_slowest; // that a database takes to end a statement whose time is over
    bool m_holds = true;
};

std::string saidOf(const Counts& counts)
{
    return std::to_string(counts.total.value) + " " + std::string(wordOf(counts.total.exactness));
}

std::string saidOf(const Basis& basis)
{
    std::string said = formatDuration(basis.range.until - basis.range.from);
    for (const auto& unread : basis.unread)
        said += "; not read: " + unread;
    return said;
}

void askBinding(Questions& questions, Inspector& inspector, const Binding& binding)
{
    questions.ask(binding.name + " counts", 50ms,
        [&] { return saidOf(require(inspector.counts(binding, nullptr, 50ms), "counts")); });
    questions.ask(binding.name + " arrivals of 48 h", 1s, [&] {
        const auto arrivals = require(models::countArrivals(inspector, binding, {}), "arrivals");
        return std::to_string(arrivals.hours.size()) + " of " + std::to_string(arrivals.wanted) + " hours"
            + (arrivals.whole ? "" : ", the rest later");
    });
    auto& forensics = *inspector.forensics();
    for (const auto stretch : { Duration(1h), Duration(48h) }) {
        const auto hours = std::to_string(stretch / Duration(1h)) + " h";
        const RangeRequest range{ .from = {}, .until = {}, .last = stretch };
        questions.ask(binding.name + " flows of " + hours, 10s,
            [&] { return saidOf(require(forensics.flows(binding, range), "flows").basis); });
        questions.ask(binding.name + " retries of " + hours, 10s, [&] {
            return saidOf(
                require(forensics.retries(binding, { .range = range, .promise = {}, .around = {} }), "retries").basis);
        });
        if (binding.kind == Kind::Idempotency || binding.kind == Kind::Inbox)
            questions.ask(binding.name + " conflicts of " + hours, 10s,
                [&] { return saidOf(require(forensics.conflicts(binding, { .range = range }), "conflicts").basis); });
    }
    // Each rule has the budget to itself: a slow one takes nothing from the others.
    for (const auto& invariant : invariants()) {
        if (invariant.kind != binding.kind)
            continue;
        questions.ask(binding.name + " rule " + std::string(invariant.id), 10s, [&] {
            const auto found = require(forensics.violations(binding, invariant.id), "invariants");
            std::string said = found.violations.empty() ? "kept" : "broken";
            for (const auto& unread : found.basis.unread)
                said += "; not read: " + unread;
            return said;
        });
    }
}

} // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    if (argc < 2 || argv[1][0] == '-') {
        std::fprintf(stderr, "usage: page_bench URL [ROWS]\n");
        return 2;
    }
    const auto target = require(store::parseUrl(argv[1]), "url");
    const std::int64_t rows = argc > 2 ? std::atoll(argv[2]) : 10'000'000;
    {
        const auto connection = require(
            store::Connection::open(target,
                { .access = store::Access::ReadWrite, .statementTimeout = {}, .lockTimeout = 10s, .create = true }),
            "open");
        if (!require(store::schemaStatus(*connection), "schema").version) {
            const auto now = SystemClock().now();
            (void)require(test::fillRecords(*connection, rows, now, false), "records");
            require(test::fillHistory(*connection, rows, now), "history");
        }
    }
    const auto library = require(profile::shippedLibrary(), "profiles");
    const auto backend = require(store::open({ .target = target, .profiles = &library, .auditPath = {} }), "open");
    auto& inspector = backend->inspector();
    Questions questions(500ms);
    for (const auto& binding : require(inspector.bindings(), "tables"))
        askBinding(questions, inspector, binding);
    std::printf("memory at most %.0f MB\n", test::residentMegabytes("VmHWM"));
    return questions.holds() ? 0 : 1;
}
