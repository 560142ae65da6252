// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <QNetworkReply>
#include <QNetworkRequest>
#include <QObject>

#include "core/http/one_shot_body.h"
#include "core/protocol/http_message.h"
#include "core/retry/decision.h"

class QNetworkAccessManager;

namespace fencepost::http {

// How one request on the wire ended.
struct Exchanged {
    retry::Ending ending = retry::Ending::Lost; // Answered, NotSent, TimedOut, Lost or Cancelled
    std::optional<HttpResponse> response{}; // Answered
    bool cut = false; // the answer's body was over the limit and is not whole
    int sends = 0; // as the network stack tells, which it does not of an empty body; more than one is its own doing
    std::string words; // the network stack's own, where there is no answer
    bool tls = false; // no trusted session could be agreed on
};

// What to send, and how much of an answer to take.
struct ExchangeRequest {
    QNetworkRequest request;
    std::string method;
    Bytes body;
    std::size_t longestAnswer = 0; // octets
};

// One attempt over QNetworkAccessManager. NotSent is said only where it is certain: the connection was not made and the
// stack wrote nothing, or a body of which nothing was handed out. Lives in the thread of its manager.
class Exchange final : public QObject {
public:
    // `ended` is called once, from the event loop; it may delete the exchange later, not at once.
    Exchange(QNetworkAccessManager& manager, ExchangeRequest request, std::function<void(Exchanged)> ended);
    ~Exchange() override;

    // Ends it now, as TimedOut or Cancelled, or NotSent where that is certain; `ended` is not called.
    [[nodiscard]] Exchanged giveUp(retry::Ending ending);

private:
    void read();
    void finish();
    [[nodiscard]] retry::Ending endingOf(QNetworkReply::NetworkError error) const;
    [[nodiscard]] bool endsByClosing() const;
    [[nodiscard]] bool isWhole() const;
    [[nodiscard]] HttpResponse response();

    std::function<void(Exchanged)> m_ended;
    std::string m_method;
    std::size_t m_longestAnswer;
    OneShotBody* m_body = nullptr; // the reply's; null: a safe request
    QNetworkReply* m_reply;
    Bytes m_answer;
    bool m_cut = false;
    int m_sends = 0;
};

} // namespace fencepost::http
