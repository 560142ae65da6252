// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QPointer>

#include "core/forensics.h"
#include "models/deliver.h"
#include "models/list_model.h"
#include "models/page_model.h"
#include "models/store_thread.h"

namespace fencepost::models {

struct FoundViolation {
    BindingPtr binding; // null: the audit, which is one for all tables
    Violation violation;
};

// What must hold of the rows of all tables and does not: one table is scanned after the other, so that other reads go
// in between.
class ViolationsModel final : public ListModel<FoundViolation> {
    Q_OBJECT

public:
    explicit ViolationsModel(StoreThread& thread, QObject* parent = nullptr);

    // `budget`: of each statement.
    void scan(std::vector<BindingPtr> bindings, Duration budget);
    void stop(); // what was found stays
    void reload() override;
    void refresh() override { reload(); }
    [[nodiscard]] bool loading() const override { return m_next < m_bindings.size() || m_auditIsLeft; }
    [[nodiscard]] std::size_t scanned() const { return m_next; }
    [[nodiscard]] std::size_t tables() const { return m_bindings.size(); }
    // Scanned to the end, at least once.
    [[nodiscard]] bool isWhole() const { return m_whole; }
    // What could not be read, in words.
    [[nodiscard]] const QStringList& unread() const { return m_unread; }
    [[nodiscard]] const Cost& cost() const { return m_cost; }

Q_SIGNALS:
    void progressed();

private:
    void scanNext();
    void scanAudit();
    void take(const BindingPtr& binding, const Result<Violations>& answer);

    QPointer<StoreThread> m_thread;
    std::vector<BindingPtr> m_bindings;
    Duration m_budget{};
    std::size_t m_next = 0;
    std::vector<FoundViolation> m_found;
    QStringList m_unread;
    Cost m_cost;
    Time m_now;
    bool m_auditIsLeft = false; // it comes behind the tables
    bool m_whole = false;
    Latest<Result<Violations>> m_load;
};

} // namespace fencepost::models
