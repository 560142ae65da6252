// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profile/profile.h"

#include "core/operations/operation.h"
#include "core/profile/library.h"
#include "core/store/profile_compiler.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/small_world.h"

using namespace fencepost;
using fuzz::require;

namespace {

// SQLite's own code for a statement that it does not understand.
constexpr auto notUnderstood = "1";

void requireNoNonsense(const Error& error, std::size_t size)
{
    require(error.code != notUnderstood, "what a profile says is a statement", error.message + ": " + error.detail);
    fuzz::requireRefusal(error, size + 4'096);
}

// Every statement that the profile makes of one table, in one dialect.
void checkStatements(const profile::Profile& profile, store::Dialect dialect, const store::CatalogTable& table,
    const std::vector<store::CatalogTable>& catalog, Time now)
{
    const auto bound = store::bindProfile(dialect, profile, table, catalog);
    if (!bound)
        return fuzz::requireRefusal(bound.error(), 16'384);
    store::PageWalk walk{ &*bound, nullptr, "key", true, now };
    const auto segments = store::segmentsOf(walk);
    if (!segments)
        return fuzz::requireRefusal(segments.error(), 16'384);
    for (const auto& segment : *segments) {
        const auto page = store::compilePage(walk, segment, std::nullopt, false, 10);
        if (page)
            fuzz::requireSafe(page->text);
        else
            fuzz::requireRefusal(page.error(), 16'384);
    }
    SeededRandom random(1);
    const std::vector<std::string> identity(profile.identity.size(), "a");
    for (const auto& operation : operations()) {
        const auto steps = store::compileAction(*bound, operation.id, { identity, {}, {}, now }, random);
        if (!steps) {
            fuzz::requireRefusal(steps.error(), 16'384);
            continue;
        }
        for (const auto& step : *steps)
            fuzz::requireSafe(step.statement);
    }
}

// Reads the small world through nothing but this profile.
void checkReading(fuzz::SmallWorld& world, const profile::Library& library, std::size_t size)
{
    const auto inspector = world.inspect(library);
    const auto bindings = inspector->bindings(true);
    if (!bindings)
        return requireNoNonsense(bindings.error(), size);
    for (const auto& binding : *bindings) {
        if (const auto page = inspector->page(binding, {}); !page)
            requireNoNonsense(page.error(), size);
        if (const auto counts = inspector->counts(binding, nullptr, std::chrono::seconds(1)); !counts)
            requireNoNonsense(counts.error(), size);
        for (const auto& capability : binding.capabilities)
            if (const auto sql = inspector->sqlOf(binding, capability.verb, {}); !sql)
                requireNoNonsense(sql.error(), size);
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static fuzz::SmallWorld world;
    static const auto tables = world.catalog();
    static const auto tablesOfPostgres = [] {
        std::vector<store::CatalogTable> made;
        for (const auto& table : tables)
            made.push_back(fuzz::inPostgres(table));
        return made;
    }();
    const auto text = fuzz::textOf(data, size);
    const auto profile = profile::parse(text, "fuzz.json");
    if (!profile) {
        require(
            profile.error().message.starts_with("fuzz.json"), "the refusal names the file", profile.error().message);
        fuzz::requireRefusal(profile.error(), size);
        return 0;
    }
    for (const auto& table : tables) {
        if (table.name != "idempotency_records" && table.name != "idempotency_keys")
            continue;
        checkStatements(*profile, store::Dialect::Sqlite, table, tables, world.clock().now());
        checkStatements(
            *profile, store::Dialect::PostgreSql, fuzz::inPostgres(table), tablesOfPostgres, world.clock().now());
    }
    profile::Library library;
    if (library.add(text, "fuzz.json"))
        checkReading(world, library, size);
    return 0;
}
