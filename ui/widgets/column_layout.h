// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QObject>
#include <QVariantMap>

namespace fencepost::ui {

class GridView;
class Theme;

// How the columns of a grid stand: choice, order and widths. Until somebody drags a border the widths are the grid's
// own: as many columns as there is room for are whole, and none is cut at the right edge.
class ColumnLayout final : public QObject {
    Q_OBJECT
public:
    ColumnLayout(const Theme& theme, GridView& view);

    // As the model says, before anybody chose.
    void reset();
    void setShown(int column, bool shown);
    // The widths that the model asks for have changed.
    void measure();
    // These and no others, in this order; ids as saved views spell them.
    void showOnly(const QStringList& ids);
    // Plain lists and numbers, so that it survives a file of settings.
    [[nodiscard]] QVariantMap saved() const;
    void restore(const QVariantMap& saved);

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();
    void place(const QStringList& ids);
    [[nodiscard]] QString idOf(int column) const;
    [[nodiscard]] int columnOf(const QString& id) const;
    [[nodiscard]] std::vector<int> shownColumns() const;

    const Theme& m_theme;
    GridView& m_view;
    const QObject* m_viewport;
    std::vector<int> m_usual; // widths by column
    bool m_dragging = false;
    bool m_chosen = false; // somebody dragged a border: the widths are theirs
};

} // namespace fencepost::ui
