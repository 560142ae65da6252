// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/form_field.h"

#include <QEvent>
#include <QLineEdit>
#include <QStyle>

#include "ui/theme.h"
#include "ui/widgets/plain_label.h"

namespace fencepost::ui {

namespace {

class WheelGuard final : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus())
            return QObject::eventFilter(watched, event);
        event->ignore(); // so that it goes on to whatever scrolls
        return true;
    }
};

} // namespace

void leaveWheelToForm(QWidget& field)
{
    field.setFocusPolicy(Qt::StrongFocus); // else the wheel would choose it first
    field.installEventFilter(new WheelGuard(&field));
}

void showProblem(QLineEdit& field, QLabel& line, const QString& problem)
{
    line.setText(problem);
    line.setVisible(!problem.isEmpty());
    field.setAccessibleDescription(problem);
    if (field.property("invalid").toBool() == !problem.isEmpty())
        return;
    field.setProperty("invalid", !problem.isEmpty());
    field.style()->unpolish(&field);
    field.style()->polish(&field);
}

QLabel* makeProblemLine(QWidget* parent)
{
    auto* line = new PlainLabel(parent);
    line->setWordWrap(true);
    setTone(line, "danger");
    line->hide();
    return line;
}

} // namespace fencepost::ui
