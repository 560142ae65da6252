// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/forensics.h"
#include "core/store/bindings.h"
#include "core/store/profile_reader.h"

namespace fencepost::store {

// Over the connection, the bindings and the reader of an inspector, which outlive it.
class SqlForensics final : public Forensics {
public:
    SqlForensics(Connection& connection, Bindings& bindings, ProfileReader& reader);

    Result<Flows> flows(const Binding& binding, const RangeRequest& request) override;
    Result<Conflicts> conflicts(const Binding& binding, const ConflictsRequest& request) override;
    Result<std::optional<ConflictCase>> conflictCase(const Binding& binding, const RecordId& id) override;
    Result<Violations> violations(const Binding& binding, std::string_view invariant, Duration budget) override;
    Result<Retries> retries(const Binding& binding, const RetriesRequest& request) override;

private:
    Connection& m_connection;
    Bindings& m_bindings;
    ProfileReader& m_reader;
};

} // namespace fencepost::store
