// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace fencepost::ui {

class Theme;

// A part of a page that may be of what was chosen before: then it says so above it, and fades.
class StalePart final : public QWidget {
public:
    StalePart(const Theme& theme, const QString& words, QWidget* shown, QWidget* parent);

    void setStale(bool stale);
    [[nodiscard]] bool isStale() const { return m_isStale; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void cover();

    QLabel* m_words;
    QWidget* m_shown;
    QWidget* m_veil; // over all but the words, and in nobody's way
    bool m_isStale = false;
};

} // namespace fencepost::ui
