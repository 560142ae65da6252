// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <QKeySequence>
#include <QObject>
#include <QString>

class QAction;
class QWidget;

namespace fencepost::ui {

class Theme;

// Who carries a command out.
enum class Reach {
    Window,
    Page, // the page in front, through Page::run
    Focus, // a key of the widget that has the focus; listed in the sheet only
};

struct WindowCommand {
    const char* id;
    const char* title;
    const char* group;
    const char* icon;
    const char* shortcut;
    Reach reach = Reach::Window;
    bool toggles = false; // a menu shows whether it is on
};

[[nodiscard]] std::span<const WindowCommand> windowCommands() noexcept;

// Every verb of the window in one list: pages ("page.keys"), operations ("operation.fence") and window commands
// ("reload"). Menus, palette, shortcuts and shortcut sheet are made from it.
class Commands : public QObject {
    Q_OBJECT
public:
    struct Entry {
        QString id;
        QString title;
        QString group;
        QString summary; // operations: one sentence
        Reach reach = Reach::Window;
        bool toggles = false;
        QKeySequence standard; // its keys before the user chose others
        QAction* action = nullptr; // owned by the window
    };

    Commands(const Theme& theme, QWidget& window);

    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }
    [[nodiscard]] QAction* action(std::string_view id) const;
    // A command that is not allowed stays visible and says why in its tooltip.
    void allow(std::string_view id, bool allowed, const QString& why = {});
    // Other keys; refused where they are, or begin as, those of another command, with that command's title.
    [[nodiscard]] QString remap(std::string_view id, const QKeySequence& keys);
    // All keys as they were made.
    void restoreKeys();

Q_SIGNALS:
    void triggered(const QString& id);
    void keysChanged();

private:
    void add(Entry entry, const char* icon, const QKeySequence& keys, QWidget& window);

    const Theme& m_theme;
    std::vector<Entry> m_entries;
};

} // namespace fencepost::ui
