// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <QBoxLayout>
#include <QPushButton>
#include <QTabWidget>

#include "models/filter_term.h"
#include "models/session.h"
#include "models/visible_text.h"
#include "models/zone.h"
#include "ui/pages/record_dossier.h"
#include "ui/theme.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/plain_table.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int relativesPerTable = 20;

} // namespace

QWidget* RecordDossier::buildRelated()
{
    m_relatedPage = new QWidget(this);
    auto* column = new QVBoxLayout(m_relatedPage);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_related, 1);
    auto* links = new QVBoxLayout;
    links->setContentsMargins(space::large, space::tiny, space::large, space::medium);
    links->setSpacing(0);
    column->addLayout(links);
    for (auto* button : { m_sameOwner, m_sameHash }) {
        setKind(button, "link");
        button->setCursor(Qt::PointingHandCursor);
        links->addWidget(button, 0, Qt::AlignLeft);
    }
    connect(m_sameOwner, &QPushButton::clicked, this, [this] { openAlike(Field::Owner, m_details->row.owner); });
    connect(m_sameHash, &QPushButton::clicked, this, [this] { openAlike(Field::Hash, m_details->row.requestHash); });
    return m_relatedPage;
}

// The records that share this value, as the page of all of them.
void RecordDossier::openAlike(Field field, const std::optional<std::string>& value)
{
    if (!value)
        return;
    m_context.navigation.open("keys", text(m_binding->name), models::equalTerm(field, *value));
}

// Other tables are asked only when somebody wants to see them.
void RecordDossier::loadRelatives()
{
    if (!m_details || m_tabs->currentWidget() != m_relatedPage)
        return;
    const bool keys = m_binding->kind == Kind::Idempotency;
    m_sameOwner->setVisible(keys && m_details->row.owner.has_value());
    m_sameHash->setVisible(keys && m_details->row.requestHash.has_value());
    std::vector<Binding> others;
    for (const auto& binding : m_context.session->bindings())
        others.push_back(*binding);
    m_loadRelatives.start(
        m_context.session->reads(),
        [others, row = m_details->row, own = m_binding->name](Backend& backend) -> Result<std::vector<Relative>> {
            std::vector<Relative> relatives;
            const auto isKnown = [&](const Binding& binding, const Row& found) {
                return (binding.name == own && found.identity == row.identity)
                    || std::any_of(relatives.begin(), relatives.end(), [&](const Relative& relative) {
                           return relative.binding == binding.name && relative.row.identity == found.identity;
                       });
            };
            std::vector<std::pair<Kinship, FilterPtr>> questions{ { Kinship::Key,
                models::equalTo(Field::Key, row.key) } };
            if (row.correlationId)
                questions.emplace_back(Kinship::Correlation, models::equalTo(Field::Correlation, *row.correlationId));
            for (const auto& [kinship, filter] : questions)
                for (const auto& binding : others) {
                    PageRequest request;
                    request.filter = filter;
                    request.limit = relativesPerTable;
                    auto page = backend.inspector().page(binding, request);
                    if (!page)
                        continue; // a table that cannot be read has no say in what the others hold
                    for (auto& found : page->rows)
                        if (!isKnown(binding, found))
                            relatives.push_back({ binding.name, std::move(found), kinship });
                }
            return relatives;
        },
        [this](const Result<std::vector<Relative>>& answer) {
            if (answer)
                showRelatives(*answer);
            else
                m_banner->report(tr("look for related records"), answer.error());
        });
}

void RecordDossier::showRelatives(const std::vector<Relative>& relatives)
{
    m_relatives = relatives;
    std::vector<QStringList> lines;
    for (const auto& relative : relatives) {
        const auto& row = relative.row;
        QStringList why{ relative.kinship == Kinship::Key ? tr("The same key") : tr("The same correlation id") };
        if (relative.kinship != Kinship::Key)
            why += elidedId(models::visibleText(row.key));
        if (row.createdAt)
            why += tr("created %1").arg(models::relativeText(*row.createdAt, databaseNow()));
        lines.push_back({ text(relative.binding), text(row.state), why.join(QStringLiteral(", ")) });
    }
    m_related->setLines(lines);
}

} // namespace fencepost::ui
