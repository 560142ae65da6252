// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/effects_once.h"

#include "core/store/in_transaction.h"

namespace fencepost::app {

Error newerOwner()
{
    return { Failure::Conflict, "Somebody with a newer fence does it", {} };
}

EffectsOnce::EffectsOnce(const CashierParts& parts, Books& books, const FaultsOfRequest& drawn)
    : m_parts(parts)
    , m_books(books)
    , m_drawn(drawn)
    , m_guard(parts.connection, {})
{
}

Handled EffectsOnce::once(Execution& execution, const Effect& effect)
{
    if (!execution.isKeyed())
        return unguarded(effect);
    if (const auto room = makeRoom(execution, execution.effectId(effect.step)); !room)
        return tryLater(room.error());
    const auto commit = execution.commits();
    auto work = committed([&] { return guarded(execution, effect); });
    return work ? std::move(work->handled) : tryLater(work.error());
}

// A route may go without keys: then nothing recognises the request, and each is an effect of its own.
Handled EffectsOnce::unguarded(const Effect& effect)
{
    auto work = committed([&] { return effect.work(m_parts.freshId("")); });
    return work ? std::move(work->handled) : tryLater(work.error());
}

// In a transaction of its own: a second attempt must find the rows of the first one, and no older ones.
Status EffectsOnce::makeRoom(Execution& execution, const std::string& effectId)
{
    const auto known = m_books.knows(effectId);
    if (!known || !*known)
        return known ? Status() : Status(known.error());
    const auto lives = execution.lives();
    if (!lives)
        return lives.error();
    return store::inTransaction(m_parts.connection, [&]() -> Status {
        const auto begun = m_guard.isBegun(effectId, execution.claim().id);
        if (!begun || *begun)
            return begun ? Status() : Status(begun.error());
        const auto verdict = begin(execution.claim(), effectId, *lives);
        if (!verdict)
            return verdict.error();
        return verdict->turn == EffectTurn::Do ? m_books.retire(effectId) : Status();
    });
}

Result<EffectVerdict> EffectsOnce::begin(const Claim& claim, const std::string& effectId, const KeyLives& lives)
{
    return m_guard.begin(effectId, claim.fence, lives, m_parts.kept(claim.id.operation));
}

Result<std::optional<Work>> EffectsOnce::doneBefore(
    Execution& execution, const std::string& effectId, const std::function<Result<Work>(const std::string&)>& recalled)
{
    const auto lives = execution.lives();
    if (!lives)
        return lives.error();
    const auto verdict = begin(execution.claim(), effectId, *lives);
    if (!verdict)
        return verdict.error();
    if (verdict->turn == EffectTurn::NewerOwner)
        return newerOwner();
    if (verdict->turn != EffectTurn::AlreadyDone)
        return std::optional<Work>();
    auto work = recalled(verdict->ref.value_or(""));
    return work ? Result<std::optional<Work>>(std::move(*work)) : Result<std::optional<Work>>(work.error());
}

// The guard and the writes are one transaction: whoever comes later finds both or neither.
Result<Work> EffectsOnce::guarded(Execution& execution, const Effect& effect)
{
    const auto effectId = execution.effectId(effect.step);
    auto before = doneBefore(execution, effectId, effect.recall);
    if (!before)
        return before.error();
    if (*before)
        return std::move(**before);
    auto work = effect.work(effectId);
    if (!work || !work->ref)
        return work;
    const auto mine = m_guard.done(effectId, execution.claim().fence, work->ref);
    if (!mine)
        return mine.error();
    const auto owned = m_guard.owns(execution.claim());
    if (!owned)
        return owned.error();
    if (!*mine || !*owned)
        return newerOwner();
    m_drawn.reach(Point::P8);
    return work;
}

Result<Work> EffectsOnce::committed(const std::function<Result<Work>()>& body)
{
    std::optional<Work> work;
    const auto done = store::inTransaction(m_parts.connection, [&]() -> Status {
        work.reset();
        auto worked = body();
        if (!worked)
            return worked.error();
        work = std::move(*worked);
        // A refusal has written nothing but the guard, which must go too: the next request may be a good one.
        return work->ref ? Status() : Status(Error{ Failure::Cancelled, "Refused", {} });
    });
    if (work && (done || !work->ref))
        return std::move(*work);
    return done.error();
}

} // namespace fencepost::app
