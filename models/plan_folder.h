// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "core/operations/plan.h"

namespace fencepost::models {

// A plan that was kept, and how far it came.
struct KeptPlan {
    enum class State {
        Saved, // never begun
        Interrupted, // begun, and no report: running it again finishes it without repeating anything
        Done,
    };
    QString path;
    State state = State::Saved;
    std::optional<Plan> plan; // none: see error
    std::optional<Error> error; // the file cannot be read
};

// Plans and reports as files in one folder, so that a crash of the window loses neither. A plan is on the disk before
// its first row is changed.
class PlanFolder {
public:
    explicit PlanFolder(QString folder);

    [[nodiscard]] QString folder() const { return m_folder; }
    // The answer is the file's path. Saving a plan again changes nothing.
    Result<QString> save(const Plan& plan) const;
    Status begin(const Plan& plan) const;
    Status finish(const RunReport& report) const;
    // Newest first; unreadable files are listed with their error.
    [[nodiscard]] std::vector<KeptPlan> all() const;
    [[nodiscard]] std::vector<KeptPlan> interrupted() const;
    [[nodiscard]] Result<RunReport> report(const QString& requestId) const;
    Status remove(const QString& requestId) const;

private:
    [[nodiscard]] QString pathOf(const QString& requestId, const char* suffix) const;

    QString m_folder;
};

// JSON; round-trips.
[[nodiscard]] QByteArray formatReport(const RunReport& report);
[[nodiscard]] Result<RunReport> parseReport(const QByteArray& json);

} // namespace fencepost::models
