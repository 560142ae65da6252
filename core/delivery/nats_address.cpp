// SPDX-License-Identifier: Apache-2.0
#include "core/delivery/nats_address.h"

#include <algorithm>

#include <QUrl>

namespace fencepost::delivery {

namespace {

constexpr std::size_t longestSubject = 1'024; // a server ends connections whose lines are longer than 4 KiB

Status checkSubject(const std::string& subject, NatsSubject kind)
{
    if (subject.empty())
        return invalid("A NATS destination names a subject: nats://HOST:PORT/SUBJECT");
    if (subject.size() > longestSubject)
        return invalid("A NATS subject has at most " + std::to_string(longestSubject) + " octets");
    const bool blank = std::any_of(subject.begin(), subject.end(), [](char c) {
        const auto octet = static_cast<unsigned char>(c);
        return octet <= ' ' || octet == 0x7F;
    });
    if (blank)
        return invalid("A NATS subject has neither blanks nor control characters");
    if (subject.front() == '.' || subject.back() == '.' || subject.find("..") != std::string::npos)
        return invalid("A NATS subject has something on both sides of each dot", subject);
    // Published to, some of them delete streams.
    if (subject.front() == '$')
        return invalid("Subjects that begin with $ are the NATS server's own", subject);
    if (kind == NatsSubject::Exact && subject.find_first_of("*>") != std::string::npos)
        return invalid("Nothing can be published to a NATS subject with wildcards", subject);
    return {};
}

} // namespace

Result<NatsAddress> natsAddressOf(const std::string& url, NatsSubject subject)
{
    const QUrl parsed(QString::fromStdString(url), QUrl::TolerantMode);
    const auto scheme = parsed.scheme();
    const bool secure = scheme == QLatin1String("tls");
    // What cannot be read may have some in it all the same, so it is not repeated.
    if (!parsed.userInfo().isEmpty())
        return invalid("A NATS URL has no user and no password in it: they come from the environment");
    if (!parsed.isValid() || parsed.host().isEmpty() || (!secure && scheme != QLatin1String("nats")))
        return invalid("This is no NATS URL, such as nats://HOST:PORT/SUBJECT or tls://HOST:PORT/SUBJECT");
    if (parsed.hasQuery() || parsed.hasFragment())
        return invalid("A NATS URL ends with its subject; ? and # are written as %3F and %23");
    NatsAddress address;
    address.secure = secure;
    address.host = parsed.host(QUrl::FullyEncoded).toStdString();
    address.port = static_cast<std::uint16_t>(parsed.port(address.port));
    if (address.port == 0)
        return invalid("A NATS server has no port 0", url);
    address.subject = parsed.path(QUrl::FullyDecoded).mid(1).toStdString();
    if (const auto checked = checkSubject(address.subject, subject); !checked)
        return checked.error();
    return address;
}

std::string serverOf(const NatsAddress& address)
{
    const bool ipv6 = address.host.find(':') != std::string::npos;
    return (address.secure ? "tls://" : "nats://") + (ipv6 ? "[" + address.host + "]" : address.host) + ":"
        + std::to_string(address.port);
}

std::string formatUrl(const NatsAddress& address)
{
    const auto subject = QByteArray::fromStdString(address.subject).toPercentEncoding("/$!&'()*+,;=:@>");
    return serverOf(address) + "/" + subject.toStdString();
}

} // namespace fencepost::delivery
