// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/bindings_model.h"

#include "models/visible_text.h"

namespace fencepost::models {

namespace {

QString kindText(const BindingPtr& binding, const Display&)
{
    const auto word = wordOf(binding->kind);
    return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
}

QString operationsText(const BindingPtr& binding, const Display&)
{
    QStringList allowed;
    for (const auto& capability : binding->capabilities) {
        if (capability.allowed)
            allowed.append(QString::fromStdString(capability.verb));
    }
    return allowed.isEmpty() ? QStringLiteral("none: read only") : allowed.join(QStringLiteral(", "));
}

QString warningsText(const BindingPtr& binding, const Display&)
{
    QStringList warnings;
    for (const auto& warning : binding->warnings)
        warnings.append(QString::fromStdString(warning));
    return warnings.join(QStringLiteral(" · "));
}

constexpr Column<BindingPtr> bindingColumns[] = {
    { .id = "name",
        .title = "Table",
        .text = [](const BindingPtr& binding, const Display&) { return visibleText(binding->name); },
        .monospace = true,
        .width = 30 },
    { .id = "kind", .title = "Kind", .text = kindText, .width = 12 },
    { .id = "profile",
        .title = "Profile",
        .text = [](const BindingPtr& binding, const Display&) { return visibleText(binding->profile); },
        .width = 24 },
    { .id = "fencing",
        .title = "Fencing",
        .text = [](const BindingPtr& binding, const Display&) { return visibleText(binding->fencing); },
        .width = 14 },
    { .id = "operations", .title = "Operations", .text = operationsText, .width = 36 },
    { .id = "warnings", .title = "Warnings", .text = warningsText, .width = 40 },
};

} // namespace

BindingsModel::BindingsModel(const Session& session, QObject* parent)
    : ListModel(
        bindingColumns, [](const BindingPtr& binding) { return Identity{ binding->name }; }, parent)
{
    const auto follow = [this, &session] {
        const auto info = session.status().info;
        setRows(session.bindings(), info ? info->now : Time());
    };
    connect(&session, &Session::bindingsChanged, this, follow);
    connect(&session, &Session::bindingsFailed, this, [this](const Error& error) { setError(error); });
    if (!session.bindings().empty())
        follow();
}

} // namespace fencepost::models
