// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/table_mapper.h"

class QLabel;
class QPushButton;

namespace fencepost::models {
class StoreThread;
class SurveyModel;
} // namespace fencepost::models

namespace fencepost::ui {

class RowGrid;
class Theme;

// All tables of a connection: which are recognised and why, which fit several profiles, and which nobody knows and
// somebody may describe.
class SurveyPanel final : public QWidget {
    Q_OBJECT
public:
    SurveyPanel(const Theme& theme, QWidget* parent);

    void load(models::StoreThread& thread);
    [[nodiscard]] RowGrid& grid() const { return *m_grid; }
    [[nodiscard]] models::SurveyModel& model() const { return *m_model; }
    [[nodiscard]] bool isLoading() const;
    [[nodiscard]] QString summary() const;

Q_SIGNALS:
    void mapAsked(const fencepost::TableName& table);
    void profileChosen(const fencepost::TableName& table, const QString& profile);
    void zoneAsked(const QString& profile);
    void loaded();
    void retryAsked();

private:
    void showSummary();
    void showTable();
    void offerProfiles(const SurveyedTable& table);
    void map();
    [[nodiscard]] const SurveyedTable* current() const;

    models::SurveyModel* m_model;
    QLabel* m_summary;
    RowGrid* m_grid;
    QLabel* m_why;
    QPushButton* m_choose; // of several profiles
    QPushButton* m_zone;
    QPushButton* m_map;
};

} // namespace fencepost::ui
