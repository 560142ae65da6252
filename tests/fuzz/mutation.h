// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"

namespace fencepost::fuzz {

// Inputs that are nearly valid, made of valid ones; the same seed gives the same inputs on every machine.
class Mutation {
public:
    Mutation(std::vector<std::string> corpus, std::uint64_t seed, std::size_t longest);

    [[nodiscard]] const std::string& next();

private:
    std::size_t below(std::size_t bound);
    void change();
    void cut();
    void repeat();
    void splice();
    void nest();
    void swapDigits();

    std::vector<std::string> m_corpus;
    SeededRandom m_random;
    std::size_t m_longest;
    std::string m_text;
};

} // namespace fencepost::fuzz
