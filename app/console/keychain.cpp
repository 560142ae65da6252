// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/keychain.h"

#include <memory>
#include <utility>

#include <QPromise>
#include <QTimer>
#include <QUuid>
#include <qt6keychain/keychain.h>

#include "models/deliver.h"

namespace fencepost::app {

namespace {

constexpr auto service = "fencepost";

Error errorOf(const QKeychain::Job& job)
{
    const std::string words = job.errorString().toStdString();
    switch (job.error()) {
    case QKeychain::AccessDenied:
    case QKeychain::AccessDeniedByUser:
        return { Failure::Denied, "The keychain refused access.", words, {} };
    default:
        return { Failure::Unavailable, "No keychain answers on this computer.", words, {} };
    }
}

Error lateError()
{
    return { Failure::Unavailable, "The keychain did not answer in time.", {}, {} };
}

// The job's answer or the time limit's, whichever comes first. The job deletes itself, however late it ends.
template <typename Answer, typename Take>
QFuture<Answer> start(QKeychain::Job* job, Duration limit, QObject* context, Take take)
{
    struct Pending {
        QPromise<Answer> promise;
        bool answered = false;
        void answer(Answer value)
        {
            if (std::exchange(answered, true))
                return;
            promise.addResult(std::move(value));
            promise.finish();
        }
    };
    auto pending = std::make_shared<Pending>();
    pending->promise.start();
    const auto future = pending->promise.future();
    job->setAutoDelete(true);
    job->setInsecureFallback(false);
    QObject::connect(job, &QKeychain::Job::finished, context,
        [pending, take](QKeychain::Job* done) { pending->answer(take(*done)); });
    QTimer::singleShot(std::chrono::duration_cast<std::chrono::milliseconds>(limit), context,
        [pending] { pending->answer(lateError()); });
    job->start();
    return future;
}

} // namespace

SystemKeychain::SystemKeychain(Duration limit, QObject* parent)
    : QObject(parent)
    , m_limit(limit)
{
}

void SystemKeychain::probe()
{
    const QString name = QStringLiteral("probe-") + QUuid::createUuid().toString(QUuid::WithoutBraces);
    const QString sentinel = QUuid::createUuid().toString(QUuid::WithoutBraces);
    models::deliver(write(name, sentinel), this, [this, name, sentinel](const Status& written) {
        if (!written)
            return settle(Health::Missing);
        models::deliver(read(name), this, [this, name, sentinel](const Result<std::optional<QString>>& found) {
            const bool same = found && *found == sentinel;
            models::deliver(remove(name), this,
                [this, same](const Status& removed) { settle(same && removed ? Health::Usable : Health::Missing); });
        });
    });
}

QFuture<Result<std::optional<QString>>> SystemKeychain::read(const QString& name)
{
    using Answer = Result<std::optional<QString>>;
    auto* job = new QKeychain::ReadPasswordJob(QLatin1String(service));
    job->setKey(name);
    return start<Answer>(job, m_limit, this, [](QKeychain::Job& done) -> Answer {
        if (done.error() == QKeychain::EntryNotFound)
            return std::optional<QString>();
        if (done.error() != QKeychain::NoError)
            return errorOf(done);
        return std::optional<QString>(static_cast<QKeychain::ReadPasswordJob&>(done).textData());
    });
}

QFuture<Status> SystemKeychain::write(const QString& name, const QString& secret)
{
    auto* job = new QKeychain::WritePasswordJob(QLatin1String(service));
    job->setKey(name);
    job->setTextData(secret);
    return start<Status>(job, m_limit, this, [](QKeychain::Job& done) -> Status {
        return done.error() == QKeychain::NoError ? Status() : Status(errorOf(done));
    });
}

QFuture<Status> SystemKeychain::remove(const QString& name)
{
    auto* job = new QKeychain::DeletePasswordJob(QLatin1String(service));
    job->setKey(name);
    return start<Status>(job, m_limit, this, [](QKeychain::Job& done) -> Status {
        const bool gone = done.error() == QKeychain::NoError || done.error() == QKeychain::EntryNotFound;
        return gone ? Status() : Status(errorOf(done));
    });
}

void SystemKeychain::settle(Health health)
{
    if (m_health == health)
        return;
    m_health = health;
    Q_EMIT healthChanged();
}

} // namespace fencepost::app
