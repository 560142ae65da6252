// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/window_model.h"

namespace fencepost::models {

// What operators did, newest first: the whole of it, one request's entries or those of one row.
class AuditModel final : public WindowModel<AuditEntry> {
    Q_OBJECT

public:
    explicit AuditModel(StoreThread& thread, QObject* parent = nullptr);

    void showAll();
    void showRequest(const QString& requestId);
    void showRow(const std::string& binding, const Identity& identity);
    // Walks the whole chain of hashes.
    [[nodiscard]] QFuture<Result<AuditVerdict>> verify() const;

protected:
    [[nodiscard]] QVariant mark(const AuditEntry& entry, int role) const override;

private:
    void showMatching(const AuditRequest& request, bool dense);
};

} // namespace fencepost::models
