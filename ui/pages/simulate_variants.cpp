// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QTabBar>
#include <QToolButton>

#include "core/simulation/scenario_lists.h"
#include "ui/pages/simulate_page.h"
#include "ui/pages/simulate_sweep.h"
#include "ui/words.h"

namespace fencepost::ui {

std::vector<simulation::Variant> SimulatePage::otherVariants() const
{
    std::vector<simulation::Variant> others;
    for (const auto& variant : m_scenario.variants)
        if (std::none_of(
                m_worlds.begin(), m_worlds.end(), [&](const World& world) { return world.name == variant.name; }))
            others.push_back(variant);
    return others;
}

void SimulatePage::listOthers()
{
    m_others->clear();
    const bool full = std::ssize(m_worlds) == mostVariants;
    auto* copy = m_others->addAction(tr("A copy of this one"), this, &SimulatePage::addVariant);
    copy->setEnabled(!full);
    const auto others = otherVariants();
    if (!others.empty())
        m_others->addSeparator();
    for (const auto& variant : others) {
        const auto title = text(variant.title.empty() ? variant.name : variant.title);
        m_others->addAction(full ? tr("%1, in the place of this one").arg(title) : title, this,
            [this, name = variant.name] { takeVariant(name); });
    }
}

// What stands above the settings, and whether there is anything to add.
void SimulatePage::tellVariants()
{
    auto words = sentence(m_scenario.shows);
    if (const auto others = otherVariants(); !others.empty()) {
        QStringList names;
        for (const auto& variant : others)
            names += text(variant.name);
        words += tr(" %1 of its %2 variants are compared; + offers the rest: %3.")
                     .arg(m_scenario.variants.size() - others.size())
                     .arg(m_scenario.variants.size())
                     .arg(names.join(QStringLiteral(", ")));
    }
    if (const auto source = m_worlds.empty() ? std::string() : sourceOf(m_worlds.front().scenario); !source.empty())
        words += tr(" It is %1.").arg(text(source));
    m_shows->setText(words);
    m_variants->setTabsClosable(m_worlds.size() > 1);
    m_add->setEnabled(std::ssize(m_worlds) < mostVariants || !otherVariants().empty());
    tellSweep();
    showStale();
}

void SimulatePage::tellSweep()
{
    std::vector<std::vector<std::string>> members;
    for (std::size_t place = 0; place < m_worlds.size(); ++place)
        members.push_back(memberPaths(int(place) == m_current ? m_knobs.scenario() : m_worlds[place].scenario));
    m_sweep->setWorlds(worldNames(), std::move(members));
}

QString SimulatePage::words() const
{
    return m_shows->text();
}

void SimulatePage::appendVariant(World world)
{
    m_worlds.push_back(std::move(world));
    m_variants->setTabText(0, worldNames().front());
    m_variants->addTab(worldNames().back());
    m_variants->setCurrentIndex(m_variants->count() - 1);
    tellVariants();
}

void SimulatePage::addVariant()
{
    if (m_worlds.empty() || std::ssize(m_worlds) == mostVariants)
        return;
    keepVariant();
    auto copy = m_worlds[std::size_t(m_current)];
    if (m_worlds.front().name.empty())
        m_worlds.front().name = "as_it_is";
    const auto isTaken = [&](const std::string& name) {
        return std::any_of(m_worlds.begin(), m_worlds.end(), [&](const World& world) { return world.name == name; });
    };
    int number = 2;
    while (isTaken("variant_" + std::to_string(number)))
        ++number;
    copy.name = copy.title = "variant_" + std::to_string(number);
    appendVariant(std::move(copy));
}

void SimulatePage::takeVariant(const std::string& name)
{
    const auto others = otherVariants();
    const auto found = std::find_if(
        others.begin(), others.end(), [&](const simulation::Variant& variant) { return variant.name == name; });
    if (found == others.end())
        return;
    auto turned = withVariant(m_scenario, *found);
    if (!turned)
        return;
    World world{ found->name, found->title.empty() ? found->name : found->title, std::move(*turned) };
    if (std::ssize(m_worlds) < mostVariants) {
        keepVariant();
        return appendVariant(std::move(world));
    }
    m_worlds[std::size_t(m_current)] = std::move(world);
    m_variants->setTabText(m_current, worldNames()[m_current]);
    m_knobs.setScenario(m_worlds[std::size_t(m_current)].scenario);
    tellVariants();
}

void SimulatePage::removeVariant(int place)
{
    if (m_worlds.size() < 2 || place < 0 || place >= std::ssize(m_worlds))
        return;
    keepVariant();
    m_worlds.erase(m_worlds.begin() + place);
    {
        const QSignalBlocker quiet(m_variants);
        m_variants->removeTab(place);
    }
    m_current = std::max(m_variants->currentIndex(), 0);
    m_knobs.setScenario(m_worlds[std::size_t(m_current)].scenario);
    tellVariants();
}

} // namespace fencepost::ui
