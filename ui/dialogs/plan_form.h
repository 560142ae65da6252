// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <QTimer>
#include <QWidget>

#include "core/operations/operation.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPlainTextEdit;

namespace fencepost::ui {

// What an operation asks of the operator, made from its parameters, and the reason. Without an operation (an undo) it
// is the reason alone.
class PlanForm final : public QWidget {
    Q_OBJECT
public:
    // `ownTable`: of Fencepost, for which some parameters alone have a meaning.
    // `asked`: what the profile's own action asks for in this table besides.
    PlanForm(const Operation* operation, bool ownTable, QWidget* parent = nullptr,
        const std::vector<ActionParameter>& asked = {});

    [[nodiscard]] std::map<std::string, std::string> parameters() const;
    [[nodiscard]] QString reason() const;
    void setReason(const QString& reason);
    void setParameter(std::string_view id, const QString& value);
    // The first field that is still to be filled, else the reason.
    void focusFirst();
    // Why no plan can be made yet; empty: it can.
    [[nodiscard]] QString whyIncomplete() const;
    // Parameters have changed that nobody was told of yet.
    [[nodiscard]] bool isBeingTyped() const { return m_pause.isActive(); }

Q_SIGNALS:
    void parametersChanged();
    // Into a field; parametersChanged() follows when the writer pauses.
    void typed();
    void reasonChanged();
    // The document is to begin with what the row has now.
    void presentAsked(const QString& parameter);

private:
    struct Entry {
        const Parameter* parameter;
        QComboBox* choice = nullptr;
        QCheckBox* flag = nullptr;
        QLineEdit* line = nullptr;
        QPlainTextEdit* document = nullptr;
    };

    // A parameter of the profile, in the form of an operation's.
    struct Asked {
        ActionParameter said;
        std::string title;
        Parameter parameter;
    };

    QWidget* addEntry(const Parameter& parameter);
    void addAsked(const std::vector<ActionParameter>& asked, bool ownTable);
    [[nodiscard]] const Asked* askedOf(const Parameter& parameter) const;
    [[nodiscard]] QString whyNotAsked() const;
    QWidget* addDocument(Entry& entry);
    [[nodiscard]] static QWidget* fieldOf(const Entry& entry);
    [[nodiscard]] static std::string valueOf(const Entry& entry);

    void noteTyping();
    void tellChange();

    const Operation* m_operation;
    std::vector<std::unique_ptr<Asked>> m_asked;
    std::vector<Entry> m_entries;
    std::map<std::string, std::string> m_told;
    QTimer m_pause; // what is typed is read when its writer pauses
    QPlainTextEdit* m_reason;
};

} // namespace fencepost::ui
