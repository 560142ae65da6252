// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>

#include <QFuture>
#include <QObject>
#include <QPromise>

#include "core/backend.h"
#include "core/clock.h"

namespace fencepost::models {

// Opens a database on the calling thread. Made by the program, which alone knows the concrete stores.
using Opener = std::function<Result<std::unique_ptr<Backend>>()>;

// How a connection stands.
struct Link {
    enum class State { Stopped, Connecting, Open, Lost, Failed };
    State state = State::Stopped;
    Time since; // by the console's clock
    std::optional<Error> error; // Lost and Failed: why
    int attempt = 0; // Lost: how often reconnecting was tried
    Duration retryIn{}; // Lost: until the next attempt; Failed is not tried again by itself

    [[nodiscard]] bool isLost() const { return state == State::Lost || state == State::Failed; }
};

struct Backoff {
    Duration first = std::chrono::milliseconds(250);
    Duration longest = std::chrono::seconds(30);
};

// What this connection cost the database within the last minute.
struct Usage {
    Duration time{};
    std::int64_t rows = 0;
    std::int64_t jobs = 0;
    std::optional<Time> lastAnswer; // by the console's clock
};

// One connection, one thread, jobs in order. The functions are called from the thread that made it and never wait for
// the database, except the destructor, which waits for the running statement to be interrupted.
class StoreThread : public QObject {
    Q_OBJECT

public:
    StoreThread(Opener opener, const Clock& clock, Backoff backoff = {}, QObject* parent = nullptr);
    ~StoreThread() override;

    void start();
    // Interrupts the running statement, drops what is queued (its futures are cancelled) and lets the thread end;
    // `stopped` follows.
    void stop();
    // A job gets the open Backend and values only. While the connection is lost or failed it is refused with that
    // error; while it is being opened, it waits. A job whose future is cancelled before its turn is never run.
    template <typename Function> auto run(Function job) -> QFuture<std::invoke_result_t<Function&, Backend&>>;
    // Interrupts the statement that runs now: its job answers Cancelled.
    void cancelRunning();
    // By the running job: so long it asked the database for nothing, which is none of its cost. Any thread.
    void idled(Duration length);
    // Interrupts the running job if its future was cancelled.
    void dropCancelled();
    // Tries to connect now, without waiting for the backoff's end.
    void reconnect();

    [[nodiscard]] Link link() const;
    [[nodiscard]] Usage usage() const;

Q_SIGNALS:
    void linkChanged(const fencepost::models::Link& link);
    void stopped();

private:
    class Job {
    public:
        virtual ~Job() = default;
        virtual std::optional<Error> attempt(Backend& backend) = 0;
        virtual void publish() = 0;
        virtual void refuse(const Error& error) = 0;
        [[nodiscard]] virtual bool isCancelled() const = 0;
        [[nodiscard]] virtual std::int64_t rows() const = 0;
    };
    template <typename Answer, typename Function> class Task;
    struct Second {
        std::int64_t at = -1;
        std::int64_t micros = 0;
        std::int64_t rows = 0;
        std::int64_t jobs = 0;
    };

    void enqueue(std::unique_ptr<Job> job);
    void loop();
    std::unique_ptr<Backend> connectUntilStopped();
    bool waitToRetry(const Error& error, std::optional<Duration> delay);
    void refuseQueued(const Error& error);
    std::unique_ptr<Job> take();
    bool perform(Job& job, Backend& backend);
    [[nodiscard]] bool wasInterrupted() const;
    void account(Duration spent, std::int64_t rows, bool answered);
    void change(Link link);

    const Opener m_opener;
    const Clock& m_clock;
    const Backoff m_backoff;
    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::unique_ptr<Job>> m_queue;
    Job* m_running = nullptr;
    Backend* m_backend = nullptr; // set while it is open, for interrupts only
    bool m_stop = false;
    bool m_retry = false;
    bool m_interrupt = false; // the running job was interrupted on purpose
    Link m_link;
    std::array<Second, 60> m_seconds;
    Duration m_idle{}; // of the running job
    std::optional<Time> m_lastAnswer;
    std::thread m_thread;
};

template <typename Answer, typename Function> class StoreThread::Task final : public Job {
public:
    explicit Task(Function function)
        : m_function(std::move(function))
    {
        m_promise.start();
    }
    QFuture<Answer> future() { return m_promise.future(); }

    std::optional<Error> attempt(Backend& backend) override
    {
        m_answer.emplace(m_function(backend));
        return m_answer->has_value() ? std::nullopt : std::optional(m_answer->error());
    }
    void publish() override
    {
        m_promise.addResult(std::move(*m_answer));
        m_promise.finish();
    }
    void refuse(const Error& error) override
    {
        m_promise.addResult(Answer(error));
        m_promise.finish();
    }
    [[nodiscard]] bool isCancelled() const override { return m_promise.isCanceled(); }
    [[nodiscard]] std::int64_t rows() const override
    {
        if constexpr (requires { m_answer->value().cost.rows; }) {
            if (m_answer && m_answer->has_value())
                return m_answer->value().cost.rows;
        }
        return 0;
    }

private:
    Function m_function;
    QPromise<Answer> m_promise; // destroyed unfinished: its future is cancelled
    std::optional<Answer> m_answer;
};

template <typename Function> auto StoreThread::run(Function job) -> QFuture<std::invoke_result_t<Function&, Backend&>>
{
    using Answer = std::invoke_result_t<Function&, Backend&>;
    auto task = std::make_unique<Task<Answer, Function>>(std::move(job));
    auto future = task->future();
    enqueue(std::move(task));
    return future;
}

} // namespace fencepost::models
