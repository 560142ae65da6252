// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "app/lab/lab.h"

namespace fencepost::app {

// 404, or 405 where the path has other methods; none: one of the routes that only look, or the faults.
[[nodiscard]] std::optional<HttpResponse> refuseUnknown(std::string_view method, std::string_view path);

// One thread's share of the lab: a connection of its own, and the contract of every route over it.
class LabWorker final : public RequestWorker {
public:
    static Result<std::unique_ptr<LabWorker>> make(Lab& lab);
    ~LabWorker() override;

    Reply answer(const Incoming& incoming) override;

private:
    explicit LabWorker(Lab& lab);
    struct Desk; // what lives as long as its connection

    Status open();
    void countEvents();
    void writeSpans(const HttpRequest& request, int status);
    std::optional<TurnedAway> enter(Desk& desk, const HttpRequest& request);
    void leave(const HttpResponse& answer);
    Reply change(const Incoming& incoming, const HttpRequest& request);
    HttpResponse look(const HttpRequest& request);
    HttpResponse admin(const Incoming& incoming);
    HttpResponse receive(const Incoming& incoming);
    HttpResponse reconcile(const HttpRequest& request);

    Lab& m_lab;
    std::unique_ptr<Desk> m_desk; // none: the database cannot be reached
};

} // namespace fencepost::app
