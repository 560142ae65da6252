// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include <QDialog>

#include "core/result.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace fencepost::ui {

class Theme;

// One rule, as it is typed: what is wrong with it is said while it is.
class AlertRuleDialog : public QDialog {
    Q_OBJECT
public:
    // `rule`: empty: a new one. What `keep` refuses is shown, and the dialog stays.
    using Keep = std::function<Status(const QString& rule)>;
    AlertRuleDialog(const Theme& theme, const QString& rule, Keep keep, QWidget* parent);

    [[nodiscard]] QLineEdit& field() const { return *m_rule; }
    [[nodiscard]] QPushButton& keepButton() const { return *m_save; }
    [[nodiscard]] QString words() const;

private:
    void check();
    void keep();

    const Keep m_keep;
    QComboBox* m_measure;
    QLineEdit* m_rule;
    QLabel* m_words;
    QPushButton* m_save;
};

} // namespace fencepost::ui
