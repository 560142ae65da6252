// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/profile/profile.h"

namespace fencepost::app {

// The schema profiles in force. Any thread. Those that were in force before stay where they are: a connection that was
// opened with them reads by them until it is told otherwise.
class ProfileShelf {
public:
    explicit ProfileShelf(profile::Library library) { (void)put(std::move(library)); }

    [[nodiscard]] std::shared_ptr<const profile::Library> library() const
    {
        const std::lock_guard lock(m_mutex);
        return m_libraries.back();
    }
    std::shared_ptr<const profile::Library> put(profile::Library library)
    {
        const std::lock_guard lock(m_mutex);
        return m_libraries.emplace_back(std::make_shared<const profile::Library>(std::move(library)));
    }

private:
    mutable std::mutex m_mutex;
    std::vector<std::shared_ptr<const profile::Library>> m_libraries;
};

} // namespace fencepost::app
