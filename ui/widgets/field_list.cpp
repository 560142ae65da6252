// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/field_list.h"

#include <algorithm>

#include <QGridLayout>
#include <QLabel>

#include "ui/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/payload_text.h"
#include "ui/widgets/plain_label.h"

namespace fencepost::ui {

namespace {

// A label breaks lines at spaces only: what has none for so long is shown on one line instead.
bool breaks(const QString& text)
{
    constexpr qsizetype longest = 40;
    qsizetype run = 0;
    for (const QChar c : text) {
        run = c.isSpace() ? 0 : run + 1;
        if (run > longest)
            return false;
    }
    return true;
}

void showValue(QLabel& label, const FactLine& line)
{
    label.setText(visible(line.value));
    label.setAccessibleName(line.name + QStringLiteral(": ") + line.value.left(200));
}

QWidget* valueWidget(const Theme& theme, const FactLine& line, QWidget* parent)
{
    if (line.monospace || !breaks(line.value)) {
        auto* value = new ElidedLabel(theme, line.monospace, parent);
        value->setText(line.value);
        return value;
    }
    auto* value = new PlainLabel(parent);
    showValue(*value, line);
    value->setWordWrap(true);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    value->setAlignment(Qt::AlignLeft | Qt::AlignTop | Qt::AlignAbsolute);
    if (line.tone)
        setTone(value, line.tone);
    return value;
}

} // namespace

FieldList::FieldList(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(space::medium);
    m_grid->setVerticalSpacing(space::small - 2);
    m_grid->setColumnStretch(1, 1);
}

bool FieldList::fits(const std::vector<FactLine>& lines) const
{
    return std::equal(
        lines.begin(), lines.end(), m_lines.begin(), m_lines.end(), [](const FactLine& line, const Shown& shown) {
            const FactLine& before = shown.line;
            return line.name == before.name && line.beside.isEmpty() == before.beside.isEmpty()
                && line.monospace == before.monospace && breaks(line.value) == breaks(before.value)
                && QByteArray(line.tone) == QByteArray(before.tone);
        });
}

void FieldList::change(Shown& shown, const FactLine& line)
{
    if (line.value != shown.line.value) {
        if (auto* elided = qobject_cast<ElidedLabel*>(shown.value))
            elided->setText(line.value);
        else
            showValue(*static_cast<QLabel*>(shown.value), line);
    }
    if (shown.beside && line.beside != shown.line.beside)
        shown.beside->setText(line.beside);
    shown.line = line;
}

void FieldList::setLines(const std::vector<FactLine>& all)
{
    std::vector<FactLine> lines;
    std::copy_if(
        all.begin(), all.end(), std::back_inserter(lines), [](const FactLine& line) { return !line.value.isEmpty(); });
    if (fits(lines)) {
        for (std::size_t row = 0; row < lines.size(); ++row)
            change(m_lines[row], lines[row]);
        return;
    }
    while (auto* item = m_grid->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_lines.clear();
    for (const auto& line : lines)
        addLine(line);
    m_grid->setRowStretch(m_grid->rowCount(), 1);
}

void FieldList::addLine(const FactLine& line)
{
    const int row = int(m_lines.size());
    auto* name = new PlainLabel(line.name, this);
    setTone(name, "muted");
    name->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    auto* value = valueWidget(m_theme, line, this);
    m_lines.push_back({ line, value });
    // One line of another font beside the name: centred, and no taller than the other rows.
    const bool elided = qobject_cast<ElidedLabel*>(value) != nullptr;
    if (elided)
        value->setFixedHeight(std::max(name->sizeHint().height(), value->fontMetrics().height()));
    m_grid->addWidget(name, row, 0, elided ? Qt::AlignVCenter : Qt::Alignment());
    m_grid->addWidget(value, row, 1, 1, line.beside.isEmpty() ? 2 : 1);
    if (line.beside.isEmpty())
        return;
    auto* beside = new PlainLabel(line.beside, this);
    beside->setFont(m_theme.font(Text::Caption));
    beside->setAlignment(Qt::AlignRight | Qt::AlignTop);
    setTone(beside, "muted");
    m_grid->addWidget(beside, row, 2);
    m_lines.back().beside = beside;
}

QString FieldList::valueOf(const QString& name) const
{
    for (const auto& shown : m_lines)
        if (shown.line.name == name)
            return shown.line.value;
    return {};
}

} // namespace fencepost::ui
