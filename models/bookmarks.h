// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include <QList>
#include <QObject>
#include <QString>

#include "core/result.h"
#include "models/selection.h"

namespace fencepost::models {

// A record that somebody wants to find again.
struct Bookmark {
    QString connection; // its name, as links spell it
    std::string binding;
    Identity identity;
    std::string key; // of the row, for people and filters

    bool operator==(const Bookmark&) const = default;
};

// All bookmarks in one file beside the saved views, so that a team shares them with those. A file that cannot be read
// is put aside, not lost.
class Bookmarks : public QObject {
    Q_OBJECT

public:
    explicit Bookmarks(QString path, QObject* parent = nullptr);

    Status load();
    [[nodiscard]] QString path() const { return m_path; }
    [[nodiscard]] QList<Bookmark> of(const QString& connection) const; // oldest first
    [[nodiscard]] QList<Bookmark> of(const QString& connection, const std::string& binding) const;
    [[nodiscard]] bool contains(const Bookmark& bookmark) const;
    // Sets it, or takes it away where it is set.
    Status toggle(const Bookmark& bookmark);

Q_SIGNALS:
    void changed();

private:
    const QString m_path;
    QList<Bookmark> m_all;
};

} // namespace fencepost::models
