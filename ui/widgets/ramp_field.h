// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/operations/replay.h"

class QLineEdit;
class QSpinBox;

namespace fencepost::ui {

// The stages of a replay, and the share of failures that pauses it.
class RampField final : public QWidget {
    Q_OBJECT
public:
    explicit RampField(QWidget* parent = nullptr);

    // What is typed over the rest of `base`; Invalid: it is no ramp.
    [[nodiscard]] Result<ReplaySettings> settings(ReplaySettings base) const;
    void setSettings(const ReplaySettings& settings);

Q_SIGNALS:
    void changed();

private:
    QLineEdit* m_stages;
    QSpinBox* m_brake;
};

} // namespace fencepost::ui
