// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/time.h"

namespace fencepost::operation {

// Something that is due every so often.
class Every {
public:
    explicit Every(Duration length)
        : m_length(length)
    {
    }
    bool isDue(Time now)
    {
        if (m_last && now - *m_last < m_length)
            return false;
        m_last = now;
        return true;
    }
    void soon() { m_last.reset(); }

private:
    Duration m_length;
    std::optional<Time> m_last;
};

} // namespace fencepost::operation
