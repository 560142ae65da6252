// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages.h"

#include <algorithm>

namespace fencepost::ui {

std::span<const PageEntry> pages() noexcept
{
    return {};
}

const PageEntry* findPage(std::string_view id) noexcept
{
    const auto all = pages();
    const auto found = std::find_if(all.begin(), all.end(), [id](const PageEntry& page) { return id == page.id; });
    return found == all.end() ? nullptr : &*found;
}

const Parts& parts() noexcept
{
    static constexpr Parts none;
    return none;
}

} // namespace fencepost::ui
