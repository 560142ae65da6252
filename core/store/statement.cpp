// SPDX-License-Identifier: Apache-2.0
#include <QByteArray>
#include <QSqlRecord>
#include <QString>
#include <QVariant>

#include "core/ids.h"
#include "core/store/database.h"
#include "core/store/far_instants.h"
#include "core/store/fence_counter.h"
#include "core/store/moved_file.h"
#include "core/store/native.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

QByteArray octets(std::string_view value)
{
    return { value.data(), static_cast<qsizetype>(value.size()) };
}

QString placeholder(const char* name)
{
    return QLatin1Char(':') + QLatin1String(name);
}

} // namespace

Statement::Statement(Connection& connection, QSqlQuery query)
    : m_connection(&connection)
    , m_query(std::move(query))
{
}

Statement& Statement::bind(const char* name, const QVariant& value)
{
    m_query.bindValue(placeholder(name), value);
    return *this;
}

// Qt would replace a malformed sequence and libpq would stop at a zero octet: both address another row.
std::optional<Error> malformedText(const std::string& name, std::string_view value)
{
    if (isUtf8(value) && value.find('\0') == std::string_view::npos)
        return std::nullopt;
    return Error{ Failure::Invalid, "A text is not valid UTF-8 or contains a zero octet", name, {} };
}

Statement& Statement::bindText(const char* name, std::string_view value)
{
    if (auto malformed = malformedText(name, value)) {
        m_bindError = std::move(*malformed);
        return *this;
    }
    return bind(name, QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size())));
}

Statement& Statement::bindText(const char* name, const std::optional<std::string>& value)
{
    if (value)
        return bindText(name, std::string_view(*value));
    return bind(name, QVariant(QMetaType::fromType<QString>()));
}

Statement& Statement::bindBytes(const char* name, const std::optional<std::string>& value)
{
    // An empty QByteArray that is null would be bound as NULL.
    if (value)
        return bind(name, value->empty() ? QByteArray("", 0) : octets(*value));
    return bind(name, QVariant(QMetaType::fromType<QByteArray>()));
}

Statement& Statement::bindInt(const char* name, std::optional<std::int64_t> value)
{
    if (value)
        return bind(name, QVariant(static_cast<qlonglong>(*value)));
    return bind(name, QVariant(QMetaType::fromType<qlonglong>()));
}

Statement& Statement::bindTime(const char* name, const std::optional<Time>& value)
{
    return bindInt(name, value ? std::optional(microsOf(*value)) : std::nullopt);
}

Status Statement::run()
{
    if (m_bindError) {
        auto error = *m_bindError;
        m_bindError.reset();
        return error;
    }
    m_connection->startTimer();
    if (!m_query.exec()) {
        auto error = errorOf(*m_connection, m_query.lastError());
        m_query.finish();
        return error;
    }
    return {};
}

bool Statement::next()
{
    return m_query.next();
}

Status Statement::error()
{
    const auto error = m_query.lastError();
    if (error.type() == QSqlError::NoError)
        return {};
    return errorOf(*m_connection, error);
}

bool Statement::isNull(int column) const
{
    return m_query.isNull(column);
}

std::string Statement::text(int column) const
{
    return m_query.value(column).toString().toStdString();
}

std::string Statement::bytes(int column) const
{
    return m_query.value(column).toByteArray().toStdString();
}

std::int64_t Statement::integer(int column) const
{
    return m_query.value(column).toLongLong();
}

std::optional<std::string> Statement::optionalText(int column) const
{
    if (isNull(column))
        return std::nullopt;
    return text(column);
}

std::optional<std::string> Statement::optionalBytes(int column) const
{
    if (isNull(column))
        return std::nullopt;
    return bytes(column);
}

std::optional<std::int64_t> Statement::optionalInteger(int column) const
{
    if (isNull(column))
        return std::nullopt;
    return integer(column);
}

std::optional<Time> Statement::time(int column) const
{
    if (isNull(column))
        return std::nullopt;
    return instantWithin(integer(column));
}

int Statement::columnIndex(const char* name) const
{
    return m_query.record().indexOf(QLatin1String(name));
}

int Statement::columnCount() const
{
    return m_query.record().count();
}

int Statement::affected() const
{
    return m_query.numRowsAffected();
}

void Statement::finish()
{
    m_query.finish();
}

namespace {

// Kept prepared on SQLite, where parsing it takes as long as a small statement.
Status control(Connection& connection, const NamedSql& sqlite, const char* postgresql)
{
    if (connection.dialect() == Dialect::PostgreSql)
        return connection.execute(postgresql);
    const auto done = connection.native().run(sqlite, Parameters());
    return done ? Status() : Status(done.error());
}

} // namespace

Transaction::Transaction(Connection& connection)
    : m_connection(&connection)
{
}

Transaction::Transaction(Transaction&& other) noexcept
    : m_connection(std::exchange(other.m_connection, nullptr))
{
}

Transaction::~Transaction()
{
    rollback();
}

Result<Transaction> Transaction::begin(Connection& connection, Begin how)
{
    if (how == Begin::Immediate) {
        if (const auto there = checkFileInPlace(connection); !there)
            return there.error();
    }
    const auto& sqlite = how == Begin::Immediate ? sql::begin_immediate : sql::begin;
    const char* postgresql = connection.access() == Access::ReadOnly ? "BEGIN READ ONLY" : "BEGIN";
    if (const auto begun = control(connection, sqlite, postgresql); !begun)
        return begun.error();
    connection.startFences(connection.dialect() == Dialect::Sqlite && how == Begin::Immediate);
    return Transaction(connection);
}

Status Transaction::commit()
{
    auto& connection = *std::exchange(m_connection, nullptr);
    auto status = writeDrawnFence(connection);
    const bool sent = status.has_value();
    if (sent)
        status = control(connection, sql::commit, "COMMIT");
    connection.startFences(false);
    if (status)
        return status;
    auto error = status.error();
    connection.leaveTransaction();
    // The words of a lost connection do not say whether the commit arrived before it.
    const bool lost = sent && connection.dialect() == Dialect::PostgreSql && !connection.isOpen();
    const bool unsure = sent && connection.dialect() == Dialect::Sqlite && !error.code.empty()
        && (std::atoi(error.code.c_str()) & 0xff) == 10;
    if (lost || unsure) {
        error.failure = Failure::InDoubt;
        error.message = "The answer to a commit was lost";
    }
    return error;
}

void Transaction::rollback()
{
    if (m_connection == nullptr)
        return;
    auto& connection = *std::exchange(m_connection, nullptr);
    connection.startFences(false);
    connection.leaveTransaction();
}

} // namespace fencepost::store
