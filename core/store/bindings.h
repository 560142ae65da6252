// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/inspector.h"
#include "core/profile/profile.h"
#include "core/store/catalog.h"

namespace fencepost::store {

// A profile bound to a table: every identifier of the profile is resolved to a column of the catalog.
struct BoundProfile {
    const profile::Profile* profile = nullptr; // not owned, but for the next: the library outlives it
    std::shared_ptr<const profile::Profile> own; // made for this binding alone
    Dialect dialect = Dialect::Sqlite;
    CatalogTable table;
    std::map<std::string, CatalogTable> others; // by the profile's alias: tables that its conditions look into
    Binding binding;
    // The profile's, without those whose columns this table does not have.
    std::map<std::string, profile::ExpressionPtr> fields;
    std::map<std::string, profile::ExpressionPtr> payload;
    std::optional<CatalogTable> conflicts; // our side table beside our own records
    std::optional<CatalogTable> journal;
    bool conflictsDenied = false; // it is there, and this role may not read it

    // A column as the profile names it, "column" or "alias.column".
    [[nodiscard]] const CatalogColumn* column(std::string_view name) const;
    // The alias in a statement of the table that has this very column.
    [[nodiscard]] std::string aliasOf(const CatalogColumn& column) const;
    // What Row::cas carries: the columns that some action compares with what was seen, as the profile names them.
    [[nodiscard]] std::vector<std::string> comparedColumns() const;
    [[nodiscard]] std::vector<const CatalogColumn*> identity() const;
    // A field that is nothing but a column.
    [[nodiscard]] const CatalogColumn* plainColumn(const std::string& field) const;
    // The profile maps what is stored and leaves to us what comes over it: a row past its expiry is shown as EXPIRED.
    [[nodiscard]] bool derivesExpiry() const;
    // Somebody has to say in which zone its times are: a column that has one with it is not asked about.
    [[nodiscard]] bool asksForZone() const;
};

// Resolves the profile in the table and finds out what may be done there. Unsupported says what does not fit. `catalog`
// has the other tables that the profile speaks of, under their own names or under those that were chosen for them.
[[nodiscard]] Result<BoundProfile> bindProfile(Dialect dialect, const profile::Profile& profile,
    const CatalogTable& table, const std::vector<CatalogTable>& catalog = {},
    const profile::Library* profiles = nullptr);

// The recognised tables of one connection. Read once and kept until refresh.
class Bindings {
public:
    // Where `only` names a table, as a binding is named or by its table, the views beside it are not run.
    Bindings(Connection& connection, const profile::Library* profiles, std::string only = {});

    // Recognises by these from now on; what was bound by the ones before is forgotten.
    void use(std::shared_ptr<const profile::Library> profiles);
    [[nodiscard]] const profile::Library* profiles() const { return m_profiles; }

    Result<const std::vector<BoundProfile>*> all(bool refresh = false);
    // What was left out when they were read.
    [[nodiscard]] const std::vector<Unfit>& unfit() const { return m_unfit; }
    // By the binding's name. NotFound names those that there are.
    Result<const BoundProfile*> find(const Binding& binding);

private:
    [[nodiscard]] std::vector<BoundProfile> recognised(const std::vector<CatalogTable>& catalog);
    // How long its first rows may be read, or why they are not.
    struct Sampling {
        Duration limit{};
        std::string whyNot;
    };
    [[nodiscard]] Sampling samplingOf(const BoundProfile& bound, bool named, Duration leftForViews) const;
    [[nodiscard]] bool isNamed(const BoundProfile& bound) const;
    Status checkAll(std::vector<BoundProfile>& found);
    // What can be read and written of it. An error is one of the whole connection.
    Status checkActions(BoundProfile& bound);
    Status check(BoundProfile& bound, const Sampling& sampling);

    Connection& m_connection;
    const profile::Library* m_profiles;
    std::string m_only;
    std::shared_ptr<const profile::Library> m_adopted; // what m_profiles is, once others were given
    std::optional<std::vector<BoundProfile>> m_bound;
    std::vector<Unfit> m_unfit;
};

} // namespace fencepost::store
