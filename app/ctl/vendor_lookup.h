// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "app/ctl/run_client.h"
#include "core/service/vendor_call.h"

namespace fencepost::app {

// How a vendor is asked whether it has a call: a GET that changes nothing, whose answer holds a list of what it found.
struct VendorQuestion {
    std::string url; // {key} stands for the call's key
    std::string list; // JSON Pointer to the list in the answer; empty: the answer is the list
    std::string reference = "/id"; // within an entry of the list: the vendor's name for the thing
};

// "stripe=https://…" by the vendor's name. Invalid: no such vendor in the table, or no {key} in the URL.
[[nodiscard]] Result<std::pair<std::string, std::string>> questionPart(const std::string& text);
[[nodiscard]] Status checkQuestion(const std::string& vendor, const VendorQuestion& question);

// What an answer says. Only a list that is there and empty says that nothing was done: whatever else is odd about an
// answer may be a mistake of the question, and would send a payment twice.
[[nodiscard]] VendorKnowledge knowledgeOf(const VendorQuestion& question, const HttpResponse& answer);

// Asks vendors over HTTP. Used by the main thread, whose event loop it runs.
class VendorLookup {
public:
    VendorLookup(RunClient& client, std::map<std::string, VendorQuestion> questions)
        : m_client(client)
        , m_questions(std::move(questions))
    {
    }

    [[nodiscard]] VendorKnowledge ask(const OutboundCall& call);
    [[nodiscard]] bool knows(const std::string& vendor) const { return m_questions.contains(vendor); }
    [[nodiscard]] int unanswered() const { return m_unanswered; }

private:
    RunClient& m_client;
    std::map<std::string, VendorQuestion> m_questions;
    int m_unanswered = 0;
};

} // namespace fencepost::app
