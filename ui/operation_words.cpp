// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/operation_words.h"

#include <QCoreApplication>

#include "core/operations/operation.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

QString words(const char* sentence)
{
    return QCoreApplication::translate("Operations", sentence);
}

} // namespace

QString summaryIn(const Binding& binding, const Operation& operation)
{
    for (const Capability& capability : binding.capabilities) {
        if (capability.verb != operation.id)
            continue;
        if (!capability.allowed)
            return withStop(sentence(capability.why));
        if (!capability.native && !capability.effect.empty())
            return withStop(sentence(capability.effect));
    }
    return text(operation.summary);
}

QString whyNoUndo(const AuditEntry& entry, const Binding* binding)
{
    if (findInverse(entry.verb))
        return words("this request was an undo itself");
    const Operation* operation = findOperation(entry.verb);
    if (!operation)
        return words("this entry is no operation on a row");
    if (!binding)
        return words("its table is not open in this connection");
    return canBeUndone(*operation, *binding) ? QString() : text(inverseOf(*operation, *binding));
}

QString undoText(const AuditEntry& entry, const Binding* binding)
{
    const QString why = whyNoUndo(entry, binding);
    const Operation* operation = findOperation(entry.verb);
    return why.isEmpty() ? text(inverseOf(*operation, *binding)) : withStop(sentence(why.toStdString()));
}

} // namespace fencepost::ui
