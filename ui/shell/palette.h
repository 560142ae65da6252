// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <vector>

#include <QFrame>
#include <QString>

class QLineEdit;
class QListWidget;

namespace fencepost::ui {

class Commands;
class Theme;

// The list under the search box: looking for a key first, then pages, operations and commands that fit what was typed.
// It lies over the window without taking the focus from the box.
class Palette : public QFrame {
    Q_OBJECT
public:
    struct Offer {
        QString title;
        QString group;
        QString shortcut;
        QString why; // not allowed: the reason
        QIcon icon;
        std::function<void()> run;
    };
    // What fits a text besides the commands: finding keys, switching the connection.
    using Finder = std::function<std::vector<Offer>(const QString& typed)>;

    Palette(const Theme& theme, const Commands& commands, QLineEdit& box, QWidget& window);

    void addFinder(Finder finder);
    void open();
    void close();
    [[nodiscard]] const std::vector<Offer>& offers() const { return m_offers; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refill();
    void place();
    void choose(int row);

    const Theme& m_theme;
    const Commands& m_commands;
    QLineEdit& m_box;
    QWidget& m_window;
    QListWidget* m_list;
    std::vector<Finder> m_finders;
    std::vector<Offer> m_offers;
};

// Whether the letters of `typed` occur in order, and how well: 0 is no match, whole words count most.
[[nodiscard]] int matchScore(const QString& typed, const QString& title);

} // namespace fencepost::ui
