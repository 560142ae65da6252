// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/message_path.h"

namespace fencepost::ui {

// Goes from state to state of one row and judges each step by the machine of its kind.
class PathWalk {
public:
    explicit PathWalk(const MessageHistory& history);

    [[nodiscard]] const std::string& state() const { return m_state; }
    // `step` without its states.
    void go(std::string_view to, PathStep step);
    // Nobody wrote down how it came there.
    void jump(std::string_view to);
    // As a sentence; the same one is said once.
    void remark(const QString& sentence);
    [[nodiscard]] StatePath take() { return std::move(m_path); }

private:
    [[nodiscard]] std::string placed(std::string_view state) const;

    StatePath m_path;
    bool m_native;
    std::string m_state = "ABSENT";
};

// The code of an attempt that ended without a word.
inline constexpr std::string_view lapseCode = "lease_expired";

// Of an inbox or an outbox, and of dead letters.
[[nodiscard]] StatePath messagePath(const MessageHistory& history);
[[nodiscard]] StatePath letterPath(const MessageHistory& history);

} // namespace fencepost::ui
