// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>

namespace fencepost::testing {

inline bool isCut(const QLabel& label)
{
    // A label that may be given any width ends in an ellipsis of its own and has its words in a tooltip.
    if (label.text().isEmpty() || label.sizePolicy().horizontalPolicy() == QSizePolicy::Ignored)
        return false;
    if (label.wordWrap())
        return label.heightForWidth(label.width()) > label.height() + 1;
    return label.sizeHint().width() > label.width() + 1 || label.sizeHint().height() > label.height() + 2;
}

inline bool isCut(const QLineEdit& field)
{
    return field.text().isEmpty()
        && field.fontMetrics().horizontalAdvance(field.placeholderText()) + 20 > field.width();
}

inline bool isCut(const QToolButton& button)
{
    const bool words = button.toolButtonStyle() != Qt::ToolButtonIconOnly && !button.text().isEmpty();
    return words && button.sizeHint().width() > button.width() + 1;
}

inline QStringList cutHeadings(const QTableView& view)
{
    QStringList cut;
    const auto* header = view.horizontalHeader();
    QFont bold = header->font();
    bold.setWeight(QFont::DemiBold);
    for (int column = 0; header->isVisible() && column < header->count(); ++column) {
        const auto title = view.model()->headerData(column, Qt::Horizontal).toString();
        if (!header->isSectionHidden(column)
            && QFontMetrics(bold).horizontalAdvance(title) + 22 > header->sectionSize(column) + 1)
            cut += QStringLiteral("heading “%1”").arg(title);
    }
    return cut;
}

// Every text below `root` that is visible and has less room than it needs.
inline QStringList cutWords(const QWidget& root)
{
    QStringList cut;
    const auto note = [&cut](const QWidget& widget, const QString& words) {
        cut += QStringLiteral("%1 “%2” %3x%4, wants %5x%6")
                   .arg(QLatin1String(widget.metaObject()->className()), words.left(80))
                   .arg(widget.width())
                   .arg(widget.height())
                   .arg(widget.sizeHint().width())
                   .arg(widget.sizeHint().height());
    };
    for (const QWidget* widget : root.findChildren<QWidget*>()) {
        if (!widget->isVisible())
            continue;
        if (const auto* label = qobject_cast<const QLabel*>(widget); label && isCut(*label))
            note(*label, label->text());
        if (const auto* button = qobject_cast<const QPushButton*>(widget);
            button && button->sizeHint().width() > button->width() + 1)
            note(*button, button->text());
        if (const auto* tool = qobject_cast<const QToolButton*>(widget); tool && isCut(*tool))
            note(*tool, tool->text());
        if (const auto* box = qobject_cast<const QCheckBox*>(widget); box && box->sizeHint().width() > box->width() + 1)
            note(*box, box->text());
        if (const auto* field = qobject_cast<const QLineEdit*>(widget); field && isCut(*field))
            note(*field, field->placeholderText());
        if (const auto* choice = qobject_cast<const QComboBox*>(widget);
            choice && choice->fontMetrics().horizontalAdvance(choice->currentText()) + 36 > choice->width())
            note(*choice, choice->currentText());
        if (widget->inherits("fencepost::ui::StateLabel") && widget->sizeHint().width() > widget->width())
            note(*widget, widget->accessibleName());
        if (const auto* view = qobject_cast<const QTableView*>(widget); view && view->model())
            cut += cutHeadings(*view);
    }
    return cut;
}

} // namespace fencepost::testing
