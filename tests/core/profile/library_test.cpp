// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/profile/changed_files.h"
#include "core/profile/detection.h"
#include "core/profile/library.h"
#include "core/profile/shipped_profiles.h"
#include "core/profile/words.h"

namespace fencepost::profile {
namespace {

class ProfileFolderTest : public ::testing::Test {
protected:
    ProfileFolderTest()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "fencepost-profiles-XXXXXX").string();
        m_folder = ::mkdtemp(pattern.data());
    }
    ~ProfileFolderTest() override { std::filesystem::remove_all(m_folder); }

    std::string write(const std::string& name, std::string_view text)
    {
        const auto path = (m_folder / name).string();
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }

    std::filesystem::path m_folder;
};

TEST(ChangedFilesTest, TheLinesThatDifferAreTold)
{
    using Lines = std::vector<std::string>;
    EXPECT_EQ(changedLines("a\nb\nc\n", "a\nb\nc\n"), Lines{});
    EXPECT_EQ(changedLines("a\nb\nc\nd\n", "a\nB\nc\nx\nd\n"), (Lines{ "- b", "+ B", "+ x" }));
    EXPECT_EQ(changedLines("", "a\nb"), (Lines{ "+ a", "+ b" }));
    EXPECT_EQ(changedLines("a\nb", ""), (Lines{ "- a", "- b" }));
    std::string before;
    std::string now;
    for (int i = 0; i < 3'000; ++i) {
        before += "old " + std::to_string(i) + '\n';
        now += "new " + std::to_string(i) + '\n';
    }
    EXPECT_EQ(changedLines(before, now).size(), 6'000U) << "too many to be compared with each other";
}

TEST_F(ProfileFolderTest, AChangeIsToldOnce)
{
    const auto kept = (m_folder / "kept").string();
    const auto changes = [&] { return changedFiles(m_folder.string(), kept); };
    const auto path = write("mine.json", "{\n \"a\": 1\n}\n");
    write("answers.json", "{}");
    EXPECT_TRUE(changes().empty()) << "it was never seen before";
    write("mine.json", "{\n \"a\": 2\n}\n");
    write("answers.json", "{ }");
    const auto told = changes();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].path, path);
    EXPECT_EQ(told[0].lines, (std::vector<std::string>{ "-  \"a\": 1", "+  \"a\": 2" }));
    EXPECT_TRUE(changes().empty());
    std::string many;
    for (int i = 0; i < 100; ++i)
        many += std::to_string(i) + '\n';
    write("mine.json", many);
    EXPECT_EQ(changes()[0].lines.back(), "and 63 lines more");
    // A folder that nothing can be kept in, and one that is not there.
    write("file", "");
    EXPECT_TRUE(changedFiles(m_folder.string(), (m_folder / "file" / "kept").string()).empty());
    EXPECT_TRUE(changedFiles((m_folder / "none").string(), kept).empty());
}

TEST(ShippedProfilesTest, AllLoad)
{
    const auto library = shippedLibrary();
    ASSERT_TRUE(library) << library.error().message;
    for (const auto* name : { "fencepost.idempotency_records", "fencepost.inbox_messages", "fencepost.outbox_messages",
             "fencepost.dead_letters", "seed.playbook.idempotency_keys", "seed.atlas.idempotency_records",
             "seed.platform.service_idempotency_keys", "seed.playbook.inbox_events" })
        EXPECT_NE(library->find(name), nullptr) << name;
    EXPECT_EQ(library->all().size(), 36U);
    EXPECT_EQ(library->find("nobody"), nullptr);
    EXPECT_TRUE(library->find("fencepost.idempotency_records")->native);
    EXPECT_FALSE(library->find("seed.atlas.idempotency_records")->native);
}

// Editors complete and check profiles by it: its words are the loader's.
TEST(ShippedProfilesTest, TheSchemaKnowsTheWordsOfTheFormat)
{
    std::ifstream file(std::string(FENCEPOST_FIXTURES) + "/../../resources/profiles/fencepost-profile.schema.json");
    const auto schema = nlohmann::json::parse(file);
    const auto wordsOf = [](const nlohmann::json& list) {
        std::string text = "one of";
        for (const auto& word : list)
            text += ' ' + word.get<std::string>();
        return text;
    };
    const auto& properties = schema["properties"];
    EXPECT_EQ(wordsOf(properties["fields"]["propertyNames"]["enum"]), fieldWords());
    EXPECT_EQ(wordsOf(properties["actions"]["propertyNames"]["enum"]), verbWords());
    std::set<std::string> members;
    for (const auto& [name, rest] : properties.items())
        members.insert(name);
    const auto refused = parse(R"({"what": 1})", "p");
    ASSERT_FALSE(refused);
    const auto& message = refused.error().message;
    std::istringstream listed(message.substr(message.find("one of ") + 7));
    std::set<std::string> known;
    for (std::string word; listed >> word;)
        known.insert(word);
    EXPECT_EQ(members, known);
    for (const auto& rule : schema["allOf"]) {
        const auto kind = kindOf(rule["if"]["properties"]["kind"]["const"].get<std::string>());
        ASSERT_TRUE(kind);
        const auto& states = rule["then"]["properties"]["state"]["items"]["properties"]["is"]["enum"];
        std::vector<std::string> words(stateWordsOf(*kind).begin(), stateWordsOf(*kind).end());
        if (*kind == Kind::DeadLetter)
            words.emplace_back("PENDING"); // read as REDRIVEN
        EXPECT_EQ(states.get<std::vector<std::string>>(), words);
    }
}

TEST_F(ProfileFolderTest, KeepsWhatWasAnsweredBesideTheProfiles)
{
    write("answers.json",
        R"({"time_zones": {"dotnetcore.cap.published": "Europe/Berlin"}, "tables": {"public.outbox": "debezium.outbox"}})");
    auto library = shippedLibrary();
    ASSERT_TRUE(library);
    EXPECT_TRUE(asksForZone(*library->find("dotnetcore.cap.published")));
    const auto leftOut = addFolder(*library, m_folder.string());
    EXPECT_TRUE(leftOut.empty());
    EXPECT_FALSE(asksForZone(*library->find("dotnetcore.cap.published")));
    EXPECT_TRUE(asksForZone(*library->find("dotnetcore.cap.received")));
    EXPECT_TRUE(asksForZone(*library->find("dotnetcore.cap.received"), "postgresql"));
    EXPECT_EQ(library->chosenFor("public", "outbox"), library->find("debezium.outbox"));
    EXPECT_EQ(library->chosenFor("other", "outbox"), nullptr);

    // What is said for one connection counts before what was said once and for all.
    const auto encodings = library->find("dotnetcore.cap.published")->time;
    ASSERT_TRUE(library->answerZone("dotnetcore.cap.published", "Asia/Tokyo"));
    EXPECT_NE(library->find("dotnetcore.cap.published")->time, encodings);
    ASSERT_TRUE(library->answerZone("", "Europe/Berlin"));
    EXPECT_EQ(library->find("dotnetcore.cap.published")->time, encodings);
    EXPECT_FALSE(library->answerZone("debezium.outbox", "Europe/Berlin"));

    ASSERT_TRUE(library->choose("outbox", "gruelbox.transaction_outbox"));
    EXPECT_EQ(library->chosenFor("public", "outbox"), library->find("gruelbox.transaction_outbox"));
    ASSERT_TRUE(library->choose("public.outbox", "debezium.outbox"));
    EXPECT_EQ(library->chosenFor("public", "outbox"), library->find("debezium.outbox"));
    EXPECT_EQ(library->chosenFor("other", "outbox"), library->find("gruelbox.transaction_outbox"));

    // Of a part of the profiles, what is said of the others is no mistake.
    const auto answers = m_folder.string() + "/answers.json";
    Library one;
    for (const auto& shipped : shippedProfiles())
        if (shipped.json.find("\"dotnetcore.cap.published\"") != std::string_view::npos && one.all().empty()) {
            ASSERT_TRUE(one.add(shipped.json, "one.json"));
        }
    EXPECT_FALSE(addAnswers(one, answers));
    ASSERT_TRUE(addAnswers(one, answers, AnsweredOf::Part));
    EXPECT_EQ(one.find("dotnetcore.cap.published")->time, encodings);

    write("answers.json", R"({"time_zones": {"dotnetcore.cap.published": 7}})");
    auto again = shippedLibrary();
    const auto wrong = addFolder(*again, m_folder.string());
    ASSERT_EQ(wrong.size(), 1U);
    EXPECT_NE(wrong[0].message.find("/time_zones/dotnetcore.cap.published: found 7, expected text"), std::string::npos)
        << wrong[0].message;
    write("answers.json", R"({"time_zones": {"dotnetcore.cap.published": "No/Where"}})");
    auto nowhere = shippedLibrary();
    const auto unknown = addFolder(*nowhere, m_folder.string());
    ASSERT_EQ(unknown.size(), 1U);
    EXPECT_NE(unknown[0].message.find("answers.json: /time_zones/dotnetcore.cap.published: "), std::string::npos)
        << unknown[0].message;
}

TEST_F(ProfileFolderTest, AddsTheFilesOfAFolderAndReplacesByName)
{
    auto library = *shippedLibrary();
    const auto& shipped = shippedProfiles().front();
    std::string changed(shipped.json);
    const std::string kind = "\"profile\": \"";
    changed.insert(changed.find(kind) + kind.size(), "mine.");
    changed.replace(changed.find(" \"native\": true,\n"), 17, "");
    write("a.json", changed);
    write("b.txt", "not read");
    EXPECT_TRUE(addFolder(library, m_folder.string()).empty());
    EXPECT_EQ(library.all().size(), 37U);
    EXPECT_TRUE(addFolder(library, m_folder.string()).empty());
    EXPECT_EQ(library.all().size(), 37U);
    EXPECT_TRUE(addFolder(library, (m_folder / "absent").string()).empty());
    write("c.json", changed);
    const auto second = addFolder(library, m_folder.string());
    ASSERT_EQ(second.size(), 1U);
    EXPECT_NE(second[0].message.find("c.json: /profile: found"), std::string::npos) << second[0].message;
    EXPECT_NE(second[0].message.find("a.json"), std::string::npos) << second[0].message;
}

TEST_F(ProfileFolderTest, TakesNoNameOfAShippedProfile)
{
    for (const auto& shipped : shippedProfiles()) {
        auto library = *shippedLibrary();
        const auto path = write("same.json", shipped.json);
        EXPECT_TRUE(addFolder(library, m_folder.string()).empty()) << shipped.name << ": it is the same profile";
        const auto name = parse(shipped.json, shipped.name)->name;
        write("same.json", std::string(shipped.json) + '\n');
        const auto added = addFolder(library, m_folder.string());
        ASSERT_EQ(added.size(), 1U) << shipped.name;
        EXPECT_EQ(added[0].failure, Failure::Invalid);
        EXPECT_EQ(added[0].message,
            path + ": /profile: found \"" + name
                + "\", a name of the profiles that come with Fencepost, expected a name of its own");
    }
    std::string pretending(shippedProfiles().front().json);
    const std::string own = "\"profile\": \"fencepost.";
    ASSERT_NE(pretending.find(own), std::string::npos);
    pretending.insert(pretending.find(own) + own.size(), "mine_");
    EXPECT_FALSE(parseOwn(pretending, "p.json"));
}

TEST_F(ProfileFolderTest, NamesEveryBadFileAndAddsTheOthers)
{
    auto library = *shippedLibrary();
    const auto bad = write("a.json", "{\"profile\": 7}");
    const auto half = write("b.json", "{");
    std::string good(shippedProfiles().back().json);
    const std::string name = "\"profile\": \"";
    write("c.json", good.insert(good.find(name) + name.size(), "mine."));
    const auto leftOut = addFolder(library, m_folder.string());
    ASSERT_EQ(leftOut.size(), 2U);
    EXPECT_EQ(leftOut[0].message, bad + ": /profile: found 7, expected text");
    EXPECT_EQ(leftOut[1].message.rfind(half + ": ", 0), 0U) << leftOut[1].message;
    EXPECT_EQ(library.all().size(), 37U);
}

TEST_F(ProfileFolderTest, RefusesLinksPipesAndHugeFiles)
{
    const auto real = write("real.json", "{}");
    const auto link = (m_folder / "link.json").string();
    std::filesystem::create_symlink(real, link);
    EXPECT_EQ(readProfileFile(link).error().message, link + ": found a symbolic link, expected a file");
    const auto pipe = (m_folder / "pipe.json").string();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(readProfileFile(pipe).error().message, pipe + ": expected a regular file");
    const auto huge = write("huge.json", std::string((1U << 20U) + 1, ' '));
    EXPECT_EQ(readProfileFile(huge).error().message, huge + ": found more than 1 MiB, expected a profile");
    EXPECT_EQ(readProfileFile((m_folder / "none").string()).error().failure, Failure::NotFound);
    EXPECT_EQ(*readProfileFile(real), "{}");
}

std::vector<std::string> names(const TableShape& table, std::string_view dialect = "sqlite")
{
    const auto library = *shippedLibrary();
    std::vector<std::string> result;
    for (const auto& match : matchesOf(library, dialect, table))
        result.push_back(match.profile->name + ":" + std::to_string(match.score));
    return result;
}

using Names = std::vector<std::string>;

const Names playbook = { "key", "payload_hash", "status", "result_ref", "http_code", "created_at", "expires_at" };
const Names atlas = { "scope", "operation_type", "idempotency_key", "request_hash", "status", "owner_execution_id",
    "response_code", "response_ref_type", "response_ref_id", "started_at", "updated_at", "expires_at" };

TEST(DetectionTest, ScoresRequiredAndOptionalColumns)
{
    EXPECT_EQ(names({ "idempotency_keys", playbook }), Names{ "seed.playbook.idempotency_keys:70" });
    EXPECT_EQ(names({ "idempotency_records", atlas }), Names{ "seed.atlas.idempotency_records:102" });
    EXPECT_EQ(names({ "idempotency_keys", { "key", "scope", "request_hash", "response", "expires_at", "created_at" } }),
        Names{ "seed.platform.service_idempotency_keys:60" });
    EXPECT_EQ(
        names({ "inbox_events", { "event_id", "source", "payload_hash", "received_at", "processed_at", "result" } }),
        Names{ "seed.playbook.inbox_events:60" });
}

TEST(DetectionTest, ComparesNamesWithoutCase)
{
    auto shouting = playbook;
    for (auto& column : shouting)
        for (auto& c : column)
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    EXPECT_EQ(names({ "Idempotency_Keys", shouting }), Names{ "seed.playbook.idempotency_keys:70" });
}

TEST(DetectionTest, LeavesWhatItDoesNotKnow)
{
    EXPECT_EQ(names({ "other", playbook }), Names{});
    EXPECT_EQ(names({ "idempotency_keys", { "key", "status" } }), Names{});
    auto forbidden = playbook;
    forbidden.emplace_back("recovery_point");
    EXPECT_EQ(names({ "idempotency_keys", forbidden }), Names{});
    EXPECT_EQ(names({ "idempotency_keys", playbook }, "mysql"), Names{});
}

TEST(DetectionTest, TakesAServicesPrefixForASchemaInSqliteOnly)
{
    const Names columns = { "key", "scope", "request_hash", "response", "expires_at", "created_at" };
    EXPECT_EQ(
        names({ "billing_idempotency_keys", columns, true }), Names{ "seed.platform.service_idempotency_keys:60" });
    EXPECT_EQ(names({ "billing_idempotency_keys", columns, false }, "postgresql"), Names{});
}

TEST(DetectionTest, KnowsFencepostsTableFromTheAtlas)
{
    auto own = atlas;
    for (const auto* column :
        { "fence", "attempt", "lease_expires_at", "hold", "recovery_point", "created_at", "takeover_policy" })
        own.emplace_back(column);
    EXPECT_EQ(names({ "idempotency_records", own }), Names{ "fencepost.idempotency_records:140" });
}

// Written through somebody's description of it, our own table would change without the protocol and its journal.
TEST(DetectionTest, LetsNobodyElseDescribeFencepostsTable)
{
    auto library = *shippedLibrary();
    ASSERT_TRUE(library.add(R"({"profile":"acme.records","format":1,"kind":"idempotency","dialects":["sqlite"],
        "detect":{"require":{"t":["scope","operation_type","idempotency_key","status","fence","hold","request_hash",
          "owner_execution_id","lease_expires_at","attempt","takeover_policy","expires_at","created_at",
          "updated_at","started_at"]}},
        "source":{"tables":{"t":"idempotency_records"}},"identity":["idempotency_key"],
        "fields":{"key":["col","idempotency_key"]},
        "state":[{"when":["eq",["col","status"],"SUCCEEDED"],"is":"SUCCEEDED"}]})",
        "acme.json"));
    auto own = atlas;
    for (const auto* column :
        { "fence", "attempt", "lease_expires_at", "hold", "recovery_point", "created_at", "takeover_policy" })
        own.emplace_back(column);
    const auto matches = matchesOf(library, "sqlite", { "idempotency_records", own });
    ASSERT_EQ(matches.size(), 1U);
    EXPECT_EQ(matches.front().profile->name, "fencepost.idempotency_records");
    own.erase(std::find(own.begin(), own.end(), "recovery_point"));
    ASSERT_EQ(matchesOf(library, "sqlite", { "idempotency_records", own }).size(), 1U) << "this one is not ours";
    EXPECT_EQ(matchesOf(library, "sqlite", { "idempotency_records", own }).front().profile->name, "acme.records");
}

} // namespace
} // namespace fencepost::profile
