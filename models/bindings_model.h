// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/list_model.h"
#include "models/session.h"

namespace fencepost::models {

// The recognised tables of a session.
class BindingsModel final : public ListModel<BindingPtr> {
    Q_OBJECT

public:
    explicit BindingsModel(const Session& session, QObject* parent = nullptr);
};

} // namespace fencepost::models
