// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/filter.h"

#include <algorithm>

#include "core/profile/library.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/small_world.h"

using namespace fencepost;
using fuzz::require;

namespace {

struct World {
    fuzz::SmallWorld small;
    profile::Library library = *profile::shippedLibrary();
    std::unique_ptr<store::SqlInspector> inspector = small.inspect(library);
    Binding records;
    std::optional<store::BoundProfile> sqlite;
    std::optional<store::BoundProfile> postgres;

    World()
    {
        const auto bindings = *inspector->bindings(true);
        for (const auto& binding : bindings)
            if (binding.name == "idempotency_records")
                records = binding;
        const auto& profile = *library.find("fencepost.idempotency_records");
        for (const auto& table : small.catalog()) {
            if (table.name != "idempotency_records")
                continue;
            sqlite = *store::bindProfile(store::Dialect::Sqlite, profile, table);
            postgres = *store::bindProfile(store::Dialect::PostgreSql, profile, fuzz::inPostgres(table));
        }
        require(sqlite && postgres && !records.name.empty(), "our own records are recognised");
    }
};

bool sameTree(const FilterPtr& a, const FilterPtr& b)
{
    if (!a || !b)
        return a == b;
    if (a->op != b->op || a->children.size() != b->children.size() || a->values.size() != b->values.size())
        return false;
    if (a->op == Filter::Op::Test && (a->field != b->field || a->comparison != b->comparison))
        return false;
    if (a->op == Filter::Op::Flagged && a->flag != b->flag)
        return false;
    for (std::size_t i = 0; i < a->values.size(); ++i)
        if (a->values[i].text != b->values[i].text || a->values[i].typed != b->values[i].typed)
            return false;
    for (std::size_t i = 0; i < a->children.size(); ++i)
        if (!sameTree(a->children[i], b->children[i]))
            return false;
    return true;
}

void checkStatements(const store::BoundProfile& bound, const FilterPtr& filter, Time now)
{
    for (const auto* order : { "created", "lease", "key" }) {
        store::PageWalk walk{ &bound, filter, order, true, now };
        const auto segments = store::segmentsOf(walk);
        require(segments.has_value(), "an order has its segments", order);
        for (const auto& segment : *segments) {
            const auto page = store::compilePage(walk, segment, std::nullopt, false, 200);
            require(page.has_value(), "what is a filter is a statement", page ? "" : page.error().message);
            fuzz::requireSafe(page->text);
        }
    }
}

// The identity of a record has three parts, and rows of another table are refused.
bool isOfRecords(const Filter& filter)
{
    return (filter.op != Filter::Op::Row || filter.values.size() == 3)
        && std::all_of(
            filter.children.begin(), filter.children.end(), [](const FilterPtr& child) { return isOfRecords(*child); });
}

std::size_t rowsOf(World& world, const FilterPtr& filter, const std::string& text)
{
    PageRequest request;
    request.filter = filter;
    const auto page = world.inspector->page(world.records, request);
    require(page.has_value(), "a filter can be asked",
        page ? "" : text + ": " + page.error().message + page.error().detail);
    return page->rows.size();
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static World world;
    const auto text = fuzz::textOf(data, size);
    const auto filter = parseFilter(text);
    if (!filter) {
        fuzz::requireRefusal(filter.error(), size);
        require(filter.error().message.starts_with("at "), "the refusal says where", filter.error().message);
        return 0;
    }
    const auto written = formatFilter(*filter);
    require(written.size() <= 4 * size + 64, "what is written is linear", written);
    const auto again = parseFilter(written);
    require(again.has_value(), "what is written is read", written);
    require(sameTree(*filter, *again) && formatFilter(*again) == written, "a filter is written as it is read", written);

    if (*filter && !isOfRecords(**filter))
        return 0;
    checkStatements(*world.sqlite, *filter, world.small.clock().now());
    checkStatements(*world.postgres, *filter, world.small.clock().now());
    if (!*filter)
        return 0;
    auto opposite = std::make_shared<Filter>();
    opposite->op = Filter::Op::Not;
    opposite->children = { *filter };
    require(rowsOf(world, *filter, written) + rowsOf(world, opposite, written) == fuzz::SmallWorld::rows(),
        "a row passes a filter or its opposite", written);
    return 0;
}
