// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QWidget>

#include "core/forensics.h"
#include "models/deliver.h"
#include "models/page_model.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace fencepost::models {
class Session;
}

namespace fencepost::ui {

class PlainTable;
class Theme;

// Which of the requests under a key a body is, which check refuses it, and where it differs from the one that was kept:
// what decides apart from what does not.
class ConflictExplainer final : public QWidget {
    Q_OBJECT
public:
    ConflictExplainer(const Theme& theme, models::Session* session, QWidget* parent = nullptr);

    // Null: there is none.
    void setConflict(const models::BindingPtr& binding, const std::optional<RefusedArrival>& arrival);
    void compare();
    [[nodiscard]] const models::BindingPtr& binding() const { return m_binding; }
    [[nodiscard]] const std::optional<RefusedArrival>& arrival() const { return m_arrival; }
    [[nodiscard]] bool isLoading() const { return m_load.pending(); }
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] PlainTable& differences() const { return *m_differences; }
    [[nodiscard]] QPlainTextEdit& payload() const { return *m_payload; }
    [[nodiscard]] QPushButton& compareButton() const { return *m_compare; }

private:
    struct Explained {
        ConflictCase found;
        std::optional<ConflictExplanation> explanation; // none: nothing was presented
    };
    void show(const Result<std::optional<Explained>>& answer);
    void showEvent(const ConflictCase& found, const std::optional<ConflictExplanation>& explanation);
    void showExplanation(const ConflictExplanation& explanation);
    void tell(const char* tone, const QString& words);

    models::Session* m_session;
    models::BindingPtr m_binding;
    std::optional<RefusedArrival> m_arrival;
    QLabel* m_facts;
    QPlainTextEdit* m_payload;
    QPushButton* m_compare;
    QLabel* m_verdict;
    PlainTable* m_differences;
    models::Latest<Result<std::optional<Explained>>> m_load;
};

} // namespace fencepost::ui
