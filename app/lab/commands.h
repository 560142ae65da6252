// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/lab/client_run.h"

namespace fencepost::app {

enum LabExit : int {
    LabDone = 0,
    LabFailed = 1,
    LabUsage = 2,
    LabBroken = 3, // an effect was doubled or lost
};

// The options that are read as text, then checked as a whole.
struct ServeWords {
    std::string db;
    std::string listen;
    int port = 0;
    int workers = 8;
    std::string policy;
    std::string mode;
    std::string effect;
    std::string inFlight;
    std::string wait;
    std::string lease;
    std::string ttl;
    int cached = 0;
    std::string webhook;
    std::vector<std::string> events;
    std::string consume;
    std::string consumer = "mailer";
    std::optional<int> maxAttempts;
    std::vector<std::string> faults;
    std::uint64_t seed = 1;
    std::string spans;
    std::string log;
};
void addServeOptions(CLI::App& app, ServeWords& words);
// Serves until it is told to stop.
int serve(const ServeWords& words);

struct ClientWords {
    ClientRunOptions options;
    std::string policy;
    std::string preset;
    std::string seed;
    bool json = false;
};
void addClientOptions(CLI::App& app, ClientWords& words);
// Drives a lab and prints what happened.
int drive(const ClientWords& words);

} // namespace fencepost::app
