// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/inspector.h"
#include "models/zone.h"

namespace fencepost::models {

enum class ExportFormat { Csv, JsonLines, Markdown };

struct ExportFormatEntry {
    ExportFormat format;
    const char* id; // as the command line spells it
    const char* title;
    const char* suffix; // of its files
};

// In the order in which they are offered.
[[nodiscard]] std::span<const ExportFormatEntry> exportFormats() noexcept;

struct ExportRequest {
    Binding binding;
    FilterPtr filter; // none: all rows
    std::string order; // of Binding::orders; empty: the first
    bool descending = true;
    ExportFormat format = ExportFormat::Csv;
    std::vector<std::string> columns; // their ids; empty: all that the table has
    Zone zone = Zone::utc();
};

// Every row that matches as text, page by page, in the memory of one page. What the grid hides is hidden: secrets in
// errors and extra columns, credentials in URLs. Lives on the thread of its inspector once it is made.
class RowExport {
public:
    // Invalid: there is no such column, or the table is not ordered by that.
    static Result<std::unique_ptr<RowExport>> create(ExportRequest request);
    virtual ~RowExport();

    // The text of the next page; the first begins with the head of the table.
    Result<std::string> next(Inspector& inspector);
    [[nodiscard]] bool isDone() const { return m_done; }
    [[nodiscard]] std::int64_t rows() const { return m_rows; }
    // The database's clock when the first and the last page were read.
    [[nodiscard]] Time began() const { return m_began; }
    [[nodiscard]] Time ended() const { return m_ended; }

protected:
    explicit RowExport(ExportRequest request);

    [[nodiscard]] const ExportRequest& request() const { return m_request; }
    [[nodiscard]] virtual std::string head() const = 0;
    [[nodiscard]] virtual std::string line(const Row& row, const Cursor& cursor, Time now) const = 0;

private:
    ExportRequest m_request;
    PageRequest m_page;
    bool m_started = false;
    bool m_done = false;
    std::int64_t m_rows = 0;
    Time m_began;
    Time m_ended;
};

} // namespace fencepost::models
