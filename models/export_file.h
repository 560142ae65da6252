// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

namespace fencepost::models {

// A file that grows for a long time and has its name only when it is whole: written to PATH.part, which only its owner
// may read, flushed to the disk and renamed by commit(). What is left of one that was killed is written over by the
// next; two at a time are refused.
class ExportFile {
public:
    enum class Existing { Refuse, Replace };

    static Result<std::unique_ptr<ExportFile>> create(const std::string& path, Existing existing);
    ~ExportFile(); // without a commit nothing is left
    ExportFile(const ExportFile&) = delete;
    ExportFile& operator=(const ExportFile&) = delete;

    Status write(std::string_view text);
    Status commit();
    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] const std::string& partPath() const { return m_part; }

private:
    ExportFile(std::string path, Existing existing);

    Status begin();
    [[nodiscard]] Error failed(const std::string& what) const;
    [[nodiscard]] Status renamed() const;

    std::string m_path;
    std::string m_part;
    Existing m_existing;
    int m_file = -1;
    bool m_mine = false; // the part is this object's
};

} // namespace fencepost::models
