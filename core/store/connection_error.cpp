// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <chrono>
#include <random>
#include <thread>

#include "core/store/connecting.h"

namespace fencepost::store {

namespace {

struct Meaning {
    std::string_view code; // a SQLSTATE, or the two characters of its class
    Failure failure;
    const char* message;
    const char* next = "";
};

constexpr const char* askForTheRule = "Ask whoever owns the table's triggers and rules";
constexpr const char* checkTheArming =
    "Check whether the connection is armed, and whether the database makes its sessions read-only by itself "
    "(default_transaction_read_only)";
constexpr const char* makeTheTables =
    "Fencepost's own tables are made, and brought up to date, by: fencepostctl schema init";
constexpr const char* checkFileAndFolder = "Check the rights to the file and to its folder";

// The first that fits decides, so single states stand before their class.
constexpr std::array postgresMeanings = {
    Meaning{ "57014", Failure::Cancelled, "The statement was stopped" },
    Meaning{ "57P01", Failure::Unavailable, "The database ended the connection" },
    Meaning{ "57P02", Failure::Unavailable, "The database ended the connection" },
    Meaning{ "57P03", Failure::Unavailable, words::startingOrStopping },
    Meaning{ "57P05", Failure::Unavailable, "The database ended an idle connection" },
    Meaning{ "55P03", Failure::Unavailable, "Somebody else holds a lock on the row or its table" },
    Meaning{ "40P01", Failure::Unavailable, "The database resolved a deadlock" },
    Meaning{ "40003", Failure::InDoubt, "The database does not know whether the statement was completed" },
    Meaning{ "40", Failure::Unavailable, "The database rolled the transaction back" },
    Meaning{ "25006", Failure::Denied, "The session is read-only", checkTheArming },
    Meaning{ "25P03", Failure::TimedOut, "The transaction was idle for too long" },
    Meaning{ "25", Failure::Internal, "A statement was sent in the wrong state of a transaction" },
    Meaning{ "28", Failure::Denied, words::refusedSignIn, words::checkTheSignIn },
    Meaning{ "42501", Failure::Denied, words::lacksPrivilege, words::askForPrivilege },
    Meaning{ "42P01", Failure::Unsupported, "A table is missing", makeTheTables },
    Meaning{ "42703", Failure::Unsupported, "A column is missing", makeTheTables },
    Meaning{ "42883", Failure::Unsupported, "A function is missing" },
    Meaning{ "42", Failure::Internal, "The database did not understand a statement" },
    Meaning{ "3D000", Failure::NotFound, "There is no such database" },
    Meaning{ "3F000", Failure::NotFound, "There is no such schema" },
    Meaning{ "23502", Failure::Invalid, "A value is missing" },
    Meaning{ "23514", Failure::Invalid, "A value breaks a rule of the table" },
    Meaning{ "23", Failure::Conflict, "The change breaks a rule of the table" },
    Meaning{ "44", Failure::Conflict, "The change breaks the condition of a view", askForTheRule },
    Meaning{ "P0", Failure::Conflict, "A rule of the database refused the change", askForTheRule },
    Meaning{ "22021", Failure::Invalid, "A text is not valid UTF-8 or contains a zero octet" },
    Meaning{ "22", Failure::Invalid, "A value does not fit its column" },
    Meaning{ "53100", Failure::Full, "The database's disk is full" },
    Meaning{ "53200", Failure::Unavailable, "The database is out of memory" },
    Meaning{ "53300", Failure::Unavailable, words::noFreeConnection },
    Meaning{ "53", Failure::Unavailable, "The database is out of resources" },
    Meaning{ "54", Failure::Invalid, "A value is too large for the database" },
    Meaning{ "58030", Failure::Unavailable, "The database could not read or write its files" },
    Meaning{ "XX001", Failure::Corrupt, "The database found damaged data" },
    Meaning{ "XX002", Failure::Corrupt, "The database found a damaged index" },
    Meaning{ "08", Failure::Unavailable, "The connection to the database was lost" },
    Meaning{ "0A", Failure::Unsupported, "The database does not support this" },
};

// Of SQLite's result codes; an extended one stands before its primary one.
struct SqliteMeaning {
    int code;
    Failure failure;
    const char* message;
    const char* next = "";
};

constexpr const char* needsTheFolder = "A file in WAL mode needs them even to be read: allow this user to write to its "
                                       "folder, or copy the file together with its -wal to one where that is allowed";

constexpr std::array sqliteMeanings = {
    SqliteMeaning{ 3, Failure::Denied, "The file may not be read or written", checkFileAndFolder },
    SqliteMeaning{ 5, Failure::Unavailable, "Another process has locked the database" },
    SqliteMeaning{ 6, Failure::Unavailable, "Another statement has locked the table" },
    SqliteMeaning{ 7, Failure::Unavailable, "There is not enough memory" },
    SqliteMeaning{
        264, Failure::Denied, "SQLite may not write its -wal and -shm files beside the database", needsTheFolder },
    SqliteMeaning{
        520, Failure::Denied, "SQLite may not write its -wal and -shm files beside the database", needsTheFolder },
    SqliteMeaning{
        1288, Failure::Denied, "SQLite may not write its -wal and -shm files beside the database", needsTheFolder },
    SqliteMeaning{
        1544, Failure::Denied, "SQLite may not write its -wal and -shm files beside the database", needsTheFolder },
    SqliteMeaning{ 8, Failure::Denied, "The session or its file is read-only", checkTheArming },
    SqliteMeaning{ 9, Failure::Cancelled, "The statement was stopped" },
    SqliteMeaning{ 10, Failure::Unavailable, "The file could not be read or written" },
    SqliteMeaning{ 11, Failure::Corrupt, "The database file is damaged" },
    SqliteMeaning{ 13, Failure::Full, "The disk is full" },
    SqliteMeaning{ 14, Failure::Unavailable, "The database file could not be opened" },
    SqliteMeaning{ 15, Failure::Unavailable, "Another process has locked the database" },
    SqliteMeaning{ 17, Failure::Unavailable, "The tables were changed meanwhile" },
    SqliteMeaning{ 18, Failure::Invalid, "A value is too large for the database" },
    SqliteMeaning{ 275, Failure::Invalid, "A value breaks a rule of the table" },
    SqliteMeaning{ 1299, Failure::Invalid, "A value is missing" },
    SqliteMeaning{ 3091, Failure::Invalid, "A value does not fit its column" },
    SqliteMeaning{ 19, Failure::Conflict, "The change breaks a rule of the table" },
    SqliteMeaning{ 20, Failure::Invalid, "A value does not fit its column" },
    SqliteMeaning{ 23, Failure::Denied, "The session is read-only", checkTheArming },
    SqliteMeaning{ 26, Failure::Corrupt, "The file is not an SQLite database" },
};

constexpr int sqliteBusy = 5;

Error sqliteError(const std::string& code, const std::string& words)
{
    const int extended = std::atoi(code.c_str());
    for (const auto& meaning : sqliteMeanings)
        if (meaning.code == extended || meaning.code == (extended & 0xff))
            return { meaning.failure, meaning.message, words, code, meaning.next };
    if (words.find("no such table") != std::string::npos)
        return { Failure::Unsupported, "A table is missing", words, code, makeTheTables };
    if (words.find("no such column") != std::string::npos)
        return { Failure::Unsupported, "A column is missing", words, code, makeTheTables };
    return { Failure::Internal, "The database did not understand a statement", words, code };
}

Error postgresError(const std::string& code, const std::string& words)
{
    // A statement that ran into statement_timeout has the same state as a cancelled one.
    if (code == "57014" && words.find("timeout") != std::string::npos)
        return { Failure::TimedOut, "The statement took longer than allowed", words, code };
    for (const auto& meaning : postgresMeanings)
        if (code.substr(0, meaning.code.size()) == meaning.code)
            return { meaning.failure, meaning.message, words, code, meaning.next };
    // Without a state it was libpq itself that spoke: the connection is gone.
    if (code.empty())
        return { Failure::Unavailable, "The connection to the database was lost", words, code };
    // The standard leaves these classes to whoever writes a trigger.
    const char first = code.front();
    if ((first >= '5' && first <= '9') || (first >= 'I' && first <= 'Z' && first != 'X'))
        return { Failure::Conflict, "A rule of the database refused the change", words, code, askForTheRule };
    return { Failure::Internal, "The database reported an error", words, code };
}

// A SQLSTATE has five characters, SQLite's extended codes fewer.
bool isBusy(const Error& error)
{
    return !error.code.empty() && error.code.size() <= 4 && (std::atoi(error.code.c_str()) & 0xff) == sqliteBusy;
}

} // namespace

Error errorOf(Dialect dialect, const std::string& code, const std::string& words)
{
    return dialect == Dialect::Sqlite ? sqliteError(code, words) : postgresError(code, words);
}

bool isTransient(const Error& error)
{
    return error.code == "40001" || error.code == "40P01" || isBusy(error);
}

Status retrying(int attempts, const std::function<Status()>& body)
{
    thread_local std::minstd_rand random(std::random_device{}());
    // SQLite has waited for its lock already: trying for long would multiply the caller's limit.
    constexpr auto patience = std::chrono::milliseconds(500);
    const auto begin = std::chrono::steady_clock::now();
    for (int attempt = 1;; ++attempt) {
        auto status = body();
        if (status || attempt >= attempts || !isTransient(status.error()))
            return status;
        if (isBusy(status.error()) && std::chrono::steady_clock::now() - begin > patience)
            return status;
        // Full jitter: contenders that failed together must not come back together.
        const auto bound = 1000U << static_cast<unsigned>(attempt < 6 ? attempt : 6);
        std::this_thread::sleep_for(
            std::chrono::microseconds(std::uniform_int_distribution<unsigned>(0, bound)(random)));
    }
}

} // namespace fencepost::store
