// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

#include "ui/theme.h"
#include "ui/widgets/plain_label.h"

namespace fencepost::ui {

// The muted words before a field, which the field is focused by.
inline QLabel* fieldName(const QString& words, QWidget* field)
{
    auto* label = new PlainLabel(words);
    label->setBuddy(field);
    setTone(label, "muted");
    return label;
}

} // namespace fencepost::ui
