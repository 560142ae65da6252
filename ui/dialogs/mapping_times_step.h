// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include <QWidget>

class QComboBox;
class QGridLayout;
class QLabel;

namespace fencepost::models {
class MappingDraft;
}

namespace fencepost::ui {

class Theme;

// How the instants of each column are written, and in which zone those are that name none.
class MappingTimesStep final : public QWidget {
    Q_OBJECT
public:
    MappingTimesStep(const Theme& theme, models::MappingDraft& draft, QWidget* parent);

    void focusFirst();

private:
    struct Line {
        std::string column;
        QComboBox* encoding;
        QLabel* reason;
    };

    void fill();
    void build(const std::vector<std::string>& columns);
    void choose(const Line& line);
    void applyZone();
    [[nodiscard]] bool sqlite() const;
    [[nodiscard]] QString zone() const; // empty: not said yet, or there is none of that name
    [[nodiscard]] QString unknownZone() const; // what was typed and is none; empty: nothing is
    void showZoneNote();
    [[nodiscard]] bool asks(const Line& line) const;
    [[nodiscard]] std::string naiveEncoding() const; // empty: cannot be said yet
    [[nodiscard]] std::string encodingOf(const Line& line) const;

    const Theme& m_theme;
    models::MappingDraft& m_draft;
    QWidget* m_zoneLine;
    QComboBox* m_zone;
    QLabel* m_zoneNote;
    QLabel* m_none;
    QWidget* m_lines;
    QGridLayout* m_grid = nullptr;
    std::vector<Line> m_entries;
    std::map<std::string, QString> m_chosen; // encodings, by the column: they outlive the lines
};

} // namespace fencepost::ui
