// SPDX-License-Identifier: Apache-2.0
#include "core/evidence/line_reader.h"

namespace fencepost {

bool LineReader::add(std::string_view piece, const Visit& visit)
{
    while (true) {
        const auto end = piece.find('\n');
        keep(piece.substr(0, end));
        if (end == std::string_view::npos)
            return true;
        if (!give(true, visit))
            return false;
        piece.remove_prefix(end + 1);
    }
}

bool LineReader::finish(const Visit& visit)
{
    return m_line.empty() && !m_tooLong ? true : give(false, visit);
}

void LineReader::keep(std::string_view part)
{
    m_tooLong = m_tooLong || m_line.size() + part.size() > longest;
    if (m_tooLong)
        m_line.clear();
    else
        m_line.append(part);
}

bool LineReader::give(bool ended, const Visit& visit)
{
    std::string_view text = m_line;
    if (!text.empty() && text.back() == '\r')
        text.remove_suffix(1);
    const bool goesOn = visit({ ++m_number, text, m_tooLong, ended });
    m_line.clear();
    m_tooLong = false;
    return goesOn;
}

} // namespace fencepost
