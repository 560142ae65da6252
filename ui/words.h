// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <QString>

#include "core/inspector.h"

namespace fencepost::ui {

// How numbers and names are written for people; state and environment words are in theme.h, instants in models/zone.h.

[[nodiscard]] QString text(std::string_view utf8);
// What the core says within a sentence, where it stands alone: with a capital.
[[nodiscard]] QString sentence(std::string_view utf8);
// With a full stop, where it stands alone among sentences.
[[nodiscard]] QString withStop(const QString& sentence);
// Groups of three with a thin space: 48 211.
[[nodiscard]] QString numberText(std::int64_t number);
// 1 234 exact, ≥ 10 000 at least, ≈ 2.4M estimated, – where nothing was counted in time.
[[nodiscard]] QString countText(const Count& count);
// Counting ended before it met a single row: neither good news nor bad.
[[nodiscard]] bool isUnknown(const Count& count);
[[nodiscard]] QString exactnessText(Exactness exactness);
// "1 row", "3 rows".
[[nodiscard]] QString counted(std::int64_t number, const QString& one, const QString& many);
// Long ids keep both ends: pay_01HX…9f3c.
[[nodiscard]] QString elidedId(const QString& id, int length = 24);
// The end of an owner's id, which tells two of them apart: …9f3c21.
[[nodiscard]] QString lastSix(const std::string& owner);
// 64 MiB, 1.2 KiB, 12 bytes.
[[nodiscard]] QString sizeText(std::int64_t octets);

// The same words for a label that wraps: one that is longer than a narrow panel may be broken behind a sign of its own.
[[nodiscard]] QString breakable(const QString& words);

} // namespace fencepost::ui
