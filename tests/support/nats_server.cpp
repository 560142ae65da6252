// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/nats_server.h"

#include <algorithm>

#include <nats/nats.h>
#include <sys/prctl.h>

#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTcpServer>
#include <QThread>

#include "tests/support/signal_process.h"

namespace fencepost::testing {

namespace {

constexpr int patience = 120'000; // milliseconds

std::uint16_t freePort()
{
    QTcpServer probe;
    probe.listen(QHostAddress::LocalHost);
    return probe.serverPort();
}

// All of its threads, as the kernel tells of each: "12 (nats server) T …".
bool standsStill(qint64 process)
{
    const QDir threads(QStringLiteral("/proc/%1/task").arg(process));
    for (const auto& thread : threads.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile file(threads.filePath(thread + QStringLiteral("/stat")));
        if (!file.open(QIODevice::ReadOnly))
            continue; // it has ended since
        const auto stat = file.readAll();
        if (stat.mid(stat.lastIndexOf(')') + 2, 1) != "T")
            return false;
    }
    return true;
}

// Debian puts it beside the other servers, where a user's PATH may not look.
QString programPath()
{
    const auto name = QStringLiteral("nats-server");
    const auto found = QStandardPaths::findExecutable(name);
    return found.isEmpty() ? QStandardPaths::findExecutable(name, { QStringLiteral("/usr/sbin") }) : found;
}

Headers headersOf(natsMsg* message)
{
    Headers headers;
    const char** keys = nullptr;
    int count = 0;
    if (natsMsgHeader_Keys(message, &keys, &count) != NATS_OK)
        return headers;
    for (int i = 0; i < count; ++i) {
        const char* value = nullptr;
        if (natsMsgHeader_Get(message, keys[i], &value) == NATS_OK)
            headers.emplace_back(keys[i], value);
    }
    free(keys);
    std::sort(headers.begin(), headers.end());
    return headers;
}

} // namespace

NatsServer::NatsServer(QStringList options, std::string user, std::string password)
    : m_options(std::move(options))
    , m_user(std::move(user))
    , m_password(std::move(password))
{
    if (!m_user.empty())
        m_options += QStringList{ QStringLiteral("--user"), QString::fromStdString(m_user), QStringLiteral("--pass"),
            QString::fromStdString(m_password) };
    // A free port may be taken between looking and listening, so try a few.
    for (int attempt = 0; attempt < 5; ++attempt) {
        m_problem.clear();
        m_port = freePort();
        start();
        if (m_problem.empty())
            return;
    }
}

NatsServer::~NatsServer()
{
    forgetClient();
    kill();
}

std::string NatsServer::url(const std::string& subject) const
{
    return "nats://127.0.0.1:" + std::to_string(m_port) + "/" + subject;
}

void NatsServer::start()
{
    const auto program = programPath();
    if (program.isEmpty())
        return note("there is no nats-server: packaging/install_packages test");
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    // A test that is killed leaves no server behind.
    m_process.setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGKILL); });
    m_process.start(program,
        QStringList{ QStringLiteral("-js"), QStringLiteral("-a"), QStringLiteral("127.0.0.1"), QStringLiteral("-p"),
            QString::number(m_port), QStringLiteral("-sd"), m_folder.path() }
            + m_options);
    QByteArray said;
    const QDeadlineTimer deadline(patience);
    while (!said.contains("Server is ready")) {
        if (m_process.state() == QProcess::NotRunning || deadline.hasExpired())
            return note("nats-server does not serve: " + said.toStdString());
        m_process.waitForReadyRead(100);
        said += m_process.readAll();
    }
}

void NatsServer::kill()
{
    if (m_process.state() == QProcess::NotRunning)
        return;
    m_process.kill();
    m_process.waitForFinished(patience);
}

void NatsServer::pause()
{
    if (!signalProcess(m_process, SIGSTOP))
        note("nats-server had ended already");
    // A thread that is at work finds out when the kernel next looks at it.
    const QDeadlineTimer deadline(patience);
    while (!standsStill(m_process.processId()) && !deadline.hasExpired())
        QThread::msleep(1);
}

void NatsServer::addStream(const std::string& name, const std::vector<std::string>& subjects, int largestMessage)
{
    std::vector<const char*> names;
    for (const auto& subject : subjects)
        names.push_back(subject.c_str());
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = name.c_str();
    config.Subjects = names.data();
    config.SubjectsLen = static_cast<int>(names.size());
    config.MaxMsgSize = largestMessage;
    if (auto* stream = client();
        stream == nullptr || js_AddStream(nullptr, stream, &config, nullptr, nullptr) != NATS_OK)
        note("the stream " + name + " was not made");
}

void NatsServer::publish(const std::string& subject, const Headers& headers, const std::string& payload)
{
    natsMsg* message = nullptr;
    natsMsg_Create(&message, subject.c_str(), nullptr, payload.data(), static_cast<int>(payload.size()));
    for (const auto& [name, value] : headers)
        natsMsgHeader_Add(message, name.c_str(), value.c_str());
    jsPubAck* ack = nullptr;
    if (auto* stream = client(); stream == nullptr || js_PublishMsg(&ack, stream, message, nullptr, nullptr) != NATS_OK)
        note("a message to " + subject + " was not stored");
    jsPubAck_Destroy(ack);
    natsMsg_Destroy(message);
}

std::vector<StoredMessage> NatsServer::messages(const std::string& stream)
{
    std::vector<StoredMessage> all;
    auto* context = client();
    jsStreamInfo* info = nullptr;
    if (context == nullptr || js_GetStreamInfo(&info, context, stream.c_str(), nullptr, nullptr) != NATS_OK) {
        note("the stream " + stream + " was not read");
        return all;
    }
    for (auto at = info->State.FirstSeq; at != 0 && at <= info->State.LastSeq; ++at) {
        natsMsg* message = nullptr;
        if (js_GetMsg(&message, context, stream.c_str(), at, nullptr, nullptr) != NATS_OK)
            continue;
        all.push_back({ natsMsg_GetSubject(message), headersOf(message),
            std::string(natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message))) });
        natsMsg_Destroy(message);
    }
    jsStreamInfo_Destroy(info);
    return all;
}

NatsServer::Pending NatsServer::pending(const std::string& stream, const std::string& consumer)
{
    auto* context = client();
    jsConsumerInfo* info = nullptr;
    if (context == nullptr
        || js_GetConsumerInfo(&info, context, stream.c_str(), consumer.c_str(), nullptr, nullptr) != NATS_OK)
        return { -1, -1 };
    const Pending pending{ static_cast<std::int64_t>(info->NumPending), info->NumAckPending };
    jsConsumerInfo_Destroy(info);
    return pending;
}

void NatsServer::removeConsumer(const std::string& stream, const std::string& consumer)
{
    if (auto* context = client();
        context == nullptr || js_DeleteConsumer(context, stream.c_str(), consumer.c_str(), nullptr, nullptr) != NATS_OK)
        note("the consumer " + consumer + " was not removed");
}

__jsCtx* NatsServer::client()
{
    if (m_connection != nullptr && natsConnection_Status(m_connection) == NATS_CONN_STATUS_CONNECTED)
        return m_stream;
    forgetClient();
    natsOptions* options = nullptr;
    natsOptions_Create(&options);
    natsOptions_SetURL(options, url("").c_str());
    natsOptions_SetAllowReconnect(options, false);
    natsOptions_SkipServerVerification(options, true);
    if (!m_user.empty())
        natsOptions_SetUserInfo(options, m_user.c_str(), m_password.c_str());
    if (natsConnection_Connect(&m_connection, options) == NATS_OK)
        natsConnection_JetStream(&m_stream, m_connection, nullptr);
    natsOptions_Destroy(options);
    return m_stream;
}

void NatsServer::forgetClient()
{
    jsCtx_Destroy(m_stream);
    natsConnection_Destroy(m_connection);
    m_stream = nullptr;
    m_connection = nullptr;
}

void NatsServer::note(const std::string& what)
{
    const auto* words = nats_GetLastError(nullptr);
    m_problem = what + (words == nullptr || *words == '\0' ? "" : std::string(": ") + words);
}

} // namespace fencepost::testing
