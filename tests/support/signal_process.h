// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <csignal>

#include <QProcess>

namespace fencepost::testing {

// False: it has ended already. Its id is 0 then, and a signal to 0 ends the test, what runs beside it and who started
// them.
[[nodiscard]] inline bool signalProcess(const QProcess& process, int signal)
{
    const auto id = static_cast<pid_t>(process.processId());
    return id > 0 && ::kill(id, signal) == 0;
}

} // namespace fencepost::testing
