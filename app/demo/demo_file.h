// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/result.h"

namespace fencepost::app {

// Whether a demo may be written there: nothing is there, or an earlier demo that nobody has open.
[[nodiscard]] Status mayReplace(const std::string& path);

// A folder of its own for the database while it is made, in memory where the system offers that: hundreds of small
// commits need no disk before the file is whole. Removed with the object.
class Workplace {
public:
    [[nodiscard]] static Result<Workplace> make();
    ~Workplace();
    Workplace(Workplace&& other) noexcept;
    Workplace& operator=(Workplace&&) = delete;

    [[nodiscard]] std::string path() const { return m_folder + "/demo.db"; }
    // Marks the closed database as a demo and puts it there at once: either the old file or the whole new one.
    [[nodiscard]] Status moveTo(const std::string& target) const;

private:
    explicit Workplace(std::string folder)
        : m_folder(std::move(folder))
    {
    }

    std::string m_folder;
};

} // namespace fencepost::app
