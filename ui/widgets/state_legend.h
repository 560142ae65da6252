// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include <QRectF>
#include <QWidget>

namespace fencepost::ui {

class Theme;

// Which states the colours of a chart are of, each as icon, word and colour, in as many lines as they need.
class StateLegend final : public QWidget {
    Q_OBJECT
public:
    explicit StateLegend(const Theme& theme, QWidget* parent = nullptr);

    // In the order in which the chart stacks them, from below.
    void setStates(std::vector<std::string> states);
    [[nodiscard]] const std::vector<std::string>& states() const { return m_states; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    // Of all its lines, in px.
    [[nodiscard]] int heightFor(int width) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();
    [[nodiscard]] int widthOf(const std::string& state) const;
    [[nodiscard]] std::vector<QRect> places(int width) const;

    const Theme& m_theme;
    std::vector<std::string> m_states;
};

} // namespace fencepost::ui
