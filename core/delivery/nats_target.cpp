// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <map>
#include <mutex>

#include <QObject>
#include <QThreadPool>

#include "core/delivery/nats_connection.h"
#include "core/messaging/dead_letter.h"
#include "core/protocol/digest.h"

namespace fencepost::delivery {

namespace {

constexpr int publishers = 16; // threads: each waits for the acknowledgement of one message
constexpr auto restFor = std::chrono::seconds(1); // a server that could not be reached is left alone

// nats-server takes a longer record for a damaged one when it reads it (filestore.go: rlBadThresh), having acknowledged
// it. The rest is for what it puts around a message.
constexpr std::size_t largestRecord = (32U << 20) - 1024;

// An id of its own for each life of an event and for each subject: two subjects may be one stream, and what JetStream
// has seen it drops.
std::string messageIdOf(const OutboxEvent& event, const std::string& subject, std::string_view again)
{
    PartsDigest digest("fencepost nats message v1");
    digest.add(event.source);
    digest.add(event.eventId);
    digest.add(subject);
    digest.add(lineOf(event.headers, runHeader).value_or(""));
    digest.add(again);
    return digest.finishAsUuid();
}

struct Publication {
    std::shared_ptr<natsMsg> message;
    std::string id;
    // Where it is the first attempt of the event's life: what JetStream has under `id` already is an earlier life's.
    std::optional<std::string> idOfAnotherLife;
    std::size_t octets = 0; // of the payload
    std::size_t recordOctets = 0; // about as many as a stream's file keeps of it
};

Result<Publication> publicationOf(const Parcel& parcel, const std::string& subject, Random& random)
{
    auto event = parcel.message.event;
    event.destination = parcel.destination;
    // A row may have come into the outbox without us.
    if (const auto why = whyUnsendable(event))
        return invalid(*why);
    if (parcel.payload.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return invalid("Its payload is larger than any NATS server takes");
    Publication made;
    made.octets = parcel.payload.size();
    made.recordOctets = made.octets + subject.size();
    made.id = messageIdOf(event, subject, {});
    if (parcel.message.attempt == 1)
        made.idOfAnotherLife = messageIdOf(event, subject, uuid4(random));
    NatsPtr<natsMsg> message;
    auto status = natsMsg_Create(
        MadeBy(message), subject.c_str(), nullptr, parcel.payload.data(), static_cast<int>(parcel.payload.size()));
    auto headers = cloudEventHeaders(parcel.message);
    headers.emplace_back("Content-Type", contentTypeOf(event));
    for (const auto& [name, value] : headers) {
        made.recordOctets += name.size() + value.size() + 4;
        if (status == NATS_OK)
            status = natsMsgHeader_Add(message.get(), name.c_str(), value.c_str());
    }
    if (status != NATS_OK)
        return natsError(status, {}, "The message cannot be made");
    made.message = std::move(message);
    return made;
}

DeliveryResult failure(const Error& error, bool retryable = true)
{
    auto words = error.message;
    if (!error.detail.empty())
        words += ": " + error.detail;
    return { Delivered::Failed, error.code, words, {}, retryable };
}

// One server and the connection to it, which the threads share.
class NatsServer {
public:
    NatsServer(NatsAddress address, TargetOptions options)
        : m_address(std::move(address))
        , m_options(std::move(options))
    {
    }

    DeliveryResult publish(const Publication& publication)
    {
        if (publication.recordOctets > largestRecord)
            return { Delivered::Failed, "max_payload",
                "It has " + std::to_string(publication.octets)
                    + " octets and its headers: a JetStream server acknowledges that, and its file store cannot read it"
                      " again",
                {}, false };
        const auto [session, why] = connected();
        if (!session)
            return why;
        auto [result, duplicate] = publishOnce(*session, publication, publication.id);
        if (duplicate && publication.idOfAnotherLife)
            result = publishOnce(*session, publication, *publication.idOfAnotherLife).first;
        return result;
    }

    // What is on its way ends at once. Nothing is connected any more.
    void close()
    {
        std::shared_ptr<NatsSession> session;
        {
            const std::lock_guard lock(m_mutex);
            m_closed = true;
            session = m_session;
        }
        if (session)
            natsConnection_Close(session->connection.get());
    }

private:
    using Steady = std::chrono::steady_clock;
    using Connected = std::pair<std::shared_ptr<NatsSession>, DeliveryResult>;

    // Whoever comes while another one connects waits for its answer.
    Connected connected()
    {
        const std::lock_guard connecting(m_connecting);
        {
            const std::lock_guard lock(m_mutex);
            if (m_session && m_session->isOpen())
                return { m_session, {} };
            m_session.reset();
            if (m_closed)
                return { nullptr, { Delivered::NotTried, "connection", "it was stopped", {} } };
            if (m_failedAt && Steady::now() - *m_failedAt < restFor)
                return { nullptr, { Delivered::NotTried, m_why.code, m_why.error, {} } };
        }
        auto session = connectTo(m_address, m_options, WhenLost::Close);
        const std::lock_guard lock(m_mutex);
        if (!session) {
            m_failedAt = Steady::now();
            m_why = failure(session.error());
            // A server that restarts is no attempt of an event's; one that was never there is told as one.
            if (m_wasConnected)
                m_why.delivered = Delivered::NotTried;
            return { nullptr, m_why };
        }
        m_wasConnected = true;
        m_failedAt.reset();
        m_session = std::move(*session);
        if (m_closed)
            natsConnection_Close(m_session->connection.get());
        return { m_session, {} };
    }

    // And whether JetStream had it already.
    std::pair<DeliveryResult, bool> publishOnce(
        NatsSession& session, const Publication& publication, const std::string& id)
    {
        jsPubOptions options;
        jsPubOptions_Init(&options);
        options.MaxWait = millisecondsOf(m_options.timeout);
        options.MsgId = id.c_str();
        NatsPtr<jsPubAck> ack;
        jsErrCode code{};
        const auto status =
            js_PublishMsg(MadeBy(ack), session.stream.get(), publication.message.get(), &options, &code);
        if (status == NATS_OK && ack)
            return { { Delivered::Accepted, "stored", {}, {} }, ack->Duplicate };
        return { failure(natsError(status, code, wordsOf(session, publication, status)), isRetryable(status, code)),
            false };
    }

    [[nodiscard]] std::string wordsOf(
        const NatsSession& session, const Publication& publication, natsStatus status) const
    {
        const auto server = serverOf(m_address);
        const auto subject = std::string(natsMsg_GetSubject(publication.message.get()));
        if (status == NATS_NO_RESPONDERS)
            return "No stream of " + server + " takes the subject " + subject;
        if (status == NATS_TIMEOUT)
            return server + " did not acknowledge it in time";
        if (status == NATS_MAX_PAYLOAD)
            return server + " takes no more than "
                + std::to_string(natsConnection_GetMaxPayload(session.connection.get())) + " octets, and it has "
                + std::to_string(publication.octets) + " and its headers";
        if (!session.isOpen())
            return "The connection to " + server + " was lost before it was acknowledged";
        return server + " did not store it";
    }

    static bool isRetryable(natsStatus status, jsErrCode code)
    {
        return status != NATS_MAX_PAYLOAD && code != JSStreamMessageExceedsMaximumErr && code != JSStreamSealedErr;
    }

    const NatsAddress m_address;
    const TargetOptions m_options;
    std::mutex m_connecting; // held while somebody connects
    std::mutex m_mutex; // of what follows
    std::shared_ptr<NatsSession> m_session;
    std::optional<Steady::time_point> m_failedAt;
    DeliveryResult m_why;
    bool m_wasConnected = false;
    bool m_closed = false;
};

class NatsTarget final : public Target {
public:
    NatsTarget(const TargetParts& parts, TargetOptions options)
        : m_random(parts.random)
        , m_options(std::move(options))
    {
        m_threads.setMaxThreadCount(publishers);
    }

    ~NatsTarget() override
    {
        m_threads.clear();
        for (const auto& [name, server] : m_servers)
            server->close();
        m_threads.waitForDone();
    }

    void deliver(const Parcel& parcel, Ended ended) override
    {
        const auto address = natsAddressOf(parcel.destination, NatsSubject::Exact);
        if (!address)
            return end(std::move(ended), refusal(address.error()));
        auto publication = publicationOf(parcel, address->subject, m_random);
        if (!publication)
            return end(std::move(ended), refusal(publication.error()));
        auto& server = m_servers[serverOf(*address)];
        if (!server)
            server = std::make_unique<NatsServer>(*address, m_options);
        m_threads.start([this, &server = *server, publication = std::move(*publication), ended = std::move(ended)] {
            end(ended, server.publish(publication));
        });
    }

private:
    static DeliveryResult refusal(Error error)
    {
        error.code = "request";
        return failure(error, false);
    }

    // From any thread.
    void end(Ended ended, const DeliveryResult& result)
    {
        QMetaObject::invokeMethod(
            &m_context, [ended = std::move(ended), result] { ended(result); }, Qt::QueuedConnection);
    }

    Random& m_random;
    const TargetOptions m_options;
    QObject m_context; // of the thread that made the target
    std::map<std::string, std::unique_ptr<NatsServer>> m_servers;
    QThreadPool m_threads;
};

} // namespace

std::unique_ptr<Target> makeNatsTarget(const TargetParts& parts, const TargetOptions& options)
{
    // A message that is never sent is let go before anybody connects, and by then the library has to be open.
    nats_Open(-1);
    return std::make_unique<NatsTarget>(parts, options);
}

} // namespace fencepost::delivery
