// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/run_client.h"

#include <QEventLoop>

#include "app/ctl/service_address.h"
#include "app/delivery/own_roots.h"

namespace fencepost::app {

namespace {

http::ClientOptions withCredential(http::ClientOptions options, const std::string& authorization)
{
    // A file without a certificate leaves the system's, which refuse what only it could vouch for.
    if (auto roots = ownRoots())
        options.tls = std::move(*roots);
    options.credentials = [authorization](const std::string&) { return credentialLines(authorization); };
    return options;
}

} // namespace

RunClient::RunClient(Random& random, const std::string& authorization, http::ClientOptions options)
    : m_keys(m_wall, random)
    , m_alarm(m_steady)
    , m_client({ m_steady, m_wall, random, m_keys, m_alarm }, withCredential(std::move(options), authorization))
{
}

Result<http::ClientOutcome> RunClient::send(const http::ClientRequest& request)
{
    std::optional<http::ClientOutcome> outcome;
    QEventLoop loop;
    const auto sent = m_client.send(request, [&](const http::ClientOutcome& ended) {
        outcome = ended;
        loop.quit();
    });
    if (!sent)
        return sent.error();
    while (!outcome)
        loop.exec();
    return std::move(*outcome);
}

} // namespace fencepost::app
