// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/ids.h"
#include "core/in_quotes.h"
#include "core/profile/action_reader.h"
#include "core/profile/detection.h"
#include "core/profile/document.h"
#include "core/profile/expression_reader.h"
#include "core/profile/named_columns.h"
#include "core/profile/profile.h"
#include "core/profile/relations.h"
#include "core/profile/words.h"
#include "core/time.h"

namespace fencepost::profile {

namespace {

using Texts = std::vector<std::string>;

void refuseEmpty(const Node& list, const std::string& expected)
{
    if (list.isArray() && list.size() == 0)
        list.refuse("an empty list", expected);
}

std::map<std::string, Texts> lists(const Node& node)
{
    std::map<std::string, Texts> result;
    for (const auto& [key, value] : node.membersByIdentifier()) {
        refuseEmpty(value, "at least one value");
        result[key] = value.texts();
    }
    return result;
}

// Names of columns, each but once, by the database's own rule: without case.
std::vector<std::string> readColumns(const Node& node)
{
    std::vector<std::string> columns;
    for (const auto& element : node.elements()) {
        auto name = element.identifier();
        if (std::any_of(
                columns.begin(), columns.end(), [&](const std::string& other) { return sameWithoutCase(other, name); }))
            element.refuse("each column once");
        columns.push_back(std::move(name));
    }
    return columns;
}

bool isRequired(const Detect& detect, std::string_view column)
{
    const auto named = [&](const auto& required) {
        return std::any_of(required.second.begin(), required.second.end(),
            [&](const std::string& each) { return sameWithoutCase(each, column); });
    };
    return std::any_of(detect.require.begin(), detect.require.end(), named);
}

// What no table could be recognised by.
void refuseContradictions(const Node& node, const Detect& detect)
{
    if (const auto forbid = node.child("forbid"))
        for (const auto& element : forbid->elements())
            if (isRequired(detect, element.identifier()))
                element.refuse("a column that \"require\" does not ask for");
    if (const auto values = node.child("values"))
        for (const auto& [column, list] : values->membersByIdentifier())
            if (!isRequired(detect, column) && !isRequired(detect, column.substr(column.find('.') + 1)))
                list.refuse("values of \"" + column + "\"", "those of a column that \"require\" asks for");
}

Detect readDetect(const Node& node)
{
    node.onlyKeys({ "require", "forbid", "optional", "values" });
    Detect detect;
    if (const auto require = node.child("require")) {
        for (const auto& [alias, columns] : require->members()) {
            refuseEmpty(columns, "at least one column");
            detect.require[alias] = readColumns(columns);
        }
    } else
        node.refuse("no \"require\"", "the columns by which the table is recognised");
    if (const auto forbid = node.child("forbid"))
        detect.forbid = readColumns(*forbid);
    if (const auto optional = node.child("optional"))
        detect.optional = readColumns(*optional);
    if (const auto values = node.child("values"))
        detect.values = lists(*values);
    refuseContradictions(node, detect);
    return detect;
}

// A letter that is marked to be moved back, and waits for it, is one that somebody has sent again.
std::string readState(const Node& node, Kind kind)
{
    if (kind == Kind::DeadLetter && node.json() == "PENDING")
        return "REDRIVEN";
    return node.oneOf(stateWordsOf(kind));
}

Scalar readStandard(const Node& node, const std::string& type)
{
    if (type == "integer") {
        const auto& json = node.json();
        const bool tooLarge = json.is_number_unsigned()
            && json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (json.is_number_integer() && !tooLarge)
            return json.get<std::int64_t>();
        node.refuse("a whole number of at most 63 bits");
        return {};
    }
    const auto text = node.text();
    if (!node.failed() && type == "duration" && !isIsoDuration(text))
        node.refuse("a duration like \"PT5M\"");
    if (!node.failed() && type == "uuid" && !isUuid(text))
        node.refuse("a UUID");
    return text;
}

std::map<std::string, Parameter> readParams(const Node& node)
{
    std::map<std::string, Parameter> result;
    for (const auto& [name, value] : node.members()) {
        value.onlyKeys({ "type", "default", "label", "generate" });
        Parameter parameter;
        if (const auto type = value.child("type"))
            parameter.type = type->oneOf({ "duration", "uuid", "text", "integer" });
        else
            value.refuse("no \"type\"", "one of duration uuid text integer");
        if (const auto standard = value.child("default"))
            parameter.standard = readStandard(*standard, parameter.type);
        if (const auto label = value.child("label"))
            parameter.label = label->text();
        if (const auto generate = value.child("generate")) {
            parameter.generate = generate->oneOf({ "uuid4" });
            if (parameter.type != "uuid")
                generate->refuse("it for a parameter of type uuid only");
        }
        result[name] = std::move(parameter);
    }
    return result;
}

std::string readEncoding(const Node& node)
{
    auto text = node.text();
    if (!node.failed() && !isTimeEncoding(text))
        node.refuse(timeEncodings);
    else if (!node.failed() && !hasKnownZone(text))
        node.refuse(knownZone);
    return text;
}

std::map<std::string, std::map<std::string, std::string>> readTime(const Node& node)
{
    std::map<std::string, std::map<std::string, std::string>> result;
    for (const auto& [column, value] : node.members()) {
        if (!value.isObject()) {
            result[column]["*"] = readEncoding(value);
            continue;
        }
        value.onlyKeys({ "postgresql", "sqlite" });
        for (const auto& [dialect, encoding] : value.members())
            result[column][dialect] = readEncoding(encoding);
    }
    return result;
}

class Loader {
public:
    explicit Loader(Node root)
        : m_root(std::move(root))
    {
    }

    Profile read()
    {
        m_root.onlyKeys({ "profile", "format", "kind", "title", "dialects", "detect", "source", "identity", "params",
            "time", "owners", "lane", "fields", "payload", "state", "stuck", "fencing", "actions", "forbidden",
            "external", "notes", "dangers", "readOnlyReason", "rlsAware", "multiSchema", "native" });
        readHead();
        readTables();
        if (const auto params = m_root.child("params"))
            m_profile.params = readParams(*params);
        if (const auto time = m_root.child("time"))
            m_profile.time = readTime(*time);
        if (const auto owners = m_root.child("owners"))
            readOwners(*owners, scope(), m_profile);
        if (const auto lane = m_root.child("lane"))
            readLane(*lane, scope(), m_profile);
        readWhere();
        readColumns();
        readStates();
        readVerbs();
        checkTimes();
        return std::move(m_profile);
    }

private:
    Node needed(const std::string& key, const std::string& expected)
    {
        if (const auto node = m_root.child(key))
            return *node;
        m_root.refuse("no \"" + key + "\"", expected);
        return m_root;
    }

    void readHead()
    {
        const auto name = needed("profile", "the profile's name");
        m_profile.name = name.identifier();
        // It names a file where the profile is kept.
        if (m_profile.name.find('/') != std::string::npos)
            name.refuse("a name without \"/\"");
        const auto format = needed("format", "1");
        if (!m_root.failed() && (!format.json().is_number() || format.json() != 1))
            format.refuse("1, the format that this version reads");
        const auto kind = needed("kind", "what the table holds");
        if (const auto known = kindOf(kind.oneOf(kindWords())))
            m_profile.kind = *known;
        const auto dialects = needed("dialects", "[\"postgresql\", \"sqlite\"]");
        refuseEmpty(dialects, "at least one of postgresql sqlite");
        for (const auto& dialect : dialects.elements()) {
            auto word = dialect.oneOf({ "postgresql", "sqlite" });
            if (std::find(m_profile.dialects.begin(), m_profile.dialects.end(), word) != m_profile.dialects.end())
                dialect.refuse(inQuotes(word) + " a second time", "each dialect once");
            m_profile.dialects.push_back(std::move(word));
        }
        if (const auto title = m_root.child("title"))
            m_profile.title = title->text();
        m_profile.detect = readDetect(needed("detect", "how the table is recognised"));
        if (const auto notes = m_root.child("notes"))
            m_profile.notes = notes->texts();
        if (const auto dangers = m_root.child("dangers"))
            m_profile.dangers = dangers->texts();
        if (const auto reason = m_root.child("readOnlyReason"))
            m_profile.readOnlyReason = reason->text();
        if (const auto aware = m_root.child("rlsAware"))
            (void)aware->boolean();
        if (const auto multi = m_root.child("multiSchema"))
            m_profile.multiSchema = multi->boolean();
        if (const auto native = m_root.child("native")) {
            m_profile.native = native->boolean();
            if (m_profile.native && m_profile.name.rfind("fencepost.", 0) != 0)
                native->refuse("it in Fencepost's own profiles only");
        }
    }

    void readTables()
    {
        const auto source = needed("source", "the tables");
        if (const auto joins = source.child("joins"))
            joins->refuse("joins",
                "conditions and values of other tables: [\"exists\", alias, condition], [\"from\", alias, condition, "
                "value]");
        source.onlyKeys({ "tables", "where" });
        if (const auto tables = source.child("tables"))
            profile::readTables(*tables, m_profile);
        else
            source.refuse("no \"tables\"", "{alias: table}");
        checkRequired();
    }

    void checkRequired()
    {
        const auto detect = m_root.child("detect");
        const auto require = detect ? detect->child("require") : std::nullopt;
        if (!require || m_root.failed())
            return;
        for (const auto& [alias, columns] : require->members())
            if (!m_profile.tables.contains(alias))
                columns.refuse("columns of " + inQuotes(alias), "an alias of /source/tables");
        if (!m_root.failed() && !m_profile.detect.require.contains(m_profile.main))
            require->refuse(
                "no columns of the rows' own table " + inQuotes(m_profile.main), "those by which it is recognised");
    }

    void readWhere()
    {
        if (const auto source = m_root.child("source"))
            if (const auto where = source->child("where"))
                m_profile.where = readPredicate(*where, scope());
    }

    void readColumns()
    {
        const auto identity = needed("identity", "the primary key's columns");
        m_profile.identity = identity.identifiers();
        if (m_profile.identity.empty())
            identity.refuse("at least one column");
        for (std::size_t i = 0; i < m_profile.identity.size() && !identity.failed(); ++i)
            if (isIdentity(m_profile.identity[i], i))
                identity.at(i).refuse(inQuotes(m_profile.identity[i]) + " a second time", "each column once");
            else if (isOfOther(m_profile.identity[i], scope()))
                identity.at(i).refuse(
                    "a column of another table, " + inQuotes(m_profile.identity[i]), "columns of the rows' own table");
        const auto fields = needed("fields", "the canonical fields");
        for (const auto& [field, value] : fields.members()) {
            if (!isCanonicalField(field))
                value.refuse("the unknown field " + inQuotes(field), fieldWords());
            m_profile.fields[field] = field.ends_with("_us") ? readInstant(value, scope()) : readValue(value, scope());
        }
        if (m_profile.fields.find("key") == m_profile.fields.end())
            fields.refuse("no \"key\"", "one");
        completeLane(m_profile);
        if (const auto payload = m_root.child("payload"))
            for (const auto& [name, value] : payload->members())
                m_profile.payload[name] = readValue(value, scope());
    }

    void readStates()
    {
        const auto states = needed("state", "how rows map to states");
        for (const auto& entry : states.elements()) {
            entry.onlyKeys({ "when", "is" });
            StateCase result;
            if (const auto when = entry.child("when"))
                result.when = readPredicate(*when, scope());
            if (const auto is = entry.child("is"))
                result.is = readState(*is, m_profile.kind);
            if (!entry.child("when") || !entry.child("is"))
                entry.refuse("{\"when\": condition, \"is\": state}");
            const auto& before = m_profile.states;
            if (!before.empty() && before.back().when && before.back().when->op == Expression::Op::True)
                entry.refuse(
                    "a state behind one that every row is in", "the condition [\"true\"] in the last one only");
            m_profile.states.push_back(std::move(result));
        }
        if (m_profile.states.empty())
            states.refuse("at least one state");
        if (const auto stuck = m_root.child("stuck"))
            m_profile.stuck = readPredicate(*stuck, scope());
    }

    void readVerbs()
    {
        if (const auto fencing = m_root.child("fencing"))
            m_profile.fencing = fencing->oneOf(fencingWords());
        if (const auto actions = m_root.child("actions"))
            for (const auto& [verb, action] : actions->members()) {
                if (!isVerb(verb))
                    action.refuse("the unknown action " + inQuotes(verb), verbWords());
                m_profile.actions[verb] = readAction(action, verb, scope());
                refuseNewIdentity(action, m_profile.actions[verb]);
            }
        if (const auto forbidden = m_root.child("forbidden"))
            for (const auto& [verb, why] : forbidden->members()) {
                if (!isVerb(verb) && verb != "delete")
                    why.refuse("the unknown action " + inQuotes(verb), verbWords() + " delete");
                if (m_profile.actions.contains(verb))
                    why.refuse("a verb that /actions has too", "it in one of them");
                m_profile.forbidden[verb] = why.text();
                if (m_profile.forbidden[verb].empty())
                    why.refuse("why it must not be done");
            }
        if (const auto external = m_root.child("external"))
            for (const auto& [verb, command] : external->members()) {
                if (!isVerb(verb))
                    command.refuse("the unknown action " + inQuotes(verb), verbWords());
                if (m_profile.actions.contains(verb))
                    command.refuse("a verb that /actions has too", "it in one of them");
                refuseEmpty(command, "the words of the command");
                m_profile.external[verb] = command.texts();
            }
    }

    [[nodiscard]] bool isIdentity(const std::string& column, std::size_t ofFirst) const
    {
        const auto end = m_profile.identity.begin() + static_cast<std::ptrdiff_t>(ofFirst);
        return std::any_of(m_profile.identity.begin(), end, [&](const std::string& known) {
            return sameWithoutCase(withAlias(m_profile, known), withAlias(m_profile, column));
        });
    }

    // The row would be another one afterwards: neither its outcome nor the way back could be told.
    void refuseNewIdentity(const Node& node, const Action& action)
    {
        for (std::size_t i = 0; i < action.steps.size() && !node.failed(); ++i)
            for (const auto& [column, value] : action.steps[i].set)
                if (action.steps[i].kind == Step::Kind::Set && isIdentity(column, m_profile.identity.size())) {
                    node.child("steps")->at(i).refuse(
                        "a new value for " + inQuotes(column) + ", which is of the identity", "other columns to set");
                    return;
                }
    }

    // An encoding of a column that nothing else speaks of is one that is spelt wrong.
    void checkTimes()
    {
        const auto time = m_root.child("time");
        if (!time || m_root.failed())
            return;
        const auto named = namedColumns(m_profile);
        const auto isNamed = [&](const std::string& key) {
            const bool bare = withAlias(m_profile, key) != key;
            return std::any_of(named.begin(), named.end(), [&](const std::string& column) {
                return sameWithoutCase(bare ? std::string_view(column).substr(column.find('.') + 1) : column, key);
            });
        };
        for (const auto& [key, value] : time->members()) {
            if (key != "*" && !isNamed(key))
                value.refuse("an encoding of " + inQuotes(key), "one of a column that the profile names, or of \"*\"");
            if (value.isObject() && value.size() == 0)
                value.refuse("no encoding", timeEncodings);
        }
    }

    [[nodiscard]] ExpressionScope scope() const { return { .profile = &m_profile, .old = false, .inside = {} }; }

    Node m_root;
    Profile m_profile;
};

} // namespace

Result<Profile> parse(std::string_view json, std::string_view fileName)
{
    Node::Report report{ std::string(fileName), std::nullopt };
    const auto document = parseDocument(json, report.file);
    if (!document)
        return document.error();
    const Node root(*document, "", report);
    if (!root.isObject())
        root.refuse("an object");
    Profile profile = report.error ? Profile() : Loader(root).read();
    if (report.error)
        return *report.error;
    return profile;
}

} // namespace fencepost::profile
