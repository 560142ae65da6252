// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/command_process.h"

#include <csignal>
#include <cstdlib>

#include <sys/prctl.h>
#include <unistd.h>

#include <QFileInfo>
#include <QStandardPaths>

namespace fencepost::app {

namespace {

QString textOf(const std::string& argument)
{
    return QString::fromLocal8Bit(argument.data(), static_cast<qsizetype>(argument.size()));
}

} // namespace

bool canBeFound(const std::string& command)
{
    const auto name = textOf(command);
    return name.contains(QLatin1Char('/')) ? QFileInfo(name).isExecutable() && !QFileInfo(name).isDir()
                                           : !QStandardPaths::findExecutable(name).isEmpty();
}

bool startCommand(QProcess& process, const std::vector<std::string>& command, Terminal terminal, Orphan orphan)
{
    process.setChildProcessModifier([terminal, orphan, parent = getpid()] {
        // Who died before the wish was made known would never be told.
        if (orphan == Orphan::Ends && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent))
            _exit(EXIT_FAILURE);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        if (terminal == Terminal::Apart)
            setpgid(0, 0);
    });
    QStringList arguments;
    for (auto argument = command.begin() + 1; argument != command.end(); ++argument)
        arguments << textOf(*argument);
    process.start(textOf(command.front()), arguments);
    return process.waitForStarted(-1);
}

void stopCommand(QProcess& process)
{
    constexpr int patience = 5000; // milliseconds
    process.terminate();
    if (!process.waitForFinished(patience))
        process.kill();
}

} // namespace fencepost::app
