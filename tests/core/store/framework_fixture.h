// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "core/operations/plan.h"
#include "core/store/sql_text.h"
#include "tests/core/store/inspector_fixture.h"

namespace fencepost::test {

// Tables of a framework as tests/fixtures/frameworks has them: NAME.DIALECT.sql, then NAME.rows.sql, in which {t:-5m}
// is an instant five minutes ago in the text of the dialect, {z:…} the same with T and Z, {l:…} local time in Berlin.
class FrameworkTest : public InspectorTest {
protected:
    void load(const std::string& name)
    {
        runScript(read(name + (sqlite() ? ".sqlite.sql" : ".postgresql.sql")));
        runScript(read(name + ".rows.sql"));
    }

    store::SqlInspector& writing()
    {
        if (!m_writing) {
            auto made = store::SqlInspector::create(*connection,
                { .clock = &clock,
                    .bindClock = true,
                    .profiles = &library,
                    .auditPath = (database.folder() + QLatin1String("/audit.sqlite")).toStdString() });
            EXPECT_TRUE(made) << made.error().message << " " << made.error().detail;
            m_writing = std::move(*made);
        }
        return *m_writing;
    }

    // The only binding of a profile.
    Binding bindingOf(const std::string& profile)
    {
        const auto all = writing().bindings(true);
        EXPECT_TRUE(all) << all.error().message << " " << all.error().detail;
        for (const auto& found : *all)
            if (found.profile == profile)
                return found;
        ADD_FAILURE() << "no binding of " << profile;
        return {};
    }

    std::vector<Row> rowsOf(const Binding& binding, const std::string& filter = {})
    {
        PageRequest request;
        const auto parsed = parseFilter(filter);
        EXPECT_TRUE(parsed) << filter;
        request.filter = *parsed;
        request.order = "key";
        request.descending = false;
        auto page = writing().page(binding, request);
        EXPECT_TRUE(page) << page.error().message << " " << page.error().detail;
        return page ? page->rows : std::vector<Row>();
    }

    std::string keysOf(const std::vector<Row>& rows)
    {
        std::string text;
        for (const auto& row : rows)
            text += (text.empty() ? "" : " ") + row.key;
        return text;
    }

    static const Row* rowOf(const std::vector<Row>& rows, const std::string& key)
    {
        const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.key == key; });
        return found == rows.end() ? nullptr : &*found;
    }

    Result<Plan> planFor(const Binding& binding, const std::string& verb, const Row& row,
        const std::map<std::string, std::string>& parameters)
    {
        return makePlan(writing(), binding,
            { .verb = verb,
                .filter = {},
                .identities = { row.identity },
                .parameters = parameters,
                .reason = "test",
                .actor = "a@b" },
            random);
    }

    SeededRandom random{ 7 };

    // The first column of the first row; none: "none".
    std::string value(const std::string& sql)
    {
        store::SqlText text;
        text.sql = sql;
        auto statement = prepared(*connection, text);
        EXPECT_TRUE(statement) << sql << statement.error().detail;
        const auto ran = (*statement)->run();
        EXPECT_TRUE(ran) << sql << ran.error().detail;
        std::string read = (*statement)->next() ? (*statement)->text(0) : "none";
        (*statement)->finish();
        return read;
    }

private:
    [[nodiscard]] static std::string read(const std::string& name)
    {
        std::ifstream file(std::string(FENCEPOST_FIXTURES) + "/frameworks/" + name);
        EXPECT_TRUE(file) << name;
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }

    [[nodiscard]] std::string instant(char form, const std::string& offset) const
    {
        const auto length = parseDuration(offset.substr(1));
        EXPECT_TRUE(length) << offset;
        const auto summerInBerlin = form == 'l' ? Duration(2h) : Duration(0);
        auto text = formatInstant(now + (offset[0] == '-' ? -*length : *length) + summerInBerlin);
        if (form != 'z') {
            text[10] = ' ';
            text.pop_back();
        }
        return "'" + text + (form == 't' && !sqlite() ? "+00'" : "'");
    }

    [[nodiscard]] std::string word(const std::string& placeholder) const
    {
        if (placeholder == "true" || placeholder == "false")
            return sqlite() ? (placeholder == "true" ? "1" : "0") : placeholder;
        if (placeholder == "p")
            return sqlite() ? "app_" : "";
        if (placeholder == "cap")
            return sqlite() ? "\"cap." : "\"";
        return instant(placeholder[0], placeholder.substr(2));
    }

    [[nodiscard]] std::string filled(const std::string& script) const
    {
        std::string text;
        for (std::size_t i = 0; i < script.size(); ++i) {
            const auto end = script.find('}', i);
            // JSON in a fixture has quotes or nothing behind its brace.
            const bool placeholder =
                script[i] == '{' && end != std::string::npos && end > i + 1 && script[i + 1] != '"';
            if (!placeholder) {
                text += script[i];
                continue;
            }
            text += word(script.substr(i + 1, end - i - 1));
            i = end;
        }
        return text;
    }

    void runScript(const std::string& script)
    {
        const auto text = filled(script);
        std::size_t from = 0;
        for (auto end = text.find(";\n"); end != std::string::npos; end = text.find(";\n", from)) {
            run(text.substr(from, end - from));
            from = end + 2;
        }
    }

    std::unique_ptr<store::SqlInspector> m_writing;
};

} // namespace fencepost::test
