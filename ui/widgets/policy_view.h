// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/protocol/policy.h"

class QLabel;
class QVBoxLayout;

namespace fencepost::ui {

class Theme;

// What fencepost.policy.json says per route, and from which layer each value comes.
class PolicyView : public QWidget {
    Q_OBJECT
public:
    PolicyView(const Theme& theme, QWidget* parent);

    void show(const Result<Policy>& policy, const QString& path);
    // No policy is known, and why.
    void showNone(const QString& why);
    using QWidget::show;

private:
    QLabel* startWithCaption();
    QWidget* makeTable(const Policy& policy);

    const Theme& m_theme;
    QVBoxLayout* m_layout;
};

} // namespace fencepost::ui
