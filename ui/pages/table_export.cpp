// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/session.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/file_chooser.h"
#include "ui/words.h"

namespace fencepost::ui {

// Everything that matches, whether it is selected or not.
void TablePage::exportRows()
{
    if (!m_model->binding())
        return;
    const auto& binding = *m_model->binding();
    const auto size = m_model->estimatedSize();
    QStringList titles;
    models::ExportRequest request{ .binding = binding,
        .filter = m_model->filter(),
        .order = m_model->order().toStdString(),
        .descending = m_model->descending() };
    for (const auto& id : shownColumns())
        for (const auto& column : m_model->columns())
            if (id == QLatin1String(column.id)) {
                request.columns.emplace_back(column.id);
                titles += text(column.title);
            }
    const auto count = isUnknown(size) ? QString() : rowsText(size);
    auto* dialog = new ExportDialog(m_context.theme, m_context.session->reads(),
        { .request = std::move(request),
            .title = tr("Export %1").arg(m_traits.rows),
            .filter = m_model->filterText().isEmpty() ? tr("none: all rows") : m_model->filterText(),
            .rows = count,
            .order =
                tr("%1, %2").arg(m_model->order(), m_model->descending() ? tr("largest first") : tr("smallest first")),
            .columns = titles.join(QStringLiteral(", ")),
            .expected = isUnknown(size) ? 0 : size.value,
            .folder = folderForFiles() },
        this);
    connect(
        dialog, &ExportDialog::exported, this, [this](const QString& sentence) { m_context.navigation.log(sentence); });
    dialog->open();
}

} // namespace fencepost::ui
