// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/rows_model.h"

namespace fencepost::models {

// A table that is held as a whole: a plan, a journal, the connections.
template <typename Row> class ListModel : public RowsModel<Row> {
public:
    using Base = RowsModel<Row>;
    using IdentityOf = Identity (*)(const Row&);

    ListModel(std::span<const Column<Row>> columns, IdentityOf identity, QObject* parent = nullptr)
        : Base(columns, parent)
        , m_identity(identity)
    {
    }

    // Rows of the same identities in the same order are changed in place, so that a view keeps its place.
    void setRows(std::vector<Row> rows, Time now)
    {
        m_error.reset();
        m_loaded = true;
        this->m_loadedAt = now;
        this->m_display.now = now;
        if (sameIdentities(rows)) {
            for (std::size_t i = 0; i < rows.size(); ++i)
                this->m_rows[i].row = std::move(rows[i]);
            if (!this->m_rows.empty())
                Q_EMIT this->dataChanged(this->index(0, 0), this->index(this->rowCount() - 1, this->columnCount() - 1));
        } else {
            this->beginResetModel();
            this->m_rows.clear();
            for (auto& row : rows)
                this->m_rows.push_back({ .row = std::move(row) });
            this->m_sortedLocally = false;
            this->endResetModel();
            this->clearSelection();
        }
        Q_EMIT this->statusChanged();
        Q_EMIT this->loaded();
    }
    void append(std::vector<Row> rows)
    {
        m_loaded = true;
        if (rows.empty())
            return;
        const int first = this->rowCount();
        this->beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
        for (auto& row : rows)
            this->m_rows.push_back({ .row = std::move(row) });
        this->endInsertRows();
        Q_EMIT this->statusChanged();
    }
    // Rows already shown stay.
    void setError(const Error& error)
    {
        m_error = error;
        Q_EMIT this->statusChanged();
        Q_EMIT this->failed(error);
    }

    [[nodiscard]] bool isWhole() const override { return true; }
    [[nodiscard]] Emptiness emptiness() const override
    {
        Emptiness empty{ .error = m_error, .asOf = this->m_loadedAt };
        if (this->rowCount() > 0)
            empty.kind = Emptiness::Kind::Rows;
        else if (m_error)
            empty.kind = emptinessOf(*m_error);
        else
            empty.kind = m_loaded ? Emptiness::Kind::NoRows : Emptiness::Kind::Loading;
        return empty;
    }
    [[nodiscard]] bool stale() const override { return m_error && this->rowCount() > 0; }
    [[nodiscard]] std::optional<Error> error() const override { return m_error; }

protected:
    [[nodiscard]] Identity identityAt(int row) const override { return m_identity(this->rowAt(row)); }
    [[nodiscard]] QVariant mark(const Row& row, int role) const override
    {
        if (role != RowsModelBase::IdentityRole)
            return {};
        QStringList identity;
        for (const auto& part : m_identity(row))
            identity.append(QString::fromStdString(part));
        return identity;
    }

private:
    [[nodiscard]] bool sameIdentities(const std::vector<Row>& rows) const
    {
        if (!m_loaded || rows.empty() || rows.size() != this->m_rows.size() || this->m_sortedLocally)
            return false;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (m_identity(rows[i]) != m_identity(this->m_rows[i].row))
                return false;
        }
        return true;
    }

    IdentityOf m_identity;
    std::optional<Error> m_error;
    bool m_loaded = false;
};

} // namespace fencepost::models
