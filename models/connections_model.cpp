// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/connections_model.h"

namespace fencepost::models {

namespace {

QString nameText(const Connection& connection, const Display&)
{
    return connection.name;
}

QString environmentText(const Connection& connection, const Display&)
{
    return wordOf(connection.environment);
}

QString urlText(const Connection& connection, const Display&)
{
    return connection.url;
}

QString accessText(const Connection& connection, const Display&)
{
    return connection.readOnly ? QStringLiteral("read-only always") : QStringLiteral("read-only until armed");
}

constexpr Column<Connection> connectionColumns[] = {
    { .id = "name", .title = "Name", .text = nameText, .width = 20 },
    { .id = "environment", .title = "Environment", .text = environmentText, .width = 13 },
    { .id = "address", .title = "Address", .text = urlText, .monospace = true, .middleElision = true, .width = 40 },
    { .id = "access", .title = "Access", .text = accessText, .width = 20 },
};

Identity identity(const Connection& connection)
{
    return { connection.id.toStdString() };
}

} // namespace

ConnectionsModel::ConnectionsModel(const Connections& connections, QObject* parent)
    : ListModel(connectionColumns, identity, parent)
{
    connect(&connections, &Connections::changed, this, [this, &connections] { follow(connections); });
    follow(connections);
}

void ConnectionsModel::follow(const Connections& connections)
{
    if (connections.error()) {
        setError(*connections.error());
        return;
    }
    setRows({ connections.all().begin(), connections.all().end() }, {});
}

} // namespace fencepost::models
