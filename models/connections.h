// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QObject>
#include <QString>

#include "core/result.h"
#include "models/environment.h"

namespace fencepost::models {

// Where a database is and how it is treated. Never holds a secret.
struct Connection {
    QString id; // UUID, also the name under which its password is kept
    QString name;
    Environment environment = Environment::Local;
    QString url; // sqlite:PATH or postgresql://…, without a password
    bool readOnly = false; // can never be armed
    QMap<QString, QString> options; // statement_timeout, zone, …

    bool operator==(const Connection&) const = default;
};

// Says what is wrong with a definition before anybody connects: no name, an unknown scheme, a password in the URL.
[[nodiscard]] Status check(const Connection& connection);

// The user's connections, kept in one file. Every change is written at once and atomically; a change that cannot be
// written is not made. A file that cannot be read is never overwritten.
class Connections : public QObject {
    Q_OBJECT

public:
    explicit Connections(QString path, QObject* parent = nullptr);

    // A missing file is an empty list. Corrupt: it is no list of connections, and nothing can be changed until
    // restoreBackup() or setAside().
    Status load();
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; } // of the last load
    [[nodiscard]] QString path() const { return m_path; }
    [[nodiscard]] QString backupPath() const { return m_path + QStringLiteral(".bak"); }

    [[nodiscard]] const QList<Connection>& all() const { return m_connections; }
    [[nodiscard]] const Connection* find(const QString& id) const; // null: there is none
    [[nodiscard]] const Connection* named(const QString& name) const;

    // Gives it an id where it has none; the answer is that id.
    Result<QString> add(Connection connection);
    Status update(const Connection& connection);
    Status remove(const QString& id);
    Status move(const QString& id, int to);

    // The file as it was before the last change takes the place of the damaged one, which is kept beside it.
    Status restoreBackup();
    // Renames the damaged file and starts with an empty list; the answer is its new name.
    Result<QString> setAside();

Q_SIGNALS:
    void changed();

private:
    Status save(const QList<Connection>& connections);
    Status checkNames(const QList<Connection>& connections) const;

    const QString m_path;
    QList<Connection> m_connections;
    QByteArray m_bytes; // of the file as it was read or written last
    std::optional<Error> m_error;
};

} // namespace fencepost::models
