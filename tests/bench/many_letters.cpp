// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/many_letters.h"

#include <string>

#include "tests/bench/require.h"

namespace fencepost::test {

void fillLetters(store::Connection& connection, int letters, int planned)
{
    const auto count = std::to_string(letters);
    const auto first = std::to_string(planned);
    const bool sqlite = connection.dialect() == store::Dialect::Sqlite;
    const std::string series = sqlite
        ? "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + count + ") "
        : std::string();
    const std::string from = sqlite ? "n" : "generate_series(1, " + count + ") AS n(i)";
    const std::string id = sqlite
        ? "printf('%08x-0000-8000-8000-%012x', i * 2654435761 & 4294967295, i)"
        : "lpad(to_hex(i::bigint * 2654435761 & 4294967295), 8, '0') || '-0000-8000-8000-' || "
          "lpad(to_hex(i), 12, '0')";
    const std::string octets = sqlite ? "zeroblob(32)" : "decode(repeat('00', 32), 'hex')";
    const std::string at =
        sqlite ? "1780000000000000 + i * 1000" : "timestamptz '2026-06-01' + i * interval '1 millisecond'";
    const std::string kind = "CASE WHEN i <= " + first + " THEN 'inbox' ELSE 'outbox' END";
    const std::string consumer = "CASE WHEN i <= " + first + " THEN 'ledger' ELSE '' END";
    require(
        connection.execute(series
            + "INSERT INTO dead_letters (id, kind, consumer, source, event_id, destination, type, state, deaths, "
              "code, reason, fingerprint, pattern, attempts, headers, payload, payload_hash, first_at, dead_at) "
              "SELECT "
            + id + ", " + kind + ", " + consumer
            + ", '/shop', 'evt_' || i, 'http://127.0.0.1:9/in', 'refund.succeeded', 'DEAD', 1, '500', "
              "'the endpoint answered 500', 'group-' || (i % 300), 'the endpoint answered <n>', '[]', '[]', "
            + (sqlite ? "x'7b7d'" : "decode('7b7d', 'hex')") + ", " + octets + ", " + at + ", " + at + " FROM " + from),
        "letters");
    require(connection.execute(series
                + "INSERT INTO inbox_messages (consumer, source, event_id, payload_hash, status, received_at) SELECT "
                  "'ledger', '/shop', 'evt_' || i, "
                + octets + ", CASE WHEN i % 2 = 0 THEN 'PROCESSED' ELSE 'DEAD' END, " + at + " FROM " + from
                + " WHERE i <= " + first),
        "inbox");
    require(connection.execute("ANALYZE"), "analyze");
}

} // namespace fencepost::test
