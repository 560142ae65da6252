// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lab/books.h"
#include "app/lab/lab.h"
#include "app/lab/look_routes.h"
#include "core/store/sql_store.h"

namespace fencepost::app {

// What whoever only looks is told from.
struct LookEndpoint {
    Books& books;
    store::SqlStore& store; // without faults: who looks has none
    Lab& lab;
};

[[nodiscard]] HttpResponse answerLook(const LookEndpoint& endpoint, const HttpRequest& request);

} // namespace fencepost::app
