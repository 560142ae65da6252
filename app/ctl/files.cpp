// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/files.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include "models/files.h"

namespace fencepost::app {

namespace {

Error fileError(Failure failure, const std::string& what, const std::string& path, const QFileDevice& file)
{
    return { failure, what + ' ' + path, file.errorString().toStdString() };
}

Error tooLong(const std::string& what, std::int64_t most)
{
    return { Failure::Invalid,
        what + " has more than " + std::to_string(most) + " bytes, which is more than is read here", {} };
}

} // namespace

Result<std::string> readFile(const std::string& path, std::int64_t most)
{
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadOnly))
        return fileError(file.exists() ? Failure::Invalid : Failure::NotFound, "Cannot read", path, file);
    const auto content = most == anyLength ? file.readAll() : file.read(most + 1);
    if (file.error() != QFileDevice::NoError)
        return fileError(Failure::Unavailable, "Cannot read", path, file);
    if (content.size() > most)
        return tooLong(path, most);
    return content.toStdString();
}

Result<std::string> readStandardInput(std::int64_t most)
{
    std::string content;
    std::array<char, 65536> piece{};
    while (const auto length = std::fread(piece.data(), 1, piece.size(), stdin)) {
        content.append(piece.data(), length);
        if (std::ssize(content) > most)
            return tooLong("Standard input", most);
    }
    if (std::ferror(stdin) != 0)
        return Error{ Failure::Unavailable, "Cannot read standard input", std::strerror(errno) };
    return content;
}

Result<RedactionRules> readRules(const std::string& path)
{
    if (path.empty())
        return RedactionRules();
    const auto text = readFile(path);
    return text ? parseRedactionRules(*text, path) : text.error();
}

Result<std::string> readDescriptor(int descriptor, const char* what)
{
    QFile file;
    const bool opened = file.open(descriptor, QIODevice::ReadOnly);
    const auto content = opened ? file.readAll().trimmed() : QByteArray();
    if (!opened || file.error() != QFileDevice::NoError)
        return invalid(std::string(what) + "'s file descriptor cannot be read", file.errorString().toStdString());
    // Whoever names a descriptor means what it gives: an empty one is a mistake, and not "none".
    if (content.isEmpty())
        return invalid(std::string(what) + "'s file descriptor gave nothing");
    return content.toStdString();
}

Status checkReplaceable(const std::string& path, const char* what, const std::function<bool(std::string_view)>& isOurs)
{
    const QFileInfo file(QString::fromStdString(path));
    if (!file.isFile() || file.size() == 0)
        return {};
    constexpr qint64 largest = 256LL << 20;
    const auto content = file.size() > largest ? Result<std::string>(std::string()) : readFile(path);
    if (content && isOurs(*content))
        return {};
    return invalid("The file " + path + " is there and is no " + what + ": it is not replaced", "Choose another name");
}

Status checkWritable(const std::string& path)
{
    const auto name = QString::fromStdString(path);
    if (models::isSpecialFile(name))
        return QFileInfo(name).isWritable() ? Status()
                                            : Status(invalid("Cannot write " + path, "It may not be written"));
    QSaveFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::WriteOnly))
        return fileError(Failure::Invalid, "Cannot write", path, file);
    file.cancelWriting();
    return {};
}

namespace {

Status writeWhole(const std::string& path, const std::string& content, bool isPrivate)
{
    const auto name = QString::fromStdString(path);
    if (models::isSpecialFile(name))
        return models::writeInto(name, QByteArray::fromStdString(content));
    QSaveFile file(name);
    const bool isNew = !QFile::exists(name);
    if (!file.open(QIODevice::WriteOnly))
        return fileError(Failure::Invalid, "Cannot write", path, file);
    if (isPrivate && isNew)
        file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner);
    return models::commitWhole(file, QByteArray::fromStdString(content));
}

} // namespace

Status writeFile(const std::string& path, const std::string& content)
{
    return writeWhole(path, content, false);
}

Status writePrivateFile(const std::string& path, const std::string& content)
{
    return writeWhole(path, content, true);
}

} // namespace fencepost::app
