// SPDX-License-Identifier: Apache-2.0
#include "core/store/sqlite_estimate.h"

#include <random>

#include <sqlite3.h>

#include "core/store/statements.h"

namespace fencepost::store {

namespace {

constexpr int probes = 64;
constexpr int deepest = 20;

// The kinds of pages of https://sqlite.org/fileformat2.html, section 1.6.
constexpr unsigned interiorIndex = 0x02;
constexpr unsigned interiorTable = 0x05;
constexpr unsigned leafIndex = 0x0a;
constexpr unsigned leafTable = 0x0d;

// Pages through the connection's own file: to open it a second time and close it would drop this process's locks on it.
class Pages {
public:
    Pages(Connection& connection, std::int64_t size)
        : m_octets(static_cast<std::size_t>(size))
    {
        auto* database = static_cast<sqlite3*>(connection.handle());
        if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&m_file)) != SQLITE_OK)
            m_file = nullptr;
    }

    bool read(std::int64_t number)
    {
        const auto size = static_cast<int>(m_octets.size());
        return m_file != nullptr && m_file->pMethods != nullptr && number > 1
            && m_file->pMethods->xRead(m_file, m_octets.data(), size, (number - 1) * size) == SQLITE_OK;
    }

    [[nodiscard]] unsigned kind() const { return m_octets[0]; }
    [[nodiscard]] std::int64_t cells() const { return number(3, 2); }
    // Of an interior page, from 0 to cells(): the last stands in the header. 0: the page is not what it claims to be.
    [[nodiscard]] std::int64_t child(std::int64_t index) const
    {
        constexpr std::size_t header = 12;
        if (index == cells())
            return number(8, 4);
        return number(static_cast<std::size_t>(number(header + 2 * static_cast<std::size_t>(index), 2)), 4);
    }

private:
    [[nodiscard]] std::int64_t number(std::size_t at, std::size_t size) const
    {
        std::int64_t value = 0;
        for (std::size_t i = at; i < at + size; ++i)
            value = value * 256 + (i < m_octets.size() ? m_octets[i] : 0);
        return value;
    }

    sqlite3_file* m_file = nullptr;
    std::vector<unsigned char> m_octets;
};

std::optional<double> probe(Pages& pages, std::int64_t root, std::minstd_rand& random)
{
    double rows = 0;
    double ways = 1;
    std::int64_t page = root;
    for (int depth = 0; depth < deepest; ++depth) {
        if (!pages.read(page))
            return std::nullopt;
        const auto cells = static_cast<double>(pages.cells());
        if (pages.kind() == leafIndex || pages.kind() == leafTable)
            return rows + ways * cells;
        if (pages.kind() != interiorIndex && pages.kind() != interiorTable)
            return std::nullopt;
        // The inner pages of an index, and of a table without row numbers, hold rows as well.
        if (pages.kind() == interiorIndex)
            rows += ways * cells;
        ways *= cells + 1;
        page = pages.child(std::uniform_int_distribution<std::int64_t>(0, pages.cells())(random));
    }
    return std::nullopt;
}

} // namespace

std::optional<std::int64_t> estimateRows(Connection& connection, const std::string& table)
{
    auto statement = connection.prepare(sql::root_page);
    if (!statement || !(*statement)->bindText("table", table).run() || !(*statement)->next())
        return std::nullopt;
    const auto root = (*statement)->integer(0);
    const auto size = (*statement)->integer(1);
    (*statement)->finish();
    if (size < 512 || size > 65'536)
        return std::nullopt;
    Pages pages(connection, size);
    // The same tree has the same estimate.
    std::minstd_rand random(1);
    double sum = 0;
    for (int i = 0; i < probes; ++i) {
        const auto rows = probe(pages, root, random);
        if (!rows)
            return std::nullopt;
        sum += *rows;
    }
    return static_cast<std::int64_t>(sum / probes);
}

} // namespace fencepost::store
