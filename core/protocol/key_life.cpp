// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/key_life.h"

#include <algorithm>

#include "core/protocol/transition.h"

namespace fencepost {

bool isOfEarlierLife(Fence fence, const KeyLives& lives)
{
    return !lives.empty() && fence < lives.back().began;
}

bool isOfPastLife(Fence fence, const KeyLives& lives)
{
    if (!isOfEarlierLife(fence, lives))
        return false;
    const auto next = std::find_if(lives.begin(), lives.end(), [&](const KeyLife& life) { return fence < life.began; });
    return next != lives.begin() && std::prev(next)->concluded && fence <= *std::prev(next)->concluded;
}

void LivesOfJournal::add(std::string_view event, std::string_view toState, int attempt, Fence fence)
{
    // A takeover and a retry are later attempts, and what is held is not in progress.
    if (event == wordOf(Event::Reserve) && attempt == 1 && toState == wordOf(State::InProgress)) {
        m_lives.push_back({ fence });
    } else if (event == wordOf(Event::Reopen)) {
        if (!m_lives.empty())
            m_lives.back().concluded.reset();
    } else if (toState == wordOf(State::Succeeded) || toState == wordOf(State::FailedFinal)) {
        if (m_lives.empty())
            m_lives.push_back({});
        m_lives.back().concluded = fence;
    }
}

} // namespace fencepost
