// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/forensics.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace fencepost::ui {

class RangeSetting;
class Theme;
class ZoneSetting;

// The time that a page looks back on: what the top bar says, up to now, until it is frozen or typed in.
class RangeField final : public QWidget {
    Q_OBJECT
public:
    RangeField(const Theme& theme, RangeSetting& range, ZoneSetting& zone, QWidget* parent = nullptr);

    // What the page in front shows: what freezing freezes.
    void setShown(const TimeRange& range);
    [[nodiscard]] std::optional<TimeRange> shown() const;
    [[nodiscard]] QLineEdit& from() const { return *m_from; }
    [[nodiscard]] QLineEdit& until() const { return *m_until; }
    [[nodiscard]] QToolButton& freeze() const { return *m_freeze; }

Q_SIGNALS:
    // Of what was typed, in words; empty: there is none any more.
    void mistaken(const QString& what);

private:
    void showRange();
    void take();
    void mark(QLineEdit& field, const QString& mistake);
    void tellMistake();
    void settle(const std::optional<TimeRange>& range);

    RangeSetting& m_range;
    ZoneSetting& m_zone;
    std::optional<TimeRange> m_shown;
    QLineEdit* m_from;
    QLineEdit* m_until;
    QToolButton* m_freeze;
    QString m_told; // the mistake that was told last
};

} // namespace fencepost::ui
