// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QString>

#include "core/clock.h"
#include "core/result.h"

namespace fencepost::models {

// What an operator wrote down. Never changed and never deleted.
struct Note {
    QString id; // UUID
    Time at; // by this computer's clock
    QString actor;
    QString connection; // id, or where it is in no list what Session::notedUnder() says
    QString binding; // empty: about the connection as a whole
    QStringList identity; // of a row; empty: about the table
    QString key; // of that row, for people
    QString text;
    bool ofAlert = false; // written by a rule, in the operator's name

    bool operator==(const Note&) const = default;
};

// All notes in one append-only file, one JSON object per line. A note is on the disk when add() returns, so a crash
// loses none; a line that a crash cut short is skipped and reported, and the others are read.
class Notebook : public QObject {
    Q_OBJECT

public:
    Notebook(QString path, const Clock& clock, QObject* parent = nullptr);

    Status load();
    [[nodiscard]] const QList<Note>& all() const { return m_notes; } // oldest first
    [[nodiscard]] QList<Note> of(const QString& connection, const QString& binding, const QStringList& identity) const;
    [[nodiscard]] int damagedLines() const { return m_damaged; }
    // Id and instant are given here.
    Status add(Note note);
    // About a connection or anything in it.
    [[nodiscard]] QList<Note> of(const QString& connection) const;

Q_SIGNALS:
    void added();

private:
    const QString m_path;
    const Clock& m_clock;
    QList<Note> m_notes;
    int m_damaged = 0;
};

} // namespace fencepost::models
