// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/drawing_tools.h"

#include <QBoxLayout>
#include <QRegularExpression>
#include <QToolButton>

#include "ui/theme.h"
#include "ui/widgets/drawing.h"
#include "ui/widgets/file_chooser.h"

namespace fencepost::ui {

DrawingTools::DrawingTools(Drawing& drawing, QWidget* parent)
    : QWidget(parent)
    , m_drawing(drawing)
{
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::small);
    const auto add = [&](const QString& words, const QString& name, const std::function<void()>& act) {
        auto* button = new QToolButton(this);
        button->setText(words);
        button->setToolTip(name);
        button->setAccessibleName(name);
        setWords(*button, true);
        line->addWidget(button);
        connect(button, &QToolButton::clicked, this, act);
    };
    add(QStringLiteral("−"), tr("Smaller (minus)"), [this] { m_drawing.zoomOut(); });
    add(tr("Fit"), tr("As large as there is room for (0)"), [this] { m_drawing.setZoom(1); });
    add(QStringLiteral("+"), tr("Larger (plus, or Ctrl and the wheel)"), [this] { m_drawing.zoomIn(); });
    add(tr("SVG…"), tr("Save the diagram as SVG"), [this] { askForFile(QStringLiteral("svg")); });
    add(tr("PNG…"), tr("Save the diagram as PNG"), [this] { askForFile(QStringLiteral("png")); });
}

void DrawingTools::setTitle(std::function<QString()> title, const QString& fileName)
{
    m_title = std::move(title);
    static const QRegularExpression unfit(QStringLiteral("[^\\w.-]+"));
    m_fileName = QString(fileName).replace(unfit, QStringLiteral("_"));
}

void DrawingTools::askForFile(const QString& suffix)
{
    auto* chooser = newFileChooser(this, tr("Save the diagram"));
    chooser->setAcceptMode(QFileDialog::AcceptSave);
    chooser->setDefaultSuffix(suffix);
    chooser->setNameFilter(tr("Diagrams (*.%1)").arg(suffix));
    chooser->selectFile(m_fileName + u'.' + suffix);
    connect(chooser, &QFileDialog::fileSelected, this, [this, suffix](const QString& path) {
        save(path.endsWith(u'.' + suffix, Qt::CaseInsensitive) ? path : path + u'.' + suffix);
    });
    chooser->open();
}

void DrawingTools::save(const QString& path)
{
    if (const auto done = m_drawing.save(path, m_title ? m_title() : QString()); !done)
        Q_EMIT failed(done.error());
    else
        Q_EMIT saved(path);
}

} // namespace fencepost::ui
