// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QWidget>

#include "ui/page.h"

class QLabel;
class QToolButton;

namespace fencepost::ui {

// One button per operation, made from the list. What may not be used now stays visible and says why.
class OperationBar final : public QWidget {
    Q_OBJECT
public:
    // Words beside the icons where there is room for all of them.
    explicit OperationBar(const Theme& theme, QWidget* parent = nullptr);
    // Shows the operations of such rows; those of a target follow it.
    void setRows(Kind kind);
    void setTable(const Binding& binding);

    // `now` is the database's clock when the rows were read.
    void setTarget(const Selection& selection, Time now);
    [[nodiscard]] QToolButton* button(std::string_view operation) const;
    // Why an operation may not be used on what is chosen; empty: it may.
    [[nodiscard]] static QString whyNot(const Operation& operation, const Selection& selection, Time now);

    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void chosen(const fencepost::Operation& operation);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Entry {
        const Operation* operation;
        QToolButton* button;
    };
    void fit();
    void showWords();

    std::vector<Entry> m_entries;
    int m_wide = 0; // with words
    int m_narrow = 0;
};

} // namespace fencepost::ui
