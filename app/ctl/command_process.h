// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include <QProcess>

namespace fencepost::app {

enum class Terminal {
    Shared, // what is typed to end this program reaches the command too
    Apart, // the command ends when it is done
};

enum class Orphan {
    RunsOn,
    Ends, // killed with the thread that started it, however that ends: what runs it again must not run beside it
};

// A program of the path, or a file that may be executed.
[[nodiscard]] bool canBeFound(const std::string& command);
// False: it could not be started. No signal is blocked in it, whatever this program waits to be asked for.
[[nodiscard]] bool startCommand(
    QProcess& process, const std::vector<std::string>& command, Terminal terminal, Orphan orphan);
// Asks it to end, and ends it where it does not.
void stopCommand(QProcess& process);

} // namespace fencepost::app
