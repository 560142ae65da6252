// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>

#include <QApplication>
#include <QIcon>

#include "app/console/application.h"
#include "core/profile/library.h"
#include "resources/resources.h"

using namespace fencepost;

namespace {

// A tour on a build machine has neither a display nor a say in the platform.
void choosePlatform()
{
    const bool display = qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
    if (!display && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
}

int fail(const Error& error, int code)
{
    std::fprintf(
        stderr, "fencepost: %s\n%s%s", error.message.c_str(), error.detail.c_str(), error.detail.empty() ? "" : "\n");
    return code;
}

} // namespace

int main(int argc, char** argv)
{
    const auto options = app::parseArguments(argc, argv);
    if (!options && options.error().code == "help")
        return std::fputs(options.error().message.c_str(), stdout) < 0 ? 1 : 0;
    if (!options)
        return fail(options.error(), 2);
    choosePlatform();
    QApplication qt(argc, argv);
    QApplication::setApplicationName(QStringLiteral("fencepost"));
    QApplication::setApplicationVersion(QStringLiteral(FENCEPOST_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("org.fencepost.Fencepost"));
    loadResources();
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/fencepost.svg")));

    const app::Folders folders = app::standardFolders();
    auto profiles = profile::shippedLibrary();
    if (!profiles)
        return fail(profiles.error(), 1);
    auto leftOut = profile::addFolder(*profiles, folders.profiles().toStdString());
    app::Application application(qt, *options, folders, std::move(*profiles), std::move(leftOut));
    if (const Status started = application.start(); !started)
        return fail(started.error(), 1);
    return QApplication::exec();
}
