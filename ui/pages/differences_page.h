// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include "models/differences_model.h"
#include "ui/page.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace fencepost::ui {

class ErrorBanner;
class FieldList;
class RowGrid;

// What differs between two snapshots: how much of which kind, each row of it, and the way into either of the two. Needs
// no connection.
class DifferencesPage final : public Page {
    Q_OBJECT
public:
    explicit DifferencesPage(PageContext& context, QWidget* parent = nullptr);

    void activate() override;
    void reload() override;
    void setDense(bool dense) override;
    [[nodiscard]] PageStatus status() const override;
    [[nodiscard]] bool isLoading() const override;
    [[nodiscard]] bool handles(std::string_view command) const override;
    void run(std::string_view command) override;
    [[nodiscard]] QVariantMap arrangement() const override;
    void setArrangement(const QVariantMap& arrangement) override;

    [[nodiscard]] QString summary() const;
    [[nodiscard]] RowGrid& grid() const { return *m_grid; }
    [[nodiscard]] ErrorBanner& banner() const { return *m_banner; }

private:
    // One of the two snapshots.
    struct Side {
        QLineEdit* file = nullptr;
        QPushButton* choose = nullptr;
        QPushButton* open = nullptr;
    };

    Side makeSide(const QString& name, const QString& words);
    void build();
    QWidget* makeCard();
    void choose(const Side& side);
    void compare();
    void narrow();
    void showPair();
    void showProgress();
    void showKinds();
    void showCurrent();
    void showNothing();
    [[nodiscard]] const SnapshotDifference* current() const;
    void jump(const Side& side);

    const PageContext m_context;
    models::DifferencesModel* const m_model; // null: this window compares none
    Side m_first;
    Side m_second;
    QPushButton* m_compare;
    QComboBox* m_kinds;
    QLabel* m_summary;
    ErrorBanner* m_banner;
    RowGrid* m_grid;
    QFrame* m_card;
    FieldList* m_facts;
};

[[nodiscard]] Page* makeDifferencesPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui
