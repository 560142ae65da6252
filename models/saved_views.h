// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include "core/query/row.h"
#include "core/result.h"

namespace fencepost::models {

// A filter with its columns and order under a name.
struct SavedView {
    QString name;
    Kind kind = Kind::Idempotency; // of the tables that it fits
    QString filter; // as typed
    QStringList columns; // ids, in their order; empty: the standard ones
    QString order; // empty: the table's first
    bool descending = true;
    bool shipped = false; // comes with the program; not a file

    bool operator==(const SavedView&) const = default;
};

// Views as files of one folder, so that a team shares them through its repository. A file that cannot be read is named
// with its error, and the others are there all the same.
class SavedViews : public QObject {
    Q_OBJECT

public:
    explicit SavedViews(QString folder, QObject* parent = nullptr);

    void load();
    [[nodiscard]] QString folder() const { return m_folder; }
    [[nodiscard]] QList<SavedView> of(Kind kind) const; // shipped ones first, then by name
    [[nodiscard]] const std::vector<Error>& errors() const { return m_errors; }
    // Replaces the view of the same name and kind. Invalid: no name, the name of a shipped view, or no filter.
    Status save(const SavedView& view);
    Status remove(const SavedView& view);

Q_SIGNALS:
    void changed();

private:
    [[nodiscard]] QString pathFor(const SavedView& view) const;

    QString m_folder;
    QList<SavedView> m_views;
    QStringList m_paths; // of the views, in their order
    std::vector<Error> m_errors;
};

} // namespace fencepost::models
