// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>

#include "app/ctl/commands.h"
#include "core/store/schema.h"

namespace fencepost::app {

namespace {

struct InitOptions {
    bool views = false;
};

struct DdlOptions {
    std::string layout = "fencepost";
    std::string dialect;
    std::string service = "svc";
};

int show(Context& context, const store::SchemaStatus& status)
{
    if (context.out.isJson()) {
        context.out.object(
            { { "version", orNull(status.version) }, { "current", status.current }, { "views", status.views } });
        return Exit::Done;
    }
    context.out.line(status.version
            ? "schema version " + std::to_string(*status.version) + " of " + std::to_string(status.current)
                + (status.views ? ", with compatibility views" : "")
            : std::string("Fencepost's tables are not here; make them with: fencepostctl schema init"));
    return Exit::Done;
}

// Where the tables could not be made in a file that was not there, an empty file would be taken for a database.
class NewFile {
public:
    explicit NewFile(std::optional<std::string> path)
        : m_path(std::move(path))
    {
    }
    void removeIfEmpty() const
    {
        std::error_code ignored;
        if (m_path && std::filesystem::is_regular_file(*m_path, ignored)
            && std::filesystem::file_size(*m_path, ignored) == 0)
            std::filesystem::remove(*m_path, ignored);
    }

private:
    std::optional<std::string> m_path; // none: it was there
};

int init(Context& context, const InitOptions& options)
{
    const NewFile file(context.absentFile());
    auto connection = context.connect(store::Access::ReadWrite, true);
    if (!connection) {
        file.removeIfEmpty();
        return context.fail(connection.error());
    }
    if (auto made = store::initSchema(**connection, options.views); !made) {
        connection->reset();
        file.removeIfEmpty();
        return context.fail(made.error());
    }
    // With the tables comes an audit, and what operators did here before goes into it.
    auto backend = context.open(store::Access::ReadWrite);
    if (!backend)
        return context.fail(backend.error());
    if (auto installed = (*backend)->inspector().installAudit(); !installed)
        return context.fail(installed.error());
    auto status = store::schemaStatus(**connection);
    return status ? show(context, *status) : context.fail(status.error());
}

int status(Context& context, const NoOptions&)
{
    auto connection = context.connect(store::Access::ReadOnly, false);
    if (!connection)
        return context.fail(connection.error());
    auto found = store::schemaStatus(**connection);
    return found ? show(context, *found) : context.fail(found.error());
}

// Needs no database: without one it is SQLite's.
int ddl(Context& context, const DdlOptions& options)
{
    auto dialect = options.dialect == "postgresql" ? store::Dialect::PostgreSql : store::Dialect::Sqlite;
    if (options.dialect.empty() && !context.options.db.empty()) {
        const auto target = context.target();
        if (!target)
            return context.usage(target.error());
        dialect = target->dialect;
    }
    const auto text = store::ddl(dialect, options.layout, options.service);
    if (!text)
        return context.fail(text.error());
    if (context.out.isJson())
        context.out.object({ { "layout", options.layout },
            { "dialect", dialect == store::Dialect::Sqlite ? "sqlite" : "postgresql" }, { "ddl", *text } });
    else
        context.out.line(*text);
    return Exit::Done;
}

} // namespace

void addSchemaCommands(CLI::App& app, Context& context)
{
    auto* schema = app.add_subcommand("schema", "Fencepost's own tables");
    schema->require_subcommand(1);
    addCommand<InitOptions>(
        *schema, context, "init", "Create or migrate the tables; safe to repeat",
        [](CLI::App& command, InitOptions& options) {
            command.add_flag("--views", options.views, "Also the views in the shape of other layouts");
        },
        init);
    addCommand<NoOptions>(*schema, context, "status", "Version of the tables", {}, status);
    addCommand<DdlOptions>(
        *schema, context, "ddl", "Print the statements of a layout",
        [](CLI::App& command, DdlOptions& options) {
            command.add_option("--layout", options.layout, "fencepost, playbook, atlas or service")
                ->check(CLI::IsMember({ "fencepost", "playbook", "atlas", "service" }));
            command.add_option("--dialect", options.dialect, "sqlite or postgresql (default: that of --db)")
                ->check(CLI::IsMember({ "sqlite", "postgresql" }));
            command.add_option("--service", options.service, "Name of the service in the layout service");
        },
        ddl);
}

} // namespace fencepost::app
