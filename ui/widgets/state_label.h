// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include <QWidget>

namespace fencepost::ui {

class Theme;

// A state as icon, word and colour, for headers, legends and cards. Grids paint with Theme::paintState.
class StateLabel : public QWidget {
    Q_OBJECT
public:
    explicit StateLabel(const Theme& theme, QWidget* parent = nullptr);

    void setState(const std::string& state, bool stuck = false);
    void setFramed(bool framed);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    std::string m_state;
    bool m_stuck = false;
    bool m_framed = false;
};

} // namespace fencepost::ui
