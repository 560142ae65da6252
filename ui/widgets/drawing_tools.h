// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include <QWidget>

#include "core/result.h"

namespace fencepost::ui {

class Drawing;

// What every drawing offers beside it: smaller, larger, as large as there is room for, and a file of it.
class DrawingTools final : public QWidget {
    Q_OBJECT
public:
    // `drawing` outlives this.
    DrawingTools(Drawing& drawing, QWidget* parent);

    // Of a file: what it says, made when it is saved, and what it is called unless somebody says otherwise.
    void setTitle(std::function<QString()> title, const QString& fileName);
    // SVG or PNG, by the name's end.
    void save(const QString& path);

Q_SIGNALS:
    void saved(const QString& path);
    void failed(const fencepost::Error& error);

private:
    void askForFile(const QString& suffix);

    Drawing& m_drawing;
    std::function<QString()> m_title;
    QString m_fileName;
};

} // namespace fencepost::ui
