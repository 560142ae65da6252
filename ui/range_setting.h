// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>

#include <QObject>

#include "core/forensics.h"
#include "models/arrivals.h"

namespace fencepost::ui {

// A time that ends now, cut into the stretches that its bars stand for.
struct Range {
    const char* title;
    Duration width; // of each stretch
    int count;
};

[[nodiscard]] std::span<const Range> ranges() noexcept;

// The one range of the window, chosen in the top bar, or frozen to the time of an incident. Whatever counts arrivals
// follows changed().
class RangeSetting : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    [[nodiscard]] int index() const { return m_index; }
    [[nodiscard]] QString title() const { return tr(ranges()[std::size_t(m_index)].title); }
    // What to count, of everything.
    [[nodiscard]] models::ArrivalsRequest request() const;
    // Of ranges(); any other number changes nothing. What was frozen moves again.
    void set(int index);
    // What the pages that look back are about, while it stays as it is; none: what the top bar says, up to now.
    [[nodiscard]] const std::optional<TimeRange>& frozen() const { return m_frozen; }
    void freeze(const std::optional<TimeRange>& range);
    [[nodiscard]] RangeRequest lookBack() const;

Q_SIGNALS:
    void changed();

private:
    int m_index = 4;
    std::optional<TimeRange> m_frozen;
};

} // namespace fencepost::ui
