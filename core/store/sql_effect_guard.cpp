// SPDX-License-Identifier: Apache-2.0
#include "core/store/sql_effect_guard.h"

#include "core/store/in_transaction.h"
#include "core/store/journal.h"
#include "core/store/record_row.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

Error withoutTransaction()
{
    // The guard would be committed before the effect, and a crash between them would lose the effect for ever.
    return invalid("An effect is guarded in the transaction that carries it out");
}

} // namespace

SqlEffectGuard::SqlEffectGuard(Connection& connection, StoreClock clock)
    : m_connection(connection)
    , m_clock(clock)
{
}

Result<bool> SqlEffectGuard::owns(const Claim& claim)
{
    if (!m_connection.inTransaction())
        return withoutTransaction();
    Parameters parameters;
    addKey(parameters, claim.id).text("owner", claim.owner.uuid).integer("fence", claim.fence.value);
    const auto rows = m_connection.native().run(sql::owned_record, parameters, [](const NativeRow&) {});
    if (!rows)
        return rows.error();
    return *rows > 0;
}

Result<bool> SqlEffectGuard::isBegun(const std::string& effectId, const RecordId& record)
{
    const auto id = fromHex(effectId);
    if (!id)
        return id.error();
    std::optional<Fence> fence;
    bool done = false;
    bool remembered = false;
    const auto read = m_connection.native().run(sql::effect_fence,
        Parameters().octets("effect_id", *id).time("now", boundTime(m_connection, m_clock)), [&](const NativeRow& row) {
            fence = Fence{ row.integer(0) };
            done = row.octets(1) == "DONE";
            remembered = row.integer(2) != 0;
        });
    if (!read)
        return read.error();
    if (!fence)
        return false;
    const auto lives = livesOf(m_connection, record);
    if (!lives)
        return lives.error();
    if (!isOfEarlierLife(*fence, *lives))
        return true;
    return !done && (remembered || !isOfPastLife(*fence, *lives));
}

// The fence under which an earlier life did it that had an outcome.
Result<std::optional<Fence>> SqlEffectGuard::pastFence(const Bytes& effectId, const KeyLives& lives)
{
    std::optional<Fence> past;
    if (lives.size() < 2)
        return past;
    const auto read = m_connection.native().run(sql::effect_fence,
        Parameters().octets("effect_id", effectId).time("now", boundTime(m_connection, m_clock)),
        [&](const NativeRow& row) { past = Fence{ row.integer(0) }; });
    if (!read)
        return read.error();
    return past && isOfPastLife(*past, lives) ? past : std::optional<Fence>();
}

Result<EffectVerdict> SqlEffectGuard::begin(
    const std::string& effectId, Fence fence, const KeyLives& lives, Duration keep)
{
    const auto id = fromHex(effectId);
    if (!id)
        return id.error();
    if (keep <= Duration(0))
        return invalid("An effect is remembered longer than nothing");
    if (!m_connection.inTransaction())
        return withoutTransaction();
    const auto over = pastFence(*id, lives);
    if (!over)
        return over.error();
    bool won = false;
    const auto begun = m_connection.native().run(sql::effect_begin,
        Parameters()
            .octets("effect_id", *id)
            .integer("fence", fence.value)
            .integer("past_fence", *over ? std::optional((*over)->value) : std::nullopt)
            .integer("keep", keep.count())
            .time("now", boundTime(m_connection, m_clock)),
        [&](const NativeRow&) { won = true; });
    if (!begun)
        return begun.error();
    if (won)
        return EffectVerdict{ EffectTurn::Do };
    EffectVerdict verdict;
    const auto done = m_connection.native().run(sql::effect_remember,
        Parameters()
            .octets("effect_id", *id)
            .integer("fence", fence.value)
            .integer("keep", keep.count())
            .time("now", boundTime(m_connection, m_clock)),
        [&](const NativeRow& row) {
            verdict = { EffectTurn::AlreadyDone, row.optionalText(0) };
        });
    if (!done)
        return done.error();
    return verdict;
}

Result<bool> SqlEffectGuard::done(const std::string& effectId, Fence fence, const std::optional<std::string>& ref)
{
    const auto id = fromHex(effectId);
    if (!id)
        return id.error();
    if (!m_connection.inTransaction())
        return withoutTransaction();
    const auto changed = m_connection.native().run(
        sql::effect_done, Parameters().octets("effect_id", *id).integer("fence", fence.value).text("ref", ref));
    if (!changed)
        return changed.error();
    return *changed == 1;
}

Result<int> SqlEffectGuard::purge(int batch)
{
    return inTransaction(m_connection, [&] {
        return m_connection.native().run(
            sql::effect_purge, Parameters().integer("batch", batch).time("now", boundTime(m_connection, m_clock)));
    });
}

} // namespace fencepost::store
