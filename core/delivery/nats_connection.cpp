// SPDX-License-Identifier: Apache-2.0
#include "core/delivery/nats_connection.h"

#include <algorithm>

#include <QSslCertificate>

namespace fencepost::delivery {

namespace {

constexpr Duration longestConnect = std::chrono::seconds(5); // who stops waits for it
constexpr std::int64_t reconnectEvery = 250; // milliseconds
constexpr int forEver = -1;

std::string lastWords(natsStatus status)
{
    natsStatus last = NATS_OK;
    const char* words = nats_GetLastError(&last);
    if (last != status || words == nullptr)
        return natsStatus_GetText(status);
    // "(conn.c:733): words": the place is the library's.
    const std::string_view text = words;
    const auto behind = text.find("): ");
    return std::string(behind == std::string_view::npos ? text : text.substr(behind + 3));
}

natsStatus addCredentials(natsOptions* options, const NatsCredentials& given)
{
    auto status = NATS_OK;
    if (!given.file.empty())
        status = natsOptions_SetUserCredentialsFromFiles(options, given.file.c_str(), nullptr);
    if (status == NATS_OK && !given.user.empty())
        status = natsOptions_SetUserInfo(options, given.user.c_str(), given.password.c_str());
    if (status == NATS_OK && !given.token.empty())
        status = natsOptions_SetToken(options, given.token.c_str());
    return status;
}

// The server's certificate is verified whenever TLS is spoken, also where only the server insists on it.
natsStatus addTls(natsOptions* options, const NatsAddress& address, const TargetOptions& target)
{
    auto status = natsOptions_SetExpectedHostname(options, address.host.c_str());
    if (status == NATS_OK && target.tls) {
        QByteArray roots;
        for (const auto& certificate : target.tls->caCertificates())
            roots += certificate.toPem();
        if (!roots.isEmpty())
            status = natsOptions_SetCATrustedCertificates(options, roots.constData());
    }
    if (status == NATS_OK && address.secure)
        status = natsOptions_SetSecure(options, true);
    return status;
}

natsStatus configure(natsOptions* options, const NatsAddress& address, const TargetOptions& target, WhenLost whenLost)
{
    const bool again = whenLost == WhenLost::Reconnect;
    const auto patience = millisecondsOf(std::min(target.timeout, longestConnect));
    auto status = natsOptions_SetURL(options, serverOf(address).c_str());
    const auto then = [&](auto set, auto value) {
        if (status == NATS_OK)
            status = set(options, value);
    };
    then(natsOptions_SetName, "fencepost");
    then(natsOptions_SetTimeout, patience);
    then(natsOptions_SetWriteDeadline, millisecondsOf(target.timeout));
    then(natsOptions_SetAllowReconnect, again);
    then(natsOptions_SetMaxReconnect, again ? forEver : 0);
    then(natsOptions_SetReconnectWait, reconnectEvery);
    then(natsOptions_SetFailRequestsOnDisconnect, true);
    if (status == NATS_OK)
        status = addTls(options, address, target);
    return status == NATS_OK ? addCredentials(options, target.nats) : status;
}

} // namespace

bool NatsSession::isOpen() const
{
    return natsConnection_Status(connection.get()) == NATS_CONN_STATUS_CONNECTED;
}

Result<std::unique_ptr<NatsSession>> connectTo(
    const NatsAddress& address, const TargetOptions& target, WhenLost whenLost)
{
    const auto failed = [&](natsStatus status) {
        return natsError(status, {}, "The NATS server " + serverOf(address) + " cannot be reached");
    };
    NatsPtr<natsOptions> options;
    if (const auto status = natsOptions_Create(MadeBy(options)); status != NATS_OK)
        return failed(status);
    if (const auto status = configure(options.get(), address, target, whenLost); status != NATS_OK)
        return failed(status);
    auto session = std::make_unique<NatsSession>();
    if (const auto status = natsConnection_Connect(MadeBy(session->connection), options.get()); status != NATS_OK)
        return failed(status);
    jsOptions wait;
    jsOptions_Init(&wait);
    wait.Wait = millisecondsOf(target.timeout);
    if (const auto status = natsConnection_JetStream(MadeBy(session->stream), session->connection.get(), &wait);
        status != NATS_OK)
        return failed(status);
    return session;
}

Error natsError(natsStatus status, jsErrCode code, const std::string& what)
{
    struct Meaning {
        natsStatus status;
        Failure failure;
        const char* code;
    };
    static constexpr Meaning meanings[] = {
        { NATS_NO_SERVER, Failure::Unavailable, "connection" },
        { NATS_IO_ERROR, Failure::Unavailable, "connection" },
        { NATS_CONNECTION_CLOSED, Failure::Unavailable, "connection" },
        { NATS_CONNECTION_DISCONNECTED, Failure::Unavailable, "connection" },
        { NATS_STALE_CONNECTION, Failure::Unavailable, "connection" },
        { NATS_TIMEOUT, Failure::TimedOut, "timeout" },
        { NATS_CONNECTION_AUTH_FAILED, Failure::Denied, "authorization" },
        { NATS_NOT_PERMITTED, Failure::Denied, "authorization" },
        { NATS_SSL_ERROR, Failure::Denied, "tls" },
        { NATS_SECURE_CONNECTION_WANTED, Failure::Denied, "tls" },
        { NATS_SECURE_CONNECTION_REQUIRED, Failure::Denied, "tls" },
        { NATS_NO_RESPONDERS, Failure::NotFound, "no_stream" },
        { NATS_NOT_FOUND, Failure::NotFound, "not_found" },
        { NATS_MAX_PAYLOAD, Failure::Invalid, "max_payload" },
    };
    Error error{ Failure::Unavailable, what, lastWords(status), "nats" };
    for (const auto& meaning : meanings)
        if (meaning.status == status) {
            error.failure = meaning.failure;
            error.code = meaning.code;
        }
    if (code != 0 && status != NATS_NO_RESPONDERS)
        error.code = "jetstream_" + std::to_string(code);
    return error;
}

std::int64_t millisecondsOf(Duration duration)
{
    return std::max<std::int64_t>(1, std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

} // namespace fencepost::delivery
