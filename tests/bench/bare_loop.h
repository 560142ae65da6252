// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/store/database.h"

namespace fencepost::bench {

inline const std::string owner = "00000000-0000-4000-8000-000000000001";
inline const std::string body = R"({"id":"pay_0123456789","status":"succeeded","amount":1000,"currency":"EUR"})";

// The statements of reserve and finalize in the C interface of their database and nothing around them: what there is to
// lose. Ends the program where one of them fails.
class BareLoop {
public:
    virtual ~BareLoop() = default;
    virtual void pair(const std::string& key) = 0;
};

[[nodiscard]] std::unique_ptr<BareLoop> bareLoop(const store::Target& target);

// Pairs per second of pgbench with the same two statements; none where it is not installed.
[[nodiscard]] std::optional<double> pgbenchPerSecond(const store::Target& target, int clients);

} // namespace fencepost::bench
