// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/snapshot/redaction_rules.h"

class QComboBox;
class QLineEdit;
class QPushButton;

namespace fencepost::ui {

// What is hidden in a file that is given away: what the console hides, or what the rules of a file say.
class RulesField final : public QWidget {
    Q_OBJECT
public:
    explicit RulesField(QWidget* parent);

    // An error: the file is none of rules.
    [[nodiscard]] Result<RedactionRules> rules() const;

Q_SIGNALS:
    void changed();

private:
    void choose();
    void showFile();

    QComboBox* m_which;
    QLineEdit* m_file;
    QPushButton* m_choose;
};

} // namespace fencepost::ui
