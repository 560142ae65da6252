// SPDX-License-Identifier: Apache-2.0
#include "core/profile/named_columns.h"

namespace fencepost::profile {

namespace {

class Collector {
public:
    explicit Collector(const Profile& profile)
        : m_profile(profile)
    {
    }

    void add(const std::string& column) { m_names.insert(withAlias(m_profile, column)); }
    void add(const std::string& alias, const std::string& column) { m_names.insert(alias + '.' + column); }

    void add(const std::vector<std::string>& columns)
    {
        for (const auto& column : columns)
            add(column);
    }

    void add(const ExpressionPtr& expression)
    {
        if (!expression)
            return;
        if (expression->op == Expression::Op::Column || expression->op == Expression::Op::Old)
            add(expression->name);
        for (const auto& argument : expression->arguments)
            add(argument);
    }

    void add(const Step& step)
    {
        const bool elsewhere = step.kind == Step::Kind::Insert;
        for (const auto& [column, value] : step.set) {
            elsewhere ? add(step.other, column) : add(column);
            add(value);
        }
        add(step.which);
        add(step.when);
        add(step.unchanged);
    }

    [[nodiscard]] std::set<std::string> names() && { return std::move(m_names); }

private:
    const Profile& m_profile;
    std::set<std::string> m_names;
};

void addRelations(const Profile& profile, Collector& into)
{
    if (profile.owners) {
        into.add(profile.owners->owner);
        into.add(profile.owners->dead);
    }
    if (!profile.lane)
        return;
    into.add(profile.lane->group);
    into.add(profile.lane->order);
    into.add(profile.lane->behind);
}

} // namespace

std::string withAlias(const Profile& profile, const std::string& column)
{
    const auto alias = column.substr(0, column.find('.'));
    if (alias == column)
        return profile.main + '.' + column;
    if (alias == headAlias)
        return profile.main + column.substr(alias.size());
    return profile.tables.contains(alias) ? column : profile.main + '.' + column;
}

std::set<std::string> namedColumns(const Profile& profile)
{
    Collector names(profile);
    for (const auto& [alias, columns] : profile.detect.require)
        for (const auto& column : columns)
            names.add(alias, column);
    names.add(profile.detect.optional);
    for (const auto& [column, values] : profile.detect.values)
        names.add(column);
    names.add(profile.identity);
    names.add(profile.where);
    names.add(profile.stuck);
    for (const auto& [name, value] : profile.fields)
        names.add(value);
    for (const auto& [name, value] : profile.payload)
        names.add(value);
    for (const auto& state : profile.states)
        names.add(state.when);
    addRelations(profile, names);
    for (const auto& [verb, action] : profile.actions)
        for (const auto& step : action.steps)
            names.add(step);
    return std::move(names).names();
}

} // namespace fencepost::profile
