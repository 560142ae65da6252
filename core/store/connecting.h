// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/store/database.h"

namespace fencepost::store {

// What the database says with a state, and libpq in words of its own.
namespace words {
inline constexpr const char* lacksPrivilege = "The role lacks a privilege";
inline constexpr const char* askForPrivilege = "Ask for the privilege or connect with another role";
inline constexpr const char* refusedSignIn = "The database refused the sign-in";
inline constexpr const char* checkTheSignIn = "Check the user and the password";
inline constexpr const char* noFreeConnection = "The database has no free connection";
inline constexpr const char* startingOrStopping = "The database is starting or shutting down";
} // namespace words

// What the file or the settings are refused for before any driver sees them.
Status checkFile(const Target& target, const OpenOptions& options);
Status checkSettings(const Target& target);

[[nodiscard]] QString sqliteOptions(const OpenOptions& options);
[[nodiscard]] QString postgresOptions(const Target& target, const OpenOptions& options, bool withStartOptions = true);

// Statements that every session starts with.
[[nodiscard]] std::vector<std::string> sqliteSession(const OpenOptions& options);
[[nodiscard]] std::vector<std::string> postgresSession(const Target& target, const OpenOptions& options);

// libpq gives no SQLSTATE for a connection that never came to be, so its words decide.
[[nodiscard]] Error connectError(const Target& target, const QSqlError& error);

} // namespace fencepost::store
