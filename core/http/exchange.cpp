// SPDX-License-Identifier: Apache-2.0
#include "core/http/exchange.h"

#include <algorithm>
#include <array>

#include <QNetworkAccessManager>

#include "core/http/answer.h"

namespace fencepost::http {

namespace {

// Errors of making a connection. Each of them also comes up when the stack sends a request again on its own, so they
// are believed only where it has written nothing.
constexpr std::array beforeTheRequest = {
    QNetworkReply::ConnectionRefusedError, QNetworkReply::HostNotFoundError, QNetworkReply::TimeoutError,
    QNetworkReply::SslHandshakeFailedError, QNetworkReply::TemporaryNetworkFailureError,
    QNetworkReply::NetworkSessionFailedError, QNetworkReply::ProxyConnectionRefusedError,
    QNetworkReply::ProxyNotFoundError, QNetworkReply::ProxyTimeoutError, QNetworkReply::ProtocolUnknownError,
    QNetworkReply::UnknownNetworkError, // network or host unreachable
};

// Errors that come up before a connection is there, and at no other time.
constexpr std::array beforeTheConnection = {
    QNetworkReply::ConnectionRefusedError,
    QNetworkReply::HostNotFoundError,
    QNetworkReply::ProxyConnectionRefusedError,
    QNetworkReply::ProxyNotFoundError,
};

// What the stack calls an error although the answer is there: statuses from 400 on.
constexpr std::array answers = {
    QNetworkReply::NoError,
    QNetworkReply::ProtocolInvalidOperationError, // 400 and 418
    QNetworkReply::ContentAccessDenied,
    QNetworkReply::ContentOperationNotPermittedError,
    QNetworkReply::ContentNotFoundError,
    QNetworkReply::AuthenticationRequiredError,
    QNetworkReply::ProxyAuthenticationRequiredError,
    QNetworkReply::ContentConflictError,
    QNetworkReply::ContentGoneError,
    QNetworkReply::UnknownContentError,
    QNetworkReply::InternalServerError,
    QNetworkReply::OperationNotImplementedError,
    QNetworkReply::ServiceUnavailableError,
    QNetworkReply::UnknownServerError,
};

template <std::size_t size>
bool contains(const std::array<QNetworkReply::NetworkError, size>& errors, QNetworkReply::NetworkError error)
{
    return std::find(errors.begin(), errors.end(), error) != errors.end();
}

QNetworkReply* start(QNetworkAccessManager& manager, const ExchangeRequest& request, OneShotBody* body)
{
    if (request.method == "GET")
        return manager.get(request.request);
    if (request.method == "HEAD")
        return manager.head(request.request);
    // The other calls of the manager leave out a body that is empty, and with it what keeps the request from being sent
    // twice.
    return manager.sendCustomRequest(request.request, QByteArray::fromStdString(request.method), body);
}

} // namespace

Exchange::Exchange(QNetworkAccessManager& manager, ExchangeRequest request, std::function<void(Exchanged)> ended)
    : m_ended(std::move(ended))
    , m_method(std::move(request.method))
    , m_longestAnswer(request.longestAnswer)
{
    request.method = m_method;
    if (retry::verbOf(m_method) != retry::Verb::Safe) {
        request.request.setHeader(QNetworkRequest::ContentLengthHeader, static_cast<qint64>(request.body.size()));
        request.request.setAttribute(QNetworkRequest::DoNotBufferUploadDataAttribute, true);
        m_body = new OneShotBody(std::move(request.body), this);
    }
    m_reply = start(manager, request, m_body);
    m_reply->setParent(this);
    if (m_body != nullptr)
        m_body->setParent(m_reply);
    m_reply->setReadBufferSize(static_cast<qint64>(m_longestAnswer) + 1);
    connect(m_reply, &QNetworkReply::requestSent, this, [this] { ++m_sends; });
    connect(m_reply, &QNetworkReply::readyRead, this, &Exchange::read);
    connect(m_reply, &QNetworkReply::finished, this, &Exchange::finish);
}

Exchange::~Exchange()
{
    m_reply->disconnect(this);
    if (m_body != nullptr)
        m_body->withhold();
    if (m_reply->isRunning())
        m_reply->abort();
}

Exchanged Exchange::giveUp(retry::Ending ending)
{
    m_reply->disconnect(this);
    Exchanged exchanged;
    // The stack writes in a thread of its own, so an empty body may be on its way at this very moment.
    const bool unsent = m_body != nullptr && !m_body->isEmpty() && !m_body->wasRead();
    if (m_body != nullptr)
        m_body->withhold();
    exchanged.ending = unsent ? retry::Ending::NotSent : ending;
    exchanged.sends = m_sends;
    exchanged.words = unsent ? "no connection was made in time" : "";
    m_reply->abort();
    return exchanged;
}

void Exchange::read()
{
    const auto room = m_longestAnswer - m_answer.size();
    const auto octets = m_reply->read(static_cast<qint64>(room) + 1);
    m_answer.append(octets.constData(), std::min(static_cast<std::size_t>(octets.size()), room));
    if (static_cast<std::size_t>(octets.size()) <= room)
        return;
    // Its status is known and the rest is not wanted.
    m_cut = true;
    finish();
}

void Exchange::finish()
{
    m_reply->disconnect(this);
    if (!m_cut && m_reply->bytesAvailable() > 0) {
        const auto room = m_longestAnswer - m_answer.size();
        const auto octets = m_reply->readAll();
        m_cut = static_cast<std::size_t>(octets.size()) > room;
        m_answer.append(octets.constData(), std::min(static_cast<std::size_t>(octets.size()), room));
    }
    Exchanged exchanged;
    exchanged.sends = m_sends;
    exchanged.cut = m_cut;
    exchanged.ending = m_cut ? retry::Ending::Answered : endingOf(m_reply->error());
    if (exchanged.ending == retry::Ending::Answered)
        exchanged.response = response();
    else
        exchanged.words = m_reply->errorString().toStdString();
    exchanged.tls = m_reply->error() == QNetworkReply::SslHandshakeFailedError;
    if (m_reply->isRunning())
        m_reply->abort();
    m_ended(std::move(exchanged));
}

retry::Ending Exchange::endingOf(QNetworkReply::NetworkError error) const
{
    // Behind a 307 or 308 the stack rewinds the body, though nobody asked it to follow.
    const int status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    const bool redirected = error == QNetworkReply::ContentReSendError && (status == 307 || status == 308);
    const bool closed = (error == QNetworkReply::RemoteHostClosedError || error == QNetworkReply::ContentReSendError)
        && endsByClosing();
    if ((redirected || closed || contains(answers, error)) && isWhole())
        return retry::Ending::Answered;
    // Of a request with an empty body the stack does not say that it has written it; but it cannot write it twice.
    if (m_body != nullptr && m_body->isEmpty())
        return contains(beforeTheConnection, error) ? retry::Ending::NotSent : retry::Ending::Lost;
    // A request whose body was not touched is none, whatever broke.
    if (m_body != nullptr)
        return m_sends == 0 && !m_body->wasRead() ? retry::Ending::NotSent : retry::Ending::Lost;
    return m_sends == 0 && contains(beforeTheRequest, error) ? retry::Ending::NotSent : retry::Ending::Lost;
}

// RFC 9112 §6.3: a body whose length nobody tells ends with the connection, which the stack calls an error now and
// then, or tries to send the request again and finds that its body can be read once only. Under TLS a close may be
// somebody's who cut it off.
bool Exchange::endsByClosing() const
{
    return m_reply->url().scheme() == QLatin1String("http") && !m_reply->hasRawHeader("Content-Length")
        && !m_reply->hasRawHeader("Transfer-Encoding");
}

// Whether there is a final status and as much of a body as was promised.
bool Exchange::isWhole() const
{
    const int status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    if (status < 200 || status > 599)
        return false;
    const auto promised = m_reply->rawHeader("Content-Length");
    const bool bodiless = m_method == "HEAD" || status == 204 || status == 304;
    if (promised.isEmpty() || bodiless || m_reply->hasRawHeader("Transfer-Encoding"))
        return true;
    bool number = false;
    const auto length = promised.toULongLong(&number);
    return number && length == m_answer.size();
}

HttpResponse Exchange::response()
{
    HttpResponse response;
    response.status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    for (const auto& [name, value] : m_reply->rawHeaderPairs())
        for (auto& line : separated(name.toStdString(), value.toStdString()))
            response.headers.push_back(std::move(line));
    response.body = std::move(m_answer);
    return response;
}

} // namespace fencepost::http
