// SPDX-License-Identifier: Apache-2.0
#include "core/store/stores.h"

#include "core/store/snapshot_seal.h"
#include "core/store/sql_inspector.h"
#include "core/store/sql_store.h"

namespace fencepost::store {

namespace {

// The protocol and the inspection share one connection and one clock.
class SqlBackend final : public Backend {
public:
    SqlBackend(std::unique_ptr<Connection> connection, StoreClock clock, std::optional<Time> stoppedAt)
        : m_connection(std::move(connection))
        , m_stopped(stoppedAt ? std::make_unique<ManualClock>(*stoppedAt) : nullptr)
        , m_store(*m_connection, m_stopped ? StoreClock{ .clock = m_stopped.get(), .bind = false } : clock)
    {
    }

    Status inspectWith(SqlInspector::Settings settings)
    {
        if (m_stopped)
            settings.clock = m_stopped.get();
        auto inspector = SqlInspector::create(*m_connection, settings);
        if (!inspector)
            return inspector.error();
        m_inspector = std::move(*inspector);
        return {};
    }

    Store& store() override { return m_store; }
    Inspector& inspector() override { return *m_inspector; }
    Finder* finder() override { return &m_inspector->finder(); }
    TableMapper* mapper() override { return &m_inspector->mapper(); }
    void cancel() override { m_connection->cancel(); }

private:
    std::unique_ptr<Connection> m_connection;
    std::unique_ptr<ManualClock> m_stopped; // of a snapshot: ages, leases and what is stuck are as they were
    SqlStore m_store;
    std::unique_ptr<SqlInspector> m_inspector;
};

} // namespace

Result<std::unique_ptr<Backend>> open(const OpenRequest& request)
{
    auto connection = Connection::open(request.target, request.options);
    if (!connection)
        return connection.error();
    const auto snapshot = manifestOf(**connection);
    if (!snapshot)
        return snapshot.error();
    auto backend = std::make_unique<SqlBackend>(std::move(*connection),
        StoreClock{ .clock = request.clock, .bind = request.bindClock },
        *snapshot ? std::optional((*snapshot)->takenAt) : std::nullopt);
    const auto inspected = backend->inspectWith({ .clock = request.clock,
        .bindClock = request.bindClock,
        .profiles = request.profiles,
        .auditPath = request.auditPath,
        .identity = request.identity,
        .random = request.random,
        .only = request.only });
    if (!inspected)
        return inspected.error();
    return std::unique_ptr<Backend>(std::move(backend));
}

} // namespace fencepost::store
