// SPDX-License-Identifier: GPL-3.0-or-later
// An input plugin, as the ones for tablets and keyboards are: the unchanged program loads it (QT_QPA_GENERIC_PLUGINS)
// and it does with mouse and keys what the lines on standard input say. Each line is answered with one line.
//   do ID          the action of that name, as its shortcut or menu would
//   press WORDS    the button that begins with them
//   focus NAME     the field of that accessible or object name
//   type WORDS     into the field that has the focus
//   see WORDS      whether they are to be read anywhere
#include <array>
#include <cstdio>

#include <unistd.h>

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QAction>
#include <QApplication>
#include <QGenericPlugin>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QPointer>
#include <QSocketNotifier>
#include <QTimer>

namespace {

class Operator final : public QObject {
    Q_OBJECT
public:
    // The application is being made: it has no windows before its event loop runs.
    Operator()
    {
        QTimer::singleShot(0, this, [this] {
            auto* input = new QSocketNotifier(STDIN_FILENO, QSocketNotifier::Read, this);
            connect(input, &QSocketNotifier::activated, this, &Operator::read);
        });
    }

private:
    void read()
    {
        std::array<char, 4096> bytes{};
        const auto count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (count <= 0)
            return QApplication::exit(3);
        m_input.append(bytes.data(), qsizetype(count));
        for (auto end = m_input.indexOf('\n'); end >= 0; end = m_input.indexOf('\n')) {
            const QString line = QString::fromUtf8(m_input.left(end));
            m_input.remove(0, end + 1);
            const QString words = line.section(u' ', 1);
            const bool done = follow(line.section(u' ', 0, 0), words);
            std::puts(done ? "yes" : "no");
            std::fflush(stdout);
        }
    }

    bool follow(const QString& verb, const QString& words)
    {
        if (verb == QLatin1String("do"))
            return trigger(words);
        if (verb == QLatin1String("press"))
            return press(words);
        if (verb == QLatin1String("focus"))
            return focus(words);
        if (verb == QLatin1String("type"))
            return type(words);
        return verb == QLatin1String("see") && see(words);
    }

    // What is below a dialog cannot be reached.
    static QWidgetList reachable()
    {
        QWidget* modal = QApplication::activeModalWidget();
        QWidgetList found;
        for (QWidget* widget : QApplication::allWidgets())
            if (widget->isVisible() && (!modal || modal->isAncestorOf(widget)))
                found += widget;
        return found;
    }

    static bool trigger(const QString& id)
    {
        for (QWidget* window : QApplication::topLevelWidgets())
            if (auto* action = window->findChild<QAction*>(id); action && action->isEnabled()) {
                action->trigger();
                return true;
            }
        return false;
    }

    static bool press(const QString& words)
    {
        for (QWidget* widget : reachable()) {
            auto* button = qobject_cast<QAbstractButton*>(widget);
            if (!button || !button->isEnabled() || !button->text().trimmed().startsWith(words))
                continue;
            const QPointF at = QRectF(button->rect()).center();
            const QPointF global = button->mapToGlobal(at);
            QMouseEvent down(QEvent::MouseButtonPress, at, global, Qt::LeftButton, Qt::LeftButton, {});
            QMouseEvent up(QEvent::MouseButtonRelease, at, global, Qt::LeftButton, Qt::NoButton, {});
            QApplication::sendEvent(button, &down);
            QApplication::sendEvent(button, &up);
            return true;
        }
        return false;
    }

    bool focus(const QString& name)
    {
        for (QWidget* widget : reachable())
            if (widget->isEnabled() && widget->focusPolicy() != Qt::NoFocus
                && (widget->accessibleName() == name || widget->objectName() == name)) {
                QApplication::setActiveWindow(widget->window());
                widget->setFocus(Qt::TabFocusReason);
                if (auto* number = qobject_cast<QAbstractSpinBox*>(widget))
                    number->selectAll();
                m_field = widget;
                return true;
            }
        return false;
    }

    bool type(const QString& words)
    {
        if (!m_field)
            return false;
        for (const QChar character : words)
            for (const auto kind : { QEvent::KeyPress, QEvent::KeyRelease }) {
                QKeyEvent key(kind, 0, Qt::NoModifier, QString(character));
                QApplication::sendEvent(m_field, &key);
            }
        return true;
    }

    static bool see(const QString& words)
    {
        for (QWidget* widget : reachable()) {
            QString shown;
            if (auto* label = qobject_cast<QLabel*>(widget))
                shown = label->text();
            else if (auto* button = qobject_cast<QAbstractButton*>(widget))
                shown = button->text();
            else if (auto* line = qobject_cast<QLineEdit*>(widget))
                shown = line->text();
            else if (auto* text = qobject_cast<QPlainTextEdit*>(widget))
                shown = text->toPlainText();
            if (shown.contains(words))
                return true;
        }
        return false;
    }

    QByteArray m_input;
    QPointer<QWidget> m_field;
};

} // namespace

class OperatorPlugin final : public QGenericPlugin {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID QGenericPluginFactoryInterface_iid FILE "operator.json")
public:
    QObject* create(const QString&, const QString&) override { return new Operator; }
};

#include "operator.moc"
