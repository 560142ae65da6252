// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/finder.h"
#include "core/inspector.h"
#include "core/store.h"

namespace fencepost {

class TableMapper;

// An open database: the protocol and the inspection over one connection. Opened, used and closed by one thread.
class Backend {
public:
    virtual ~Backend() = default;

    virtual Store& store() = 0; // answers Unsupported where Fencepost's own tables are missing
    virtual Inspector& inspector() = 0;
    // What an id belongs to. Null: it cannot be looked for.
    virtual Finder* finder() { return nullptr; }
    // Its tables for whoever describes one that nobody knows. Null: they are not to be described.
    virtual TableMapper* mapper() { return nullptr; }
    // Stops the running statement. The only function that any thread may call.
    virtual void cancel() = 0;
};

} // namespace fencepost
