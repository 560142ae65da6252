// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <csignal>
#include <iostream>

#include <QCoreApplication>

#include "app/delivery/nats_credentials.h"
#include "app/delivery/webhook_secrets.h"
#include "app/lab/commands.h"
#include "app/lab/faults.h"
#include "app/options/empty_values.h"

int main(int argc, char** argv)
{
    using namespace fencepost::app;
    std::signal(SIGPIPE, SIG_IGN);
    QCoreApplication application(argc, argv);
    CLI::App app(
        "The refund service of the playbook on Fencepost's core, with everything that can go wrong.\n"
        "Serves POST /payments, POST /refunds and POST /refunds/{id}/void under an Idempotency-Key, GET of each,\n"
        "GET /ledger, GET /metrics, GET /operations/{operation}/{key}, and GET, POST, DELETE /admin/faults.\n"
        "Receives webhooks at POST /events; GET /notices lists what came of the events that it was sent.",
        "fencepost-lab");
    app.set_version_flag("--version", "fencepost-lab " FENCEPOST_VERSION);
    app.footer(describeFaults()
        + "Faults are given by --fault, by POST /admin/faults {\"fault\":\"…\"} for all requests to come, and by a\n"
          "header Fencepost-Fault for its own request. The last two are this program's alone, no service that links\n"
          "the library has them, and they are taken from this computer only. Those of an event, p13 and p14 among\n"
          "them, are drawn when it is written, and travel with it in the outbox; p15 and p16 when one comes in.\n"
          "Webhooks are signed, and believed only when they are, with the secret of "
        + webhookSecretVariable + "\n(whsec_…; several, apart by blanks, while it is changed).\n"
        + natsCredentialsHelp);
    ServeWords words;
    addServeOptions(app, words);
    ClientWords clientWords;
    auto* client =
        app.add_subcommand("client", "Drives a lab with the real client and checks that every effect happened once");
    addClientOptions(*client, clientWords);
    app.parse_complete_callback([&app] { refuseEmptyValues(app, {}); });
    try {
        auto arguments = withEmptyValuesApart(app, { argv + 1, argv + argc }, {});
        std::reverse(arguments.begin(), arguments.end());
        app.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
        return error.get_exit_code() == 0 ? app.exit(error) : (app.exit(error), int(LabUsage));
    }
    if (client->parsed())
        return drive(clientWords);
    if (words.db.empty()) {
        std::cerr << "fencepost-lab: --db is required; --help says more\n";
        return LabUsage;
    }
    return serve(words);
}
