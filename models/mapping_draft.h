// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QTimer>

#include "core/profile/mapping.h"
#include "core/redaction.h"
#include "core/table_mapper.h"
#include "models/deliver.h"

namespace fencepost::models {

class Session;

// How the values of a column are shown.
enum class ValuesShown {
    Values,
    Redacted, // by the column's own name
    Hidden, // a body: not read until somebody asks to see it
};

// A table that is being mapped: what is known of it, what is guessed, what a person chose, and what comes out. Reads go
// through the session's thread for reads; nothing is written. Meant for the GUI thread.
class MappingDraft final : public QObject {
    Q_OBJECT

public:
    MappingDraft(Session& session, TableName name, QObject* parent = nullptr);

    // Reads the columns and a sample without bodies, and guesses; `loaded` or `failed` follows.
    void load();
    [[nodiscard]] bool isLoaded() const { return m_loaded; }
    [[nodiscard]] bool loading() const;
    [[nodiscard]] const TableName& name() const { return m_name; }
    [[nodiscard]] const profile::TableFacts& table() const { return m_table; }
    [[nodiscard]] const profile::TableGuess& guess() const { return m_guess; }
    [[nodiscard]] const profile::Mapping& mapping() const { return m_mapping; }
    [[nodiscard]] std::size_t sampledRows() const { return m_sampledRows; }

    [[nodiscard]] profile::Meaning meaningOf(const std::string& column) const;
    [[nodiscard]] ValuesShown shownValues(const std::string& column) const;
    // The distinct ones of the sample, fit to be looked at and without secrets.
    [[nodiscard]] QStringList valuesOf(const std::string& column) const;
    [[nodiscard]] profile::EncodingGuess encodingGuess(const std::string& column) const;
    [[nodiscard]] std::vector<std::string> instants() const; // columns, in the order of the table

    // What a person says. Each is followed by `changed`.
    void setKind(Kind kind); // guesses anew what nobody chose
    void setMeaning(const std::string& column, profile::Meaning meaning);
    void setIdentity(std::vector<std::string> columns);
    void setStyle(profile::StateStyle style);
    void setStateColumn(const std::string& column);
    void setState(std::size_t value, const std::string& state); // of mapping().values
    // A value that no row has yet; one that is there already stays as it is.
    void addValue(const std::string& value);
    void setDone(const std::string& state);
    void setOpen(const std::string& state);
    void setStuckAfter(std::optional<Duration> after);
    void setEncoding(const std::string& column, const std::string& encoding);
    void setProfileName(const QString& name);

    // Writes the look into the audit first; `changed` or `failed` follows.
    void reveal(const std::string& column);
    // The distinct values of the state's column.
    [[nodiscard]] const std::optional<ValueCounts>& values() const { return m_values; }
    [[nodiscard]] const std::optional<Error>& valuesError() const { return m_valuesError; }
    // Why the values of a state may not be shown; empty: they may.
    [[nodiscard]] QString whyNoValues() const;

    [[nodiscard]] QStringList questions() const;
    [[nodiscard]] Result<std::string> document() const { return profile::documentOf(m_table, m_mapping); }
    [[nodiscard]] const std::optional<MappingPreview>& preview() const { return m_preview; }
    [[nodiscard]] const std::optional<Error>& previewError() const { return m_previewError; }
    void refreshPreview();

Q_SIGNALS:
    void loaded();
    void failed(const QString& attempted, const fencepost::Error& error);
    void changed();
    void valuesChanged();
    void previewChanged();

private:
    struct Look {
        profile::TableFacts table;
        TableSample sample;
    };

    void take(const Look& look);
    void addSample(const TableSample& sample);
    void guessAgain();
    void readRevealed(const std::string& column);
    void readValues();
    void takeValues(const Result<ValueCounts>& answer);
    void proposeEncoding(const std::string& column);
    void change();

    QPointer<Session> m_session;
    const TableName m_name;
    const Redactor m_redactor;
    bool m_loaded = false;
    profile::TableFacts m_table;
    profile::SampledValues m_sampled;
    std::size_t m_sampledRows = 0;
    profile::TableGuess m_guess;
    profile::Mapping m_mapping;
    std::set<std::string> m_revealed;
    std::set<std::string> m_chosen; // columns whose meaning a person chose
    std::string m_valuesOf; // the column whose values are there or asked for
    std::optional<ValueCounts> m_values;
    std::optional<Error> m_valuesError;
    std::optional<MappingPreview> m_preview;
    std::optional<Error> m_previewError;
    QTimer m_previewDue;
    Latest<Result<Look>> m_load;
    Latest<Result<AuditEntry>> m_audit;
    Latest<Result<TableSample>> m_reveal;
    Latest<Result<ValueCounts>> m_valuesLoad;
    Latest<Result<MappingPreview>> m_previewLoad;
};

} // namespace fencepost::models
