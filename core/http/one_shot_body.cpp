// SPDX-License-Identifier: Apache-2.0
#include "core/http/one_shot_body.h"

#include <algorithm>
#include <cstring>

namespace fencepost::http {

OneShotBody::OneShotBody(Bytes body, QObject* parent)
    : QIODevice(parent)
    , m_body(std::move(body))
{
    open(QIODevice::ReadOnly | QIODevice::Unbuffered);
}

bool OneShotBody::atEnd() const
{
    return bytesAvailable() == 0;
}

qint64 OneShotBody::bytesAvailable() const
{
    return static_cast<qint64>(m_body.size() - m_at);
}

qint64 OneShotBody::readData(char* data, qint64 most)
{
    if (m_withheld || most < 0)
        return -1;
    const auto size = std::min(m_body.size() - m_at, static_cast<std::size_t>(most));
    if (size == 0)
        return m_at == m_body.size() ? -1 : 0;
    std::memcpy(data, m_body.data() + m_at, size);
    m_at += size;
    return static_cast<qint64>(size);
}

qint64 OneShotBody::writeData(const char*, qint64)
{
    return -1;
}

} // namespace fencepost::http
