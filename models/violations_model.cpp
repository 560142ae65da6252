// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/violations_model.h"

#include "core/forensics/audit_check.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

QString countText(const FoundViolation& row, const Display&)
{
    return (row.violation.more ? QStringLiteral("≥ ") : QString()) + QString::number(row.violation.count);
}

template <const char* Invariant::*member> QString text(const FoundViolation& row, const Display&)
{
    return QString::fromUtf8(row.violation.invariant->*member);
}

QString rowsText(const FoundViolation& row, const Display&)
{
    QStringList keys;
    constexpr std::size_t shown = 3;
    for (std::size_t i = 0; i < std::min(shown, row.violation.rows.size()); ++i)
        keys += visibleText(row.violation.rows[i].key);
    return keys.join(QStringLiteral(", ")) + (row.violation.rows.size() > shown ? QStringLiteral(", …") : QString());
}

QString rowsFull(const FoundViolation& row, const Display&)
{
    QStringList lines;
    constexpr std::size_t shown = 12;
    for (std::size_t i = 0; i < std::min(shown, row.violation.rows.size()); ++i) {
        const auto& broken = row.violation.rows[i];
        lines += visibleText(broken.key) + (broken.detail.empty() ? QString() : QStringLiteral(" · "))
            + visibleText(broken.detail);
    }
    return lines.join(u'\n');
}

constexpr Column<FoundViolation> violationColumns[] = {
    { .id = "table",
        .title = "Table",
        .text = [](const FoundViolation& row,
                    const Display&) { return row.binding ? visibleText(row.binding->name) : QStringLiteral("audit"); },
        .width = 22 },
    { .id = "count",
        .title = "Rows",
        .text = countText,
        .sortKey = [](const FoundViolation& row) { return QVariant::fromValue<qlonglong>(row.violation.count); },
        .alignment = Alignment::Right,
        .width = 8 },
    { .id = "what", .title = "What is broken", .text = text<&Invariant::title>, .width = 44 },
    { .id = "rows",
        .title = "Which",
        .text = rowsText,
        .monospace = true,
        .width = 30,
        .full = rowsFull,
        .grows = true },
    { .id = "rule", .title = "Rule", .text = text<&Invariant::id>, .monospace = true, .width = 22 },
};

} // namespace

ViolationsModel::ViolationsModel(StoreThread& thread, QObject* parent)
    : ListModel(
        violationColumns,
        [](const FoundViolation& row) {
            return Identity{ row.binding ? row.binding->name : std::string(), row.violation.invariant->id };
        },
        parent)
    , m_thread(&thread)
{
}

void ViolationsModel::scan(std::vector<BindingPtr> bindings, Duration budget)
{
    m_bindings = std::move(bindings);
    m_budget = budget;
    reload();
}

void ViolationsModel::reload()
{
    if (!m_thread)
        return;
    m_load.drop(*m_thread);
    m_next = 0;
    m_found.clear();
    m_unread.clear();
    m_cost = {};
    m_whole = false;
    m_auditIsLeft = true;
    scanNext();
}

void ViolationsModel::stop()
{
    if (!m_thread || !loading())
        return;
    m_load.drop(*m_thread);
    m_unread += QStringLiteral("the scan was stopped behind %1 of %2 tables").arg(m_next).arg(m_bindings.size());
    m_next = m_bindings.size();
    m_auditIsLeft = false;
    setRows(m_found, m_now);
    Q_EMIT progressed();
}

void ViolationsModel::scanNext()
{
    Q_EMIT progressed();
    Q_EMIT statusChanged();
    if (m_next >= m_bindings.size() && m_auditIsLeft)
        return scanAudit();
    if (m_next >= m_bindings.size()) {
        m_whole = m_unread.isEmpty();
        return setRows(m_found, m_now);
    }
    m_load.start(
        *m_thread,
        [binding = m_bindings[m_next], budget = m_budget](Backend& backend) -> Result<Violations> {
            auto* forensics = backend.inspector().forensics();
            if (forensics == nullptr)
                return Error{ Failure::Unsupported, "This database cannot be asked what must hold", {} };
            return forensics->violations(*binding, {}, budget);
        },
        [this, binding = m_bindings[m_next]](const Result<Violations>& answer) { take(binding, answer); });
}

void ViolationsModel::scanAudit()
{
    m_load.start(
        *m_thread, [](Backend& backend) { return auditViolations(backend.inspector()); },
        [this](const Result<Violations>& answer) {
            m_auditIsLeft = false;
            take({}, answer);
        });
}

// A table's, or the audit's.
void ViolationsModel::take(const BindingPtr& binding, const Result<Violations>& answer)
{
    const auto name = binding ? visibleText(binding->name) : QStringLiteral("audit");
    m_next += binding ? 1 : 0;
    if (!answer) {
        m_unread += QStringLiteral("%1: %2").arg(name, QString::fromStdString(answer.error().message));
    } else {
        for (const auto& violation : answer->violations)
            m_found.push_back({ binding, violation });
        for (const auto* list : { &answer->basis.unread, &answer->unjudged })
            for (const auto& what : *list)
                m_unread += QStringLiteral("%1: %2").arg(name, QString::fromStdString(what));
        m_cost.time += answer->basis.cost.time;
        m_cost.rows += answer->basis.cost.rows;
        m_cost.sql += answer->basis.cost.sql + "\n";
        if (binding)
            m_now = answer->basis.now;
    }
    scanNext();
}

} // namespace fencepost::models
