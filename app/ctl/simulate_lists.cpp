// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/simulate_input.h"
#include "core/simulation/measures.h"
#include "core/simulation/scenario_knobs.h"

namespace fencepost::app {

namespace {

using namespace simulation;

struct ShowOptions {
    std::string scenario;
};

int list(Context& context, const NoOptions&)
{
    Table table(context.out, { "SCENARIO", "VARIANTS", "WHAT IT IS ABOUT" });
    for (const auto& shipped : shippedScenarios()) {
        const auto scenario = parseScenario(shipped.json);
        if (!scenario)
            return context.fail(scenario.error());
        std::string variants;
        auto names = json::array();
        for (const auto& variant : scenario->variants) {
            variants += (variants.empty() ? "" : " ") + variant.name;
            names.push_back(variant.name);
        }
        if (context.out.isJson())
            context.out.object({ { "scenario", scenario->name }, { "title", scenario->title },
                { "shows", scenario->shows }, { "seed", scenario->seed }, { "variants", names } });
        else
            table.add({ scenario->name, variants.empty() ? "-" : variants, scenario->title });
    }
    if (!context.out.isJson())
        table.show();
    return Exit::Done;
}

int show(Context& context, const ShowOptions& options)
{
    const auto scenario = readScenario(options.scenario);
    if (!scenario)
        return context.rejectInput(scenario.error());
    const auto text = formatScenario(*scenario);
    if (context.out.isJson())
        context.out.object(json::parse(text));
    else
        context.out.octets(text);
    return Exit::Done;
}

std::string_view wordOf(KnobForm form)
{
    switch (form) {
    case KnobForm::Count:
        return "count";
    case KnobForm::Rate:
        return "a_second";
    case KnobForm::Chance:
        return "percentage";
    case KnobForm::Length:
        return "length";
    case KnobForm::Spread:
        return "spread";
    case KnobForm::Flag:
        return "true_false";
    case KnobForm::Word:
        return "word";
    }
    return "";
}

std::string allowedOf(const ScenarioKnob& knob)
{
    return knob.words.empty() ? std::string(wordOf(knob.form)) : std::string(knob.words);
}

int knobs(Context& context, const NoOptions&)
{
    const Scenario usual;
    Table settings(context.out, { "SETTING", "USUALLY", "VALUES", "WHAT" });
    for (const auto& knob : scenarioKnobs()) {
        if (context.out.isJson())
            context.out.object({ { "setting", knob.path }, { "usual", shownValue(knob, usual) },
                { "form", wordOf(knob.form) }, { "words", knob.words }, { "meaning", knob.meaning } });
        else
            settings.add(
                { std::string(knob.path), shownValue(knob, usual), allowedOf(knob), std::string(knob.meaning) });
    }
    for (const auto* list : { "phases", "faults" }) {
        const auto* meaning = list == std::string_view("phases")
            ? "when the load is another one, as in \"from=10s until=20s rate=500; from=…\""
            : "what goes wrong, as in \"outage from=20s for=30s share=50%; brownout from=…\"; a file has a list of "
              "objects";
        if (context.out.isJson())
            context.out.object(
                { { "setting", list }, { "usual", "" }, { "form", "list" }, { "words", "" }, { "meaning", meaning } });
        else
            settings.add({ list, "", "list", meaning });
    }
    Table measures(context.out, { "MEASURE", "WHAT" });
    for (const auto& kind : measureKinds()) {
        if (context.out.isJson())
            context.out.object({ { "measure", kind.name }, { "meaning", kind.meaning } });
        else
            measures.add({ std::string(kind.name), std::string(kind.meaning) });
    }
    if (context.out.isJson())
        return Exit::Done;
    settings.show();
    context.out.line("");
    measures.show();
    return Exit::Done;
}

} // namespace

void addSimulationLists(CLI::App& simulate, Context& context)
{
    addCommand<NoOptions>(simulate, context, "list", "The scenarios that come with the program", {}, list);
    addCommand<NoOptions>(
        simulate, context, "knobs", "Everything that can be chosen about a world, and everything measured", {}, knobs);
    addCommand<ShowOptions>(
        simulate, context, "show", "A scenario as a file, to be changed",
        [](CLI::App& command, ShowOptions& it) {
            command.add_option("scenario", it.scenario, "Its name, or a file")->required();
        },
        show);
}

} // namespace fencepost::app
