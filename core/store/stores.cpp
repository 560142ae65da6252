// SPDX-License-Identifier: Apache-2.0
#include "core/store/stores.h"

#include "core/store/sql_inspector.h"
#include "core/store/sql_store.h"

namespace fencepost::store {

namespace {

// The protocol and the inspection share one connection and one clock.
class SqlBackend final : public Backend {
public:
    SqlBackend(std::unique_ptr<Connection> connection, StoreClock clock)
        : m_connection(std::move(connection))
        , m_store(*m_connection, clock)
    {
    }

    Status inspectWith(const SqlInspector::Settings& settings)
    {
        auto inspector = SqlInspector::create(*m_connection, settings);
        if (!inspector)
            return inspector.error();
        m_inspector = std::move(*inspector);
        return {};
    }

    Store& store() override { return m_store; }
    Inspector& inspector() override { return *m_inspector; }
    Finder* finder() override { return &m_inspector->finder(); }
    void cancel() override { m_connection->cancel(); }

private:
    std::unique_ptr<Connection> m_connection;
    SqlStore m_store;
    std::unique_ptr<SqlInspector> m_inspector;
};

} // namespace

Result<std::unique_ptr<Backend>> open(const OpenRequest& request)
{
    auto connection = Connection::open(request.target, request.options);
    if (!connection)
        return connection.error();
    auto backend = std::make_unique<SqlBackend>(
        std::move(*connection), StoreClock{ .clock = request.clock, .bind = request.bindClock });
    const auto inspected = backend->inspectWith({ .clock = request.clock,
        .bindClock = request.bindClock,
        .profiles = request.profiles,
        .auditPath = request.auditPath,
        .identity = request.identity,
        .random = request.random });
    if (!inspected)
        return inspected.error();
    return std::unique_ptr<Backend>(std::move(backend));
}

} // namespace fencepost::store
