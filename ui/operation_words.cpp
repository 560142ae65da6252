// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/operation_words.h"

#include <QCoreApplication>

#include "core/operations/operation.h"
#include "core/shell_word.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

QString words(const char* sentence)
{
    return QCoreApplication::translate("Operations", sentence);
}

} // namespace

QString titleOf(const Capability& capability)
{
    if (!capability.native && !capability.title.empty())
        return text(capability.title);
    const Operation* operation = findOperation(capability.verb);
    return operation ? words(operation->title) : text(capability.verb);
}

QString titleIn(const Binding& binding, const Operation& operation)
{
    for (const Capability& capability : binding.capabilities)
        if (capability.verb == operation.id)
            return titleOf(capability);
    return words(operation.title);
}

QString countedTitleIn(const Binding& binding, const Operation& operation, std::int64_t count)
{
    const QString title = titleIn(binding, operation);
    if (title == words(operation.title))
        return text(countedTitle(operation, count));
    // What follows a comma explains it, and is read above.
    return QStringLiteral("%1: %2").arg(title.section(u',', 0, 0), counted(count, words("row"), words("rows")));
}

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

QString commandText(const std::vector<std::string>& words)
{
    return text(shellLine(words));
}

} // namespace fencepost::ui
