// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "app/lab/lab.h"

namespace fencepost::app {

struct Desk;

// One thread's share of the lab: a connection of its own, and the contract of every route over it.
class LabWorker final : public RequestWorker {
public:
    static Result<std::unique_ptr<LabWorker>> make(Lab& lab);
    ~LabWorker() override;

    Reply answer(const Incoming& incoming) override;

private:
    explicit LabWorker(Lab& lab);

    Status open();
    void countEvents();
    void writeSpans(const HttpRequest& request, int status);
    Reply change(const Incoming& incoming, const HttpRequest& request);
    HttpResponse receive(const Incoming& incoming);
    HttpResponse reconcile(const HttpRequest& request);

    Lab& m_lab;
    std::unique_ptr<Desk> m_desk; // none: the database cannot be reached
};

} // namespace fencepost::app
