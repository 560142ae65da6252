// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/resources.h"

#include <QDir>

// Q_INIT_RESOURCE declares a function of the global namespace, so it cannot stand inside ours.
static void registerFiles()
{
    Q_INIT_RESOURCE(resources);
}

namespace fencepost {

void loadResources()
{
    registerFiles();
}

} // namespace fencepost
