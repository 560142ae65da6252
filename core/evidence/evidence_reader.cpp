// SPDX-License-Identifier: Apache-2.0
#include "core/evidence/evidence_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/evidence/line_reader.h"
#include "core/evidence/playbook_lines.h"
#include "core/protocol/digest.h"

namespace fencepost {

namespace {

using exchange::CsvReader;
using exchange::CsvRow;
using exchange::PlaybookFormat;
using exchange::PlaybookReader;

constexpr std::array<std::string_view, 4> formatWords{ "JSON lines", "retry log", "replay outcomes", "inbox" };
constexpr std::string_view cutOff = ", and is the last one, without its end";

EvidenceFormat formatOf(PlaybookFormat format)
{
    switch (format) {
    case PlaybookFormat::RetryLog:
        return EvidenceFormat::RetryLog;
    case PlaybookFormat::ReplayOutcomes:
        return EvidenceFormat::ReplayOutcomes;
    case PlaybookFormat::Inbox:
        return EvidenceFormat::Inbox;
    }
    return EvidenceFormat::JsonLines;
}

} // namespace

class EvidenceParser {
public:
    using Visit = EvidenceReader::Visit;
    virtual ~EvidenceParser() = default;
    virtual bool add(std::string_view piece, const Visit& visit) = 0;
    virtual bool finish(const Visit& visit) = 0;
    [[nodiscard]] virtual EvidenceFormat format() const = 0;
    [[nodiscard]] virtual Duration span() const { return {}; }
};

namespace {

class JsonLines final : public EvidenceParser {
public:
    bool add(std::string_view piece, const Visit& visit) override
    {
        return m_reader.add(piece, [&](const LineReader::Line& line) { return take(line, visit); });
    }
    bool finish(const Visit& visit) override
    {
        return m_reader.finish([&](const LineReader::Line& line) { return take(line, visit); });
    }
    [[nodiscard]] EvidenceFormat format() const override { return EvidenceFormat::JsonLines; }

private:
    bool take(const LineReader::Line& line, const Visit& visit)
    {
        if (line.text.empty() && !line.tooLong)
            return true;
        const bool first = std::exchange(m_first, false);
        EvidenceRow row{ .line = line.number };
        if (line.tooLong) {
            row.leftOut = "it is longer than 1 MiB";
            return visit(row);
        }
        auto parsed = parseLogLine(line.text);
        if (parsed) {
            row.digest = sha256(line.text);
            row.lines.push_back(std::move(*parsed));
        } else if (first && line.text.find('{') == std::string_view::npos) {
            row.leftOut = "it is neither a JSON object nor the header of one of the playbook's CSV files";
        } else {
            row.leftOut = parsed.error().message + std::string(line.ended ? "" : cutOff);
        }
        return visit(row);
    }

    LineReader m_reader;
    bool m_first = true;
};

class PlaybookCsv final : public EvidenceParser {
public:
    PlaybookCsv(PlaybookReader rows, const EvidenceReader::File& file)
        : m_rows(std::move(rows))
        , m_at(file.at)
        , m_retries(file.name, file.at)
    {
        // Every retry log of one attempt says the same: its name tells it from others.
        PartsDigest digest("fencepost evidence");
        digest.add(wordOf(format()));
        if (format() == EvidenceFormat::RetryLog)
            digest.add(file.name);
        m_told = digest.finish();
    }

    bool add(std::string_view piece, const Visit& visit) override
    {
        return m_reader.add(piece, [&](const CsvReader::Row& row) { return take(row, visit); });
    }
    bool finish(const Visit& visit) override
    {
        return m_reader.finish([&](const CsvReader::Row& row) { return take(row, visit); })
            && giveAttempt(std::exchange(m_attempt, {}), m_retries.finish(), visit);
    }
    [[nodiscard]] EvidenceFormat format() const override { return formatOf(m_rows.format()); }
    [[nodiscard]] Duration span() const override { return m_retries.span(); }

private:
    bool take(const CsvReader::Row& row, const Visit& visit)
    {
        if (!std::exchange(m_headerRead, true))
            return true;
        m_row = { .line = static_cast<std::int64_t>(row.line) };
        const auto leaveOut = [&](const std::string& why) {
            m_row.leftOut = why + std::string(row.ended ? "" : cutOff);
            return visit(m_row);
        };
        if (row.fault)
            return leaveOut(row.fault->what);
        if (std::any_of(row.cells.begin(), row.cells.end(),
                [](const auto& cell) { return cell.text.find('\0') != std::string::npos; }))
            return leaveOut("a cell has a NUL in it");
        const auto told = m_rows.read(row.cells);
        if (!told)
            return leaveOut(told.error().message);
        m_row.digest = digestUpTo(row.cells);
        if (const auto* attempt = std::get_if<exchange::RetryLogRow>(&*told)) {
            auto before = m_retries.add(m_row.line, *attempt);
            if (!before)
                return leaveOut(before.error().message);
            m_told = m_row.digest;
            return giveAttempt(std::exchange(m_attempt, std::move(m_row)), std::move(*before), visit);
        }
        m_told = m_row.digest;
        if (const auto* answer = std::get_if<exchange::ReplayRow>(&*told))
            m_row.lines.push_back(logLineOf(*answer, m_at));
        else
            m_row.delivery = std::get<exchange::InboxRow>(*told);
        return visit(m_row);
    }

    // Nothing, where no attempt was kept.
    static bool giveAttempt(EvidenceRow row, std::vector<LogLine> lines, const Visit& visit)
    {
        row.lines = std::move(lines);
        return row.lines.empty() || visit(row);
    }

    [[nodiscard]] Bytes digestUpTo(const CsvRow& cells) const
    {
        PartsDigest digest("fencepost evidence row");
        digest.add(m_told);
        for (const auto& cell : cells)
            digest.add(cell.text);
        return digest.finish();
    }

    PlaybookReader m_rows;
    CsvReader m_reader{ LineReader::longest };
    Time m_at;
    RetryLogLines m_retries;
    bool m_headerRead = false;
    EvidenceRow m_row; // that is being read
    Bytes m_told; // up to the row before
    EvidenceRow m_attempt; // that is kept until it is known what followed
};

std::unique_ptr<EvidenceParser> parserOf(std::string_view firstLine, const EvidenceReader::File& file)
{
    if (firstLine.ends_with('\r'))
        firstLine.remove_suffix(1);
    if (const auto rows = exchange::parseCsv(firstLine); rows && rows->size() == 1)
        if (auto reader = PlaybookReader::recognise(rows->front()))
            return std::make_unique<PlaybookCsv>(std::move(*reader), file);
    return std::make_unique<JsonLines>();
}

} // namespace

std::string_view wordOf(EvidenceFormat format) noexcept
{
    return formatWords[static_cast<std::size_t>(format)];
}

bool tellsTime(EvidenceFormat format) noexcept
{
    return format == EvidenceFormat::JsonLines || format == EvidenceFormat::Inbox;
}

EvidenceReader::EvidenceReader(File file)
    : m_file(std::move(file))
{
}

EvidenceReader::~EvidenceReader() = default;

bool EvidenceReader::add(std::string_view piece, const Visit& visit)
{
    if (m_parser)
        return m_parser->add(piece, visit);
    m_head += piece;
    const auto first = m_head.find_first_not_of("\r\n");
    const auto end = first == std::string::npos ? first : m_head.find('\n', first);
    if (end == std::string::npos && m_head.size() <= LineReader::longest)
        return true;
    return begin(
        first == std::string::npos ? std::string_view() : std::string_view(m_head).substr(first, end - first), visit);
}

bool EvidenceReader::begin(std::string_view firstLine, const Visit& visit)
{
    m_parser = parserOf(firstLine, m_file);
    return m_parser->add(std::exchange(m_head, {}), visit);
}

bool EvidenceReader::finish(const Visit& visit)
{
    if (!m_parser) {
        const auto first = std::min(m_head.find_first_not_of("\r\n"), m_head.size());
        if (!begin(std::string_view(m_head).substr(first), visit))
            return false;
    }
    return m_parser->finish(visit);
}

EvidenceFormat EvidenceReader::format() const
{
    return m_parser ? m_parser->format() : EvidenceFormat::JsonLines;
}

Duration EvidenceReader::span() const
{
    return m_parser ? m_parser->span() : Duration();
}

} // namespace fencepost
