// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/ctl/output.h"
#include "core/backend.h"
#include "core/profile/library.h"
#include "core/protocol/policy.h"
#include "core/random.h"
#include "core/store/stores.h"

namespace fencepost::app {

// The exit codes of every command.
enum Exit : int {
    Done = 0,
    Failed = 1,
    Usage = 2, // also: a table has to be named first
    Refused = 3, // by the protocol: fenced, mismatch, in progress, drifted
};

struct GlobalOptions {
    std::string db;
    std::vector<std::string> also; // further databases, of the commands that look into several
    bool json = false;
    std::string binding;
    std::string profilesDir;
    std::vector<std::string> timeZones; // [PROFILE=]ZONE
    std::vector<std::string> readAs; // TABLE=PROFILE
    std::string policyFile;
    std::string auditFile;
    std::string statementTimeout;
};

// What the commands share: the options that stand before them, the output, and the way to an open database.
class Context {
public:
    GlobalOptions options;
    Output out;
    SystemRandom random;
    int exitCode = Exit::Done;

    // From here on a signal that stops the program finds the answer that is true of it.
    void nothingChangedYet() const;
    void mayChangeFromHere() const;

    // Opens options.db; the backend lives as long as the context. Read-only unless it is asked to write.
    Result<Backend*> open(store::Access access);
    // After the connection was lost. The backend that was there is gone.
    Result<Backend*> openAgain(store::Access access);
    // The protocol's side of it. Unsupported: Fencepost's tables are missing, or newer than this build.
    Result<Store*> openStore();
    // A bare connection for what is below the backend: the schema. May make SQLite's file.
    Result<std::unique_ptr<store::Connection>> connect(store::Access access, bool create);
    // The table that a command works on: the only one of its kind, or the one that --binding names.
    Result<Binding> binding(Kind kind);
    // The one that --binding names, of whatever kind.
    Result<Binding> binding();
    // Said with --policy, else found beside the database or in the configuration; empty: there is none.
    std::string policyFile() const;
    Result<Policy> policy() const;
    // Of --profiles-dir, else of the configuration.
    std::string profilesFolder() const;
    // Shipped profiles, then those of that folder.
    Result<const profile::Library*> profiles();
    // From here on that profile alone.
    Status useOnly(std::string_view text, const std::string& file);
    // " --profiles DIR …" as it was said, for the next command that is proposed; empty: nothing was.
    [[nodiscard]] std::string sameTables() const;
    // The target of options.db, also where it cannot be opened.
    Result<store::Target> target() const;
    // SQLite's file that options.db names and that is not there yet; none: it is there, or the database is no file.
    [[nodiscard]] std::optional<std::string> absentFile() const;

    // Print, and answer the exit code.
    int fail(const Error& error);
    int usage(const std::string& message);
    int usage(const Error& error);
    int rejectInput(const Error& error); // usage() where what was typed is at fault, else fail()
    int refused(const Error& error);

private:
    Result<Binding> namedBinding(const std::vector<Binding>& all, Kind kind);
    // What is said on the command line of tables that do not tell it themselves.
    void tellChangedProfiles();
    Status answer(profile::Library& library);
    Status checkReadAs();
    // Where it leads and how, both as typed: what is wrong with them is a usage error of every command.
    Result<std::pair<store::Target, store::OpenOptions>> asTyped(store::Access access);
    Result<store::OpenOptions> openOptions(store::Access access) const;
    // Attempts it without a password first, so that libpq's own sources count; then with the keychain's.
    template <typename T, typename F>
    Result<T> withPassword(const store::Target& target, store::OpenOptions options, F f);

    std::optional<profile::Library> m_library;
    std::unique_ptr<Backend> m_backend;
    bool m_usageError = false;
};

} // namespace fencepost::app
