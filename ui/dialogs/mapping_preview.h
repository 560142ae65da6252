// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace fencepost::models {
class MappingDraft;
class PreviewModel;
} // namespace fencepost::models

namespace fencepost::ui {

class ErrorBanner;
class RowGrid;
class Theme;
class ZoneSetting;

// The first rows of a table as its mapping makes them, and how many there are in each state; what keeps them from being
// read, where something does.
class MappingPreviewView final : public QWidget {
    Q_OBJECT
public:
    MappingPreviewView(const Theme& theme, const ZoneSetting& zone, models::MappingDraft& draft, QWidget* parent);

    [[nodiscard]] RowGrid& grid() const { return *m_grid; }
    [[nodiscard]] QString summary() const;
    [[nodiscard]] models::PreviewModel* model() const { return m_model; }

private:
    void follow();
    void showCounts();

    const ZoneSetting& m_zone;
    models::MappingDraft& m_draft;
    models::PreviewModel* m_model = nullptr;
    int m_kind = -1;
    QLabel* m_summary;
    ErrorBanner* m_banner;
    RowGrid* m_grid;
};

} // namespace fencepost::ui
