// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

#include "core/query/row.h"
#include "ui/page.h"

class QDialog;

namespace fencepost {
struct Plan;
}

namespace fencepost::ui {

// A page of the rail. Rail, palette, shortcuts, tour and the pages test are made from the list.
struct PageEntry {
    const char* id; // "keys": also the command line's and the link's word
    const char* title;
    const char* icon; // of resources/icons
    const char* shortcut; // "G, K"
    bool needsSession;
    Page* (*create)(PageContext& context, QWidget* parent);
};

[[nodiscard]] std::span<const PageEntry> pages() noexcept;
[[nodiscard]] const PageEntry* findPage(std::string_view id) noexcept;
// The id of the page that shows tables of this kind.
[[nodiscard]] const char* pageOf(Kind kind) noexcept;

// The parts of the window that are no pages. A null function: this build has none, and what needs it is not offered.
struct Parts {
    Dossier* (*dossier)(PageContext& context, QWidget* parent) = nullptr;
    // The dialog from frozen plan to report. It deletes itself when it is closed.
    QDialog* (*plan)(
        PageContext& context, const Operation& operation, const Selection& selection, QWidget* parent) = nullptr;
    QDialog* (*undo)(PageContext& context, const QString& requestId, QWidget* parent) = nullptr;
    // A plan that was begun and whose run did not end.
    QDialog* (*resume)(PageContext& context, const Plan& interrupted, QWidget* parent) = nullptr;
    // A plan that was read from a file.
    QDialog* (*opened)(PageContext& context, const Plan& plan, QWidget* parent) = nullptr;
};

[[nodiscard]] const Parts& parts() noexcept;

} // namespace fencepost::ui
