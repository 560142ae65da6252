// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/query/row.h"
#include "core/table_mapper.h"
#include "models/deliver.h"
#include "models/list_model.h"
#include "models/mapping_draft.h"

namespace fencepost::models {

// All tables of a connection and what detection made of each: what has to be asked about first, then what looks as if
// it should be known, then what is recognised, then the rest.
class SurveyModel final : public ListModel<SurveyedTable> {
    Q_OBJECT

public:
    explicit SurveyModel(QObject* parent = nullptr);

    void load(StoreThread& thread);
    [[nodiscard]] bool loading() const override { return m_load.pending(); }
    [[nodiscard]] std::size_t ambiguous() const;
    [[nodiscard]] std::size_t recognised() const;
    [[nodiscard]] std::size_t likely() const; // not recognised, and alike

private:
    Latest<Result<std::vector<SurveyedTable>>> m_load;
};

// "recognised", "ambiguous", "looks like an outbox", "not recognised".
[[nodiscard]] QString verdictOf(const SurveyedTable& table);
[[nodiscard]] bool looksKnown(const SurveyedTable& table) noexcept;

struct MappedColumn {
    std::string name;
    std::string type;
    profile::Meaning meaning = profile::Meaning::None;
    int score = 0; // of the guess; 0 where a person chose otherwise
    std::string reason;
    std::string warning;
    ValuesShown shown = ValuesShown::Values;
    QStringList values;
    bool inKey = false;
};

// The columns of a table that is being mapped.
class MappedColumnsModel final : public ListModel<MappedColumn> {
    Q_OBJECT

public:
    explicit MappedColumnsModel(MappingDraft& draft, QObject* parent = nullptr);

private:
    void follow();

    MappingDraft& m_draft;
};

// Rows as the mapping makes them. Of one kind of table: another one has other columns.
class PreviewModel final : public ListModel<Row> {
    Q_OBJECT

public:
    explicit PreviewModel(Kind kind, QObject* parent = nullptr);

    void show(const MappingPreview& preview);
    using ListModel::show;

protected:
    [[nodiscard]] QVariant mark(const Row& row, int role) const override;
    [[nodiscard]] bool hasField(const Column<Row>& column) const override;

private:
    std::vector<std::string> m_fields;
};

} // namespace fencepost::models
