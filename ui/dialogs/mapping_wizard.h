// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "core/table_mapper.h"

class QLabel;
class QPushButton;
class QStackedWidget;
class QTabBar;

namespace fencepost::models {
class MappingDraft;
}

namespace fencepost::ui {

struct PageContext;
class ErrorBanner;
class MappingColumnsStep;
class MappingPreviewView;
class MappingSaveStep;
class MappingStateStep;
class MappingTimesStep;

// Describes a table that nobody knows: what its columns mean, which states its values are, how its times are written;
// with its first rows below, as they will be shown. What comes out is a profile in a file, which can only read.
class MappingWizard final : public QDialog {
    Q_OBJECT
public:
    MappingWizard(PageContext& context, const TableName& table, QWidget* parent);

    enum Step { Columns, State, Times, Save };
    static constexpr int steps = 4;
    void showStep(int step);
    [[nodiscard]] int step() const;
    [[nodiscard]] models::MappingDraft& draft() const { return *m_draft; }
    [[nodiscard]] MappingPreviewView& preview() const { return *m_preview; }
    [[nodiscard]] QString hint() const;

Q_SIGNALS:
    // The file is there, and tables are recognised by it from now on.
    void saved(const QString& profile, const QString& path);

private:
    QWidget* makeHead(const TableName& table);
    QLayout* makeFoot();
    void showButtons();
    void next();
    void save();

    PageContext& m_context;
    models::MappingDraft* m_draft;
    ErrorBanner* m_banner;
    QTabBar* m_tabs;
    QStackedWidget* m_stack;
    MappingColumnsStep* m_columns;
    MappingStateStep* m_state;
    MappingTimesStep* m_times;
    MappingSaveStep* m_save;
    MappingPreviewView* m_preview;
    QLabel* m_hint;
    QPushButton* m_back;
    QPushButton* m_next;
};

} // namespace fencepost::ui
