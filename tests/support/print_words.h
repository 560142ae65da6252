// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ostream>

#include <QString>
#include <QStringList>

// Words in a test's failure, where gtest would print the octets of a container. Precompiled into every test program
// that has Qt, so that all its files print alike.
inline void PrintTo(const QString& words, std::ostream* out)
{
    *out << '"' << words.toStdString() << '"';
}

inline void PrintTo(const QStringList& list, std::ostream* out)
{
    PrintTo(list.join(QLatin1String(" | ")), out);
}
