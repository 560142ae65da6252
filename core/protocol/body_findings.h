// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/protocol/body_explanation.h"

namespace fencepost {

// Collects what is found and keeps no more of it than is shown.
class BodyFindings {
public:
    explicit BodyFindings(std::size_t most)
        : m_most(most)
    {
    }

    void add(BodyDifference difference)
    {
        if (explanation.differenceCount++ < m_most)
            explanation.differences.push_back(std::move(difference));
    }
    void add(BenignDifference difference)
    {
        if (explanation.benignCount++ < m_most)
            explanation.benign.push_back(std::move(difference));
    }

    BodyExplanation explanation;

private:
    std::size_t m_most;
};

// At most 120 octets; hexadecimal digits where it is no text.
[[nodiscard]] std::string excerpt(std::string_view text);

// Both must be I-JSON. Differences outside of the pointers are benign; no pointers: all of the body counts.
void compareJson(
    std::string_view before, std::string_view after, const std::vector<std::string>& pointers, BodyFindings& findings);

} // namespace fencepost
