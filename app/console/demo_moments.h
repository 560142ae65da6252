// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "app/demo/demo.h"
#include "models/snapshots.h"

namespace fencepost::app {

// Two snapshots of one demo, beside it.
struct DemoMoments {
    QString earlier;
    QString later;
};

// Makes the demo and leaves it whole, with a snapshot of how it stood two hours before its end and one of the end.
[[nodiscard]] Result<DemoMoments> makeDemoWithMoments(const DemoOptions& demo, const models::Snapshots& snapshots);

} // namespace fencepost::app
