// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/connections.h"
#include "models/list_model.h"

namespace fencepost::models {

// The user's connections in their own order.
class ConnectionsModel final : public ListModel<Connection> {
    Q_OBJECT

public:
    explicit ConnectionsModel(const Connections& connections, QObject* parent = nullptr);

private:
    void follow(const Connections& connections);
};

} // namespace fencepost::models
