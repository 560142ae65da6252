// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <csignal>
#include <fstream>
#include <string>

#include <QProcess>

namespace fencepost::testing {

// False: it has ended already. Its id is 0 then, and a signal to 0 ends the test, what runs beside it and who started
// them.
[[nodiscard]] inline bool signalProcess(const QProcess& process, int signal)
{
    const auto id = static_cast<pid_t>(process.processId());
    return id > 0 && ::kill(id, signal) == 0;
}

// Also of one that is no child of ours: what nobody has waited for yet has ended all the same.
[[nodiscard]] inline bool hasEnded(pid_t id)
{
    std::ifstream file("/proc/" + std::to_string(id) + "/stat");
    std::string text;
    if (!std::getline(file, text))
        return true;
    const auto state = text.rfind(") ");
    return state != std::string::npos && text.substr(state + 2, 1) == "Z";
}

} // namespace fencepost::testing
