// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <vector>

#include "ui/shell/palette.h"

class QMenu;

namespace fencepost::ui {

class Workspace;
struct PageContext;

// What the search box offers besides commands: the typed text as a link, as any id, as a key, other connections, and
// bookmarked records of the open one.
[[nodiscard]] std::vector<Palette::Offer> findLink(
    const QString& typed, const Theme& theme, const std::function<void(const QString& link)>& follow);
[[nodiscard]] std::vector<Palette::Offer> findIds(const QString& typed, PageContext* context);
[[nodiscard]] std::vector<Palette::Offer> findKeys(const QString& typed, PageContext* context);
[[nodiscard]] std::vector<Palette::Offer> findConnections(
    const QString& typed, Workspace& workspace, const Theme& theme);

[[nodiscard]] std::vector<Palette::Offer> findBookmarks(const QString& typed, PageContext* context);

void fillConnectionMenu(QMenu& menu, Workspace& workspace, const Theme& theme, const std::function<void()>& edit);

// A value of the filter language, quoted where it must be.
[[nodiscard]] QString quotedValue(const QString& value);

} // namespace fencepost::ui
