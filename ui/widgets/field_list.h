// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QWidget>

class QGridLayout;
class QLabel;

namespace fencepost::ui {

class Theme;

// One fact of a record. Values are data: shown as plain text, whole, and selectable.
struct FactLine {
    QString name;
    QString value;
    QString beside; // muted: "in 23h 2m"
    bool monospace = false;
    const char* tone = nullptr; // danger, warning, good
};

// Names and values in two columns. Lines without a value are left out.
class FieldList final : public QWidget {
    Q_OBJECT
public:
    explicit FieldList(const Theme& theme, QWidget* parent = nullptr);

    // Lines of the same names and kinds keep their place and what is selected in them.
    void setLines(const std::vector<FactLine>& lines);
    [[nodiscard]] QString valueOf(const QString& name) const;

private:
    struct Shown {
        FactLine line;
        QWidget* value = nullptr;
        QLabel* beside = nullptr;
    };

    void addLine(const FactLine& line);
    void change(Shown& shown, const FactLine& line);
    [[nodiscard]] bool fits(const std::vector<FactLine>& lines) const;

    const Theme& m_theme;
    QGridLayout* m_grid;
    std::vector<Shown> m_lines;
};

} // namespace fencepost::ui
