// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <QCoreApplication>
#include <QTemporaryDir>

#include "core/clock.h"
#include "core/profile/profile.h"
#include "core/store/database.h"
#include "core/store/page_sql.h"
#include "core/store/sql_inspector.h"

namespace fencepost::fuzz {

// A small SQLite database that stays the same for the whole run: Fencepost's own tables and the seeds' layouts, with a
// row of each state.
class SmallWorld {
public:
    SmallWorld();

    [[nodiscard]] store::Connection& connection() { return *m_connection; }
    [[nodiscard]] const Clock& clock() const { return m_clock; }
    // Over the tables that a library recognises, which outlives it.
    [[nodiscard]] std::unique_ptr<store::SqlInspector> inspect(const profile::Library& library);
    [[nodiscard]] std::vector<store::CatalogTable> catalog();
    [[nodiscard]] static constexpr std::size_t rows() { return 8; } // of our own records

private:
    void fill();
    void run(const std::string& sql);

    QCoreApplication m_application;
    QTemporaryDir m_folder;
    ManualClock m_clock;
    std::unique_ptr<store::Connection> m_connection;
};

// What PostgreSQL's catalog says of a table whose columns are named as ours.
[[nodiscard]] store::CatalogTable inPostgres(store::CatalogTable table);
// All that comes from outside is bound: the text is ours, its quotes are closed and each placeholder has its value.
void requireSafe(const store::SqlText& statement);

} // namespace fencepost::fuzz
