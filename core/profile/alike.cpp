// SPDX-License-Identifier: Apache-2.0
#include "core/profile/alike.h"

#include <algorithm>
#include <tuple>

namespace fencepost::profile {

namespace {

bool same(const ExpressionPtr& a, const ExpressionPtr& b)
{
    if (a == nullptr || b == nullptr || a == b)
        return a == b;
    return std::tie(a->op, a->literal, a->name) == std::tie(b->op, b->literal, b->name)
        && std::equal(a->arguments.begin(), a->arguments.end(), b->arguments.begin(), b->arguments.end(),
            [](const auto& x, const auto& y) { return same(x, y); });
}

bool same(const Parameter& a, const Parameter& b)
{
    return std::tie(a.type, a.standard, a.generate) == std::tie(b.type, b.standard, b.generate);
}

bool same(const StateCase& a, const StateCase& b)
{
    return a.is == b.is && same(a.when, b.when);
}

// The templates below find these only where they are declared before.
bool same(const Step& a, const Step& b);
bool same(const Action& a, const Action& b);

template <typename Value>
bool same(const std::pair<const std::string, Value>& a, const std::pair<const std::string, Value>& b)
{
    return a.first == b.first && same(a.second, b.second);
}

bool same(const std::pair<std::string, ExpressionPtr>& a, const std::pair<std::string, ExpressionPtr>& b)
{
    return a.first == b.first && same(a.second, b.second);
}

template <typename List> bool sameEach(const List& a, const List& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) { return same(x, y); });
}

bool same(const Step& a, const Step& b)
{
    return std::tie(a.kind, a.other, a.unchanged, a.expect) == std::tie(b.kind, b.other, b.unchanged, b.expect)
        && sameEach(a.set, b.set) && same(a.which, b.which) && same(a.when, b.when);
}

bool same(const Action& a, const Action& b)
{
    return std::tie(a.probe, a.needs) == std::tie(b.probe, b.needs) && sameEach(a.steps, b.steps);
}

bool same(const std::optional<Owners>& a, const std::optional<Owners>& b)
{
    if (!a || !b)
        return !a && !b;
    return same(a->owner, b->owner) && same(a->held, b->held) && same(a->dead, b->dead);
}

bool same(const std::optional<Lane>& a, const std::optional<Lane>& b)
{
    if (!a || !b)
        return !a && !b;
    return std::tie(a->group, a->order) == std::tie(b->group, b->order) && same(a->behind, b->behind)
        && same(a->key, b->key);
}

// What is no expression.
auto plainParts(const Profile& profile)
{
    return std::tie(profile.kind, profile.dialects, profile.detect.require, profile.detect.forbid,
        profile.detect.optional, profile.detect.values, profile.tables, profile.patterns, profile.main, profile.time,
        profile.fencing, profile.external, profile.multiSchema, profile.native);
}

// Whether something is forbidden matters, why it is does not.
bool forbidTheSame(const Profile& a, const Profile& b)
{
    return a.readOnlyReason.empty() == b.readOnlyReason.empty()
        && std::equal(a.forbidden.begin(), a.forbidden.end(), b.forbidden.begin(), b.forbidden.end(),
            [](const auto& x, const auto& y) { return x.first == y.first; });
}

} // namespace

bool differInIdentityOnly(const Profile& a, const Profile& b)
{
    return a.identity != b.identity && plainParts(a) == plainParts(b) && forbidTheSame(a, b) && same(a.where, b.where)
        && sameEach(a.params, b.params) && sameEach(a.fields, b.fields) && sameEach(a.payload, b.payload)
        && sameEach(a.states, b.states) && same(a.stuck, b.stuck) && sameEach(a.actions, b.actions)
        && same(a.owners, b.owners) && same(a.lane, b.lane);
}

} // namespace fencepost::profile
