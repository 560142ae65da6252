// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QIODevice>

#include "core/ids.h"

namespace fencepost::http {

// The body of one attempt, which can be read once. Where a server closes without an answer, QNetworkAccessManager sends
// the request again on a connection of its own, before anybody is told; for that it has to rewind the body, and this
// one refuses. So an attempt is one request on the wire. An empty body serves the same end.
class OneShotBody final : public QIODevice {
public:
    explicit OneShotBody(Bytes body, QObject* parent = nullptr);

    // Whether any of it was handed out. Until then no server has a whole request, unless the body is empty.
    [[nodiscard]] bool wasRead() const { return m_at > 0; }
    [[nodiscard]] bool isEmpty() const { return m_body.empty(); }
    // What was not handed out yet never is.
    void withhold() { m_withheld = true; }

    [[nodiscard]] bool isSequential() const override { return true; }
    [[nodiscard]] bool atEnd() const override;
    [[nodiscard]] qint64 bytesAvailable() const override;
    bool reset() override { return false; }

protected:
    qint64 readData(char* data, qint64 most) override;
    qint64 writeData(const char* data, qint64 size) override;

private:
    Bytes m_body;
    std::size_t m_at = 0;
    bool m_withheld = false;
};

} // namespace fencepost::http
