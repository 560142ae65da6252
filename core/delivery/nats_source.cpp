// SPDX-License-Identifier: Apache-2.0
#include "core/delivery/nats_source.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base64.h"
#include "core/delivery/cloud_event.h"
#include "core/delivery/nats_connection.h"
#include "core/protocol/ascii.h"

namespace fencepost::delivery {

namespace {

constexpr std::size_t longestConsumerName = 128;
constexpr int rounds = 5; // a slow server has something and does not bring it in time
constexpr std::string_view binding = "nats";
constexpr auto description = "Fencepost"; // of the consumers that were made here

// None: the library cannot read them.
std::optional<Headers> headersOf(natsMsg* message)
{
    Headers headers;
    const char** keys = nullptr;
    int count = 0;
    const auto status = natsMsgHeader_Keys(message, &keys, &count);
    if (status == NATS_NOT_FOUND)
        return headers;
    if (status != NATS_OK)
        return {};
    for (int i = 0; i < count; ++i) {
        const char** values = nullptr;
        int lines = 0;
        if (natsMsgHeader_Values(message, keys[i], &values, &lines) != NATS_OK)
            continue;
        for (int line = 0; line < lines; ++line)
            headers.emplace_back(keys[i], values[line]);
        free(values); // NOLINT: the library made it so
    }
    free(keys); // NOLINT
    // The library keeps them in a table, in no order.
    std::sort(headers.begin(), headers.end());
    return headers;
}

// Behind a header without a value the library goes on in the next line, and takes that for the value.
bool mayHaveSwallowedOne(const Headers& headers)
{
    return std::any_of(headers.begin(), headers.end(), [](const auto& header) {
        const auto& value = header.second;
        const auto colon = value.find_first_of(": /\"");
        if (colon == std::string::npos || colon == 0 || value[colon] != ':')
            return false;
        const auto name = asciiLower(value.substr(0, colon));
        // As most write it; what decides who an event is, however it is written.
        return colon + 1 == value.size() || value[colon + 1] == ' ' || name.starts_with("ce-")
            || name.starts_with("nats-");
    });
}

// As they stand in the stream: "NATS/1.0", then "name: value" in lines of their own.
Headers headersIn(std::string_view octets)
{
    constexpr std::string_view end = "\r\n";
    Headers headers;
    auto at = octets.find(end);
    while (at != std::string_view::npos && at + end.size() < octets.size()) {
        at += end.size();
        const auto next = std::min(octets.find(end, at), octets.size());
        const auto line = octets.substr(at, next - at);
        if (const auto colon = line.find(':'); colon != std::string_view::npos) {
            auto value = line.substr(colon + 1);
            value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
            headers.emplace_back(std::string(line.substr(0, colon)), std::string(value));
        }
        at = octets.find(end, at);
    }
    std::sort(headers.begin(), headers.end());
    return headers;
}

// What is sent along when it is sent again: what spoke to JetStream is over.
Headers withoutItsOwn(Headers headers)
{
    std::erase_if(headers, [](const auto& header) { return asciiLower(header.first).starts_with("nats-"); });
    return headers;
}

class NatsSource final : public Source {
public:
    NatsSource(NatsAddress address, const NatsSourceOptions& options, std::unique_ptr<NatsSession> session)
        : m_address(std::move(address))
        , m_options(options)
        , m_session(std::move(session))
    {
    }

    Status open()
    {
        if (const auto found = findStream(); !found)
            return found;
        if (const auto made = makeConsumer(); !made)
            return made;
        jsSubOptions bind;
        jsSubOptions_Init(&bind);
        bind.Stream = m_stream.c_str();
        bind.Consumer = m_options.consumer.c_str();
        jsErrCode code{};
        const auto status = js_PullSubscribe(
            MadeBy(m_subscription), m_session->stream.get(), nullptr, bind.Consumer, nullptr, &bind, &code);
        return status == NATS_OK ? Status() : natsError(status, code, consumerInWords() + " cannot be used");
    }

    Result<std::optional<Delivery>> next(Duration patience) override
    {
        m_message.reset();
        for (int round = 0; round < rounds && !m_message; ++round) {
            if (const auto fetched = fetch(patience); !fetched)
                return fetched.error();
            if (m_message) {
                auto headers = wholeHeaders();
                if (!headers)
                    return headers.error();
                return std::optional(received(*headers));
            }
            // A server that hangs is silent too, and so is one on which the consumer was deleted.
            const auto there = consumer();
            if (!there)
                return there.error();
            if ((*there)->NumPending == 0)
                break;
        }
        return std::optional<Delivery>();
    }

    Status acknowledge() override
    {
        if (!m_message || !m_session->isOpen())
            return away();
        jsErrCode code{};
        const auto status = natsMsg_AckSync(m_message.get(), nullptr, &code);
        return status == NATS_OK ? Status() : natsError(status, code, "The event could not be acknowledged");
    }

    Status deliverAgain(Duration delay) override
    {
        if (!m_message)
            return away();
        const auto status = natsMsg_NakWithDelay(m_message.get(), millisecondsOf(delay), nullptr);
        return status == NATS_OK ? Status() : natsError(status, {}, "The event could not be given back");
    }

    Status extend() override
    {
        if (!m_message)
            return away();
        const auto status = natsMsg_InProgress(m_message.get(), nullptr);
        return status == NATS_OK ? Status() : natsError(status, {}, "The event could not be kept");
    }

private:
    [[nodiscard]] Error away() const
    {
        return { Failure::Unavailable, "The NATS server " + serverOf(m_address) + " is away",
            "The connection was lost, and is made again as soon as the server answers", "connection" };
    }

    [[nodiscard]] std::string consumerInWords() const
    {
        return "The consumer " + m_options.consumer + " of the stream " + m_stream;
    }

    Status fetch(Duration patience)
    {
        if (!m_session->isOpen())
            return away();
        jsFetchRequest request;
        jsFetchRequest_Init(&request);
        request.Batch = 1;
        request.Expires = millisecondsOf(patience) * 1'000'000;
        natsMsgList list{};
        const auto status = natsSubscription_FetchRequest(&list, m_subscription.get(), &request);
        if (status == NATS_OK && list.Count == 1)
            m_message.reset(std::exchange(list.Msgs[0], nullptr));
        natsMsgList_Destroy(&list);
        if (status == NATS_OK || status == NATS_TIMEOUT || status == NATS_NOT_FOUND)
            return {};
        return m_session->isOpen() ? natsError(status, {}, consumerInWords() + " cannot be asked") : away();
    }

    // A subject first: a stream may be called like the subject of another.
    Status findStream()
    {
        jsOptions filter;
        jsOptions_Init(&filter);
        filter.Stream.Info.SubjectsFilter = m_address.subject.c_str();
        NatsPtr<jsStreamNamesList> names;
        jsErrCode code{};
        auto status = js_StreamNames(MadeBy(names), m_session->stream.get(), &filter, &code);
        if (status == NATS_OK && names && names->Count > 0) {
            m_stream = names->List[0];
            m_filter = m_address.subject;
            return names->Count == 1 ? Status()
                                     : invalid("Several streams take that subject: name one of them instead",
                                         m_stream + ", " + names->List[1]);
        }
        if (status != NATS_OK && status != NATS_NOT_FOUND)
            return natsError(status, code, noStream());
        NatsPtr<jsStreamInfo> info;
        if (isConsumerName(m_address.subject))
            status = js_GetStreamInfo(MadeBy(info), m_session->stream.get(), m_address.subject.c_str(), nullptr, &code);
        if (!info)
            return natsError(NATS_NOT_FOUND, code, noStream());
        m_stream = m_address.subject;
        return {};
    }

    [[nodiscard]] std::string noStream() const
    {
        return serverOf(m_address) + " has no stream for the subject " + m_address.subject + ", and none of that name";
    }

    Result<NatsPtr<jsConsumerInfo>> consumer()
    {
        NatsPtr<jsConsumerInfo> info;
        jsErrCode code{};
        const auto status = js_GetConsumerInfo(
            MadeBy(info), m_session->stream.get(), m_stream.c_str(), m_options.consumer.c_str(), nullptr, &code);
        if (info)
            return info;
        if (!m_session->isOpen() || status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS)
            return away();
        return natsError(status, code, consumerInWords() + " is not there");
    }

    Status makeConsumer()
    {
        if (auto there = consumer(); there) {
            const auto checked = check(**there);
            return checked ? takeLease(**there) : checked;
        } else if (there.error().failure != Failure::NotFound)
            return there.error();
        jsConsumerConfig config;
        jsConsumerConfig_Init(&config);
        config.Durable = m_options.consumer.c_str();
        config.Description = description;
        config.AckPolicy = js_AckExplicit;
        config.AckWait = std::chrono::nanoseconds(m_options.ackWait).count();
        config.FilterSubject = m_filter.empty() ? nullptr : m_filter.c_str();
        jsErrCode code{};
        const auto status = js_AddConsumer(nullptr, m_session->stream.get(), m_stream.c_str(), &config, nullptr, &code);
        return status == NATS_OK ? Status() : natsError(status, code, consumerInWords() + " cannot be made");
    }

    // An earlier run's waits as long for an answer as that run was told to. Another program's is its own.
    Status takeLease(jsConsumerInfo& info)
    {
        auto& config = *info.Config;
        const auto wait = std::chrono::nanoseconds(m_options.ackWait).count();
        if (config.AckWait == wait || config.Description == nullptr
            || std::string_view(config.Description) != std::string_view(description))
            return {};
        config.AckWait = wait;
        jsErrCode code{};
        const auto status =
            js_UpdateConsumer(nullptr, m_session->stream.get(), m_stream.c_str(), &config, nullptr, &code);
        return status == NATS_OK ? Status() : natsError(status, code, consumerInWords() + " cannot be changed");
    }

    // One that is there already, of another program's or of an earlier run's.
    [[nodiscard]] Status check(const jsConsumerInfo& info) const
    {
        const auto& config = *info.Config;
        const std::string filter = config.FilterSubject == nullptr ? "" : config.FilterSubject;
        if (config.DeliverSubject != nullptr && *config.DeliverSubject != '\0')
            return invalid(consumerInWords() + " pushes its messages: choose another name");
        if (config.AckPolicy != js_AckExplicit)
            return invalid(consumerInWords() + " does not ask for each message's acknowledgement: choose another name");
        if (filter != m_filter)
            return invalid(consumerInWords() + " takes other subjects: choose another name",
                filter.empty() ? "It takes all of the stream" : "It takes " + filter);
        return {};
    }

    // An event whose id was not read would be another one.
    Result<Headers> wholeHeaders()
    {
        auto headers = headersOf(m_message.get());
        if (headers && !mayHaveSwallowedOne(*headers))
            return std::move(*headers);
        NatsPtr<jsMsgMetaData> data;
        if (const auto status = natsMsg_GetMetaData(MadeBy(data), m_message.get()); status != NATS_OK)
            return natsError(status, {}, "The event cannot be read");
        constexpr std::int64_t patience = 5'000; // ms
        const auto subject = "$JS.API.STREAM.MSG.GET." + m_stream;
        const auto request = nlohmann::json{ { "seq", data->Sequence.Stream } }.dump();
        NatsPtr<natsMsg> answer;
        const auto status = natsConnection_RequestString(
            MadeBy(answer), m_session->connection.get(), subject.c_str(), request.c_str(), patience);
        if (status != NATS_OK)
            return m_session->isOpen() ? natsError(status, {}, "The event's headers cannot be read") : away();
        const auto told = nlohmann::json::parse(std::string_view(natsMsg_GetData(answer.get()),
                                                    static_cast<std::size_t>(natsMsg_GetDataLength(answer.get()))),
            nullptr, false);
        const auto message = told.is_object() ? told.value("message", nlohmann::json::object()) : nlohmann::json();
        const auto octets = message.is_object() ? fromBase64(message.value("hdrs", std::string())) : std::nullopt;
        // Whoever may not read the stream itself has what the library says.
        if (!octets || octets->empty()) {
            if (headers)
                return std::move(*headers);
            return Error{ Failure::Corrupt, "The headers of the event " + placeOf(m_message.get()) + " cannot be read",
                "The stream does not give them either", "headers" };
        }
        return headersIn(*octets);
    }

    Delivery received(const Headers& headers)
    {
        auto* const message = m_message.get();
        auto delivery = deliveryOf(headers,
            Bytes(natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message))), binding);
        delivery.id.consumer = m_options.consumer;
        if (delivery.id.source.empty())
            delivery.id.source = m_options.source.empty() ? m_stream : m_options.source;
        if (delivery.id.eventId.empty())
            delivery.id.eventId = keyPartOf(std::string(lineOf(headers, "Nats-Msg-Id").value_or("")), binding);
        if (delivery.id.eventId.empty())
            delivery.id.eventId = placeOf(message);
        delivery.headers = withoutItsOwn(std::move(delivery.headers));
        auto from = m_address;
        from.subject = natsMsg_GetSubject(message);
        delivery.destination = formatUrl(from);
        return delivery;
    }

    // A stream that was deleted and made anew counts from 1 again, but not at the same time.
    [[nodiscard]] std::string placeOf(natsMsg* message) const
    {
        NatsPtr<jsMsgMetaData> data;
        const auto status = natsMsg_GetMetaData(MadeBy(data), message);
        if (status != NATS_OK || !data)
            return derivedEventId(binding, {}, natsMsg_GetReply(message), 0);
        return m_stream + "/" + std::to_string(data->Sequence.Stream) + "/" + std::to_string(data->Timestamp);
    }

    const NatsAddress m_address;
    const NatsSourceOptions m_options;
    std::unique_ptr<NatsSession> m_session;
    std::string m_stream;
    std::string m_filter; // empty: all of the stream
    NatsPtr<natsSubscription> m_subscription; // gone before the session
    NatsPtr<natsMsg> m_message; // in hand
};

} // namespace

Status checkNatsSource(const std::string& url)
{
    const auto address = natsAddressOf(url, NatsSubject::Pattern);
    return address ? Status() : address.error();
}

bool isConsumerName(std::string_view name) noexcept
{
    return !name.empty() && name.size() <= longestConsumerName && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
}

Result<std::unique_ptr<Source>> openNatsSource(const NatsSourceOptions& options)
{
    if (!isConsumerName(options.consumer))
        return invalid("A consumer of JetStream is named by letters, digits, - and _", options.consumer);
    auto address = natsAddressOf(options.url, NatsSubject::Pattern);
    if (!address)
        return address.error();
    auto session = connectTo(*address, options.connection, WhenLost::Reconnect);
    if (!session)
        return session.error();
    auto source = std::make_unique<NatsSource>(std::move(*address), options, std::move(*session));
    if (const auto opened = source->open(); !opened)
        return opened.error();
    return std::unique_ptr<Source>(std::move(source));
}

} // namespace fencepost::delivery
