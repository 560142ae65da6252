// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <string>

#include <QString>
#include <QStringList>

#include "core/operations/plan.h"

namespace fencepost::models {

// A dialog as it was left: what was typed and the plan that was frozen, not yet carried out.
struct Draft {
    QString reason;
    std::map<std::string, std::string> parameters;
    std::optional<Plan> plan;
};

// Half-made plans and half-typed texts as files that only their owner may read, one for each subject, so that a crash
// of the window loses none. A draft is gone once it was carried out or given up.
class Drafts {
public:
    explicit Drafts(QString folder);

    [[nodiscard]] QString folder() const { return m_folder; }
    // The same words name the same subject: connection, table, operation, rows.
    Status keep(const QStringList& subject, const Draft& draft) const;
    // None: nothing was left, or the file is damaged; a damaged draft is put aside, not lost.
    [[nodiscard]] std::optional<Draft> find(const QStringList& subject) const;
    void remove(const QStringList& subject) const;

private:
    [[nodiscard]] QString pathOf(const QStringList& subject) const;

    QString m_folder;
};

} // namespace fencepost::models
