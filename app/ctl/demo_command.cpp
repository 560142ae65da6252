// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/demo/demo.h"

namespace fencepost::app {

namespace {

struct Options {
    std::string path;
    std::string seed = "1";
    std::string now;
};

int demo(Context& context, const Options& options)
{
    DemoOptions what;
    what.path = options.path;
    const auto seed = seedOf(options.seed);
    if (!seed)
        return context.usage(seed.error());
    what.seed = *seed;
    if (!options.now.empty()) {
        const auto end = parseInstant(options.now);
        if (!end)
            return context.usage(end.error());
        what.end = *end;
    }
    context.mayChangeFromHere();
    const auto made = makeDemo(what);
    if (!made)
        return context.fail(made.error());
    if (context.out.isJson())
        context.out.object({ { "path", options.path }, { "seed", what.seed }, { "begin", formatInstant(made->begin) },
            { "end", formatInstant(made->end) }, { "store_calls", made->storeCalls } });
    else
        context.out.line(
            "two days of a payments service until " + formatInstant(made->end) + " are in " + printable(options.path));
    return Exit::Done;
}

} // namespace

void addDemoCommand(CLI::App& app, Context& context)
{
    addCommand<Options>(
        app, context, "demo", "Make a demo database by running the protocol with faults",
        [](CLI::App& command, Options& options) {
            command.add_option("path", options.path, "The SQLite file to make")->required();
            command.add_option("--seed", options.seed, "The same seed and end give the same rows (1)");
            command.add_option("--now", options.now, "The instant at which the two days end (default: now)");
        },
        demo);
}

} // namespace fencepost::app
