// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include <QObject>

#include "models/arrivals.h"

namespace fencepost::ui {

// A time that ends now, cut into the stretches that its bars stand for.
struct Range {
    const char* title;
    Duration width; // of each stretch
    int count;
};

[[nodiscard]] std::span<const Range> ranges() noexcept;

// The one range of the window, chosen in the top bar. Whatever counts arrivals follows changed().
class RangeSetting : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    [[nodiscard]] int index() const { return m_index; }
    [[nodiscard]] QString title() const { return tr(ranges()[std::size_t(m_index)].title); }
    // What to count, of everything.
    [[nodiscard]] models::ArrivalsRequest request() const;
    // Of ranges(); any other number changes nothing.
    void set(int index);

Q_SIGNALS:
    void changed();

private:
    int m_index = 3;
};

} // namespace fencepost::ui
