// SPDX-License-Identifier: GPL-3.0-or-later
// Canonical form and fingerprint of JSON bodies, beside a bare parse of the same body by the JSON library into its
// tree.
#include <functional>
#include <string>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "core/protocol/canonical_json.h"
#include "core/protocol/fingerprint.h"

namespace {

using namespace fencepost;

enum Body { Payments, Unordered, Numbers };

// A body of about so many octets.
std::string bodyOf(Body kind, std::size_t size)
{
    std::string body = "[";
    for (std::size_t i = 0; body.size() < size; ++i) {
        const auto number = std::to_string(i);
        if (kind == Payments)
            body += R"({"id":"ch_)" + number + R"(","amount":)" + std::to_string(i * 7 % 100'000)
                + R"(,"currency":"EUR","rate":)" + std::to_string(static_cast<double>(i) * 0.37)
                + R"(,"note":"grüß \"x\" from the ledger of a customer","tags":[true,null,"a"]},)";
        else if (kind == Unordered)
            body += R"({"b":1,"a":1},)";
        else
            body += std::to_string(static_cast<double>(i) * 0.137) + ',';
    }
    body.back() = ']';
    return body;
}

void measure(benchmark::State& state, const std::function<void(const std::string&)>& work)
{
    const auto body = bodyOf(static_cast<Body>(state.range(0)), static_cast<std::size_t>(state.range(1)));
    for (auto _ : state)
        work(body);
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * body.size()));
}

void parse(benchmark::State& state)
{
    measure(state, [](const std::string& body) { benchmark::DoNotOptimize(nlohmann::json::parse(body)); });
}

void canonicalise(benchmark::State& state)
{
    measure(state, [](const std::string& body) { benchmark::DoNotOptimize(canonicalJson(body)); });
}

void takeFingerprint(benchmark::State& state)
{
    const FingerprintProfile profile{ .longestBody = std::size_t{ 1 } << 40U };
    measure(state, [&](const std::string& body) {
        const FingerprintRequest request{ "POST", "/refunds", "", { { "Content-Type", "application/json" } }, body };
        benchmark::DoNotOptimize(fingerprint(request, profile));
    });
}

void sizes(benchmark::internal::Benchmark* measurement)
{
    measurement->ArgNames({ "body", "octets" })->Unit(benchmark::kMillisecond);
    for (const std::int64_t size : { 1'000, 1'000'000, 100'000'000 })
        for (const auto kind : { Payments, Unordered, Numbers })
            measurement->Args({ kind, size });
}

BENCHMARK(parse)->Apply(sizes);
BENCHMARK(canonicalise)->Apply(sizes);
BENCHMARK(takeFingerprint)->Apply(sizes);

} // namespace

BENCHMARK_MAIN();
