// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/plan_review.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <QBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QTabWidget>

#include "models/visible_text.h"
#include "ui/theme.h"
#include "ui/widgets/payload_text.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/state_label.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr std::size_t sampleSize = 10;

QLabel* words(QWidget* parent)
{
    auto* label = new PlainLabel(parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

// Spread over the whole plan, so that the sample is not just its first page.
std::vector<std::size_t> sampleOf(std::size_t size)
{
    std::vector<std::size_t> chosen;
    const auto count = std::min(size, sampleSize);
    for (std::size_t i = 0; i < count; ++i)
        chosen.push_back(i * size / count);
    return chosen;
}

} // namespace

PlanReview::PlanReview(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_headline(words(this))
    , m_effect(words(this))
    , m_inverse(words(this))
    , m_warning(words(this))
    , m_states(new QHBoxLayout)
    , m_tabs(new QTabWidget(this))
    , m_sample(new PlainTable(theme,
          { { tr("Key"), 176, true }, { tr("State"), 150, false, true }, { tr("Fence"), 76 },
              { .title = tr("What will happen"), .width = 0, .wrap = true } },
          this))
    , m_leftOut(new PlainTable(theme, { { tr("Key"), 220, true }, { tr("Why it is left out"), 0 } }, this))
    , m_statement(new QPlainTextEdit(this))
{
    m_headline->setFont(theme.font(Text::Strong));
    setTone(m_inverse, "muted");
    setTone(m_warning, "warning");
    m_statement->setReadOnly(true);
    m_statement->setFont(theme.font(Text::Mono));
    setPart(m_statement, "code");
    m_sample->setAccessibleName(tr("Sample of the plan"));
    m_leftOut->setAccessibleName(tr("Rows left out"));
    m_statement->setAccessibleName(tr("Statement"));
    m_states->setSpacing(space::large);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_sample, {});
    m_tabs->addTab(m_leftOut, {});
    m_tabs->addTab(m_statement, tr("SQL"));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::small);
    auto* line = new QHBoxLayout;
    line->addWidget(m_headline, 1);
    line->addLayout(m_states);
    layout->addLayout(line);
    layout->addWidget(m_effect);
    layout->addWidget(m_inverse);
    layout->addWidget(m_warning);
    layout->addWidget(m_tabs, 1);
}

void PlanReview::setPlan(const Plan& plan, const models::Zone& zone)
{
    const auto size = std::int64_t(plan.items.size());
    m_headline->setText(
        tr("Frozen at %1: %2")
            .arg(zone.format(plan.createdAt, models::Precision::Seconds), counted(size, tr("row"), tr("rows"))));
    m_effect->setText(visible(text(plan.effect)));
    m_inverse->setText(tr("Undo · %1").arg(text(plan.inverse)));
    showStates(plan);
    showWarnings(plan);

    std::vector<QStringList> sample;
    for (const auto at : sampleOf(plan.items.size())) {
        const auto& item = plan.items[at];
        const auto effect =
            item.warning.empty() ? sentence(item.effect) : tr("%1 — %2").arg(sentence(item.effect), text(item.warning));
        sample.push_back({ models::visibleText(item.key), text(item.state),
            item.fence ? QString::number(*item.fence) : QString(), effect });
    }
    m_sample->setLines(sample);
    // Messages have none: the words take its place.
    constexpr int fenceColumn = 2;
    m_sample->setColumnHidden(fenceColumn, std::none_of(plan.items.begin(), plan.items.end(), [](const PlanItem& item) {
        return item.fence.has_value();
    }));
    constexpr std::size_t shown = 1000;
    std::vector<QStringList> left;
    for (std::size_t i = 0; i < std::min(plan.leftOut.size(), shown); ++i)
        left.push_back({ models::visibleText(plan.leftOut[i].key), sentence(plan.leftOut[i].why) });
    m_leftOut->setLines(left);
    m_statement->setPlainText(text(plan.sql));
    m_tabs->setTabText(0, plan.items.size() > sampleSize ? tr("Sample of %1").arg(sampleSize) : tr("Rows"));
    m_tabs->setTabText(1, tr("Left out (%1)").arg(numberText(std::int64_t(plan.leftOut.size()))));
    showLeftOut(!plan.leftOut.empty());
    if (plan.items.empty() && !plan.leftOut.empty())
        m_tabs->setCurrentIndex(1);
}

// Whoever reads what is left out goes on there, though it was empty for a moment while a reason was typed.
void PlanReview::showLeftOut(bool any)
{
    constexpr int rows = 0;
    constexpr int leftOut = 1;
    if (!any && m_tabs->currentIndex() == leftOut) {
        m_tabs->setCurrentIndex(rows);
        m_backToLeftOut = true;
    }
    m_tabs->setTabVisible(leftOut, any);
    if (any && std::exchange(m_backToLeftOut, false) && m_tabs->currentIndex() == rows)
        m_tabs->setCurrentIndex(leftOut);
}

void PlanReview::showStates(const Plan& plan)
{
    while (auto* item = m_states->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const auto& [state, count] : plan.countsByState) {
        auto* label = new StateLabel(m_theme, this);
        label->setState(state);
        auto* number = new PlainLabel(numberText(count), this);
        number->setFont(m_theme.font(Text::Strong));
        m_states->addWidget(number);
        m_states->addWidget(label);
    }
}

// Of the table, then of its rows: one line for each kind, with the words of one of its rows. Rows of a kind differ in
// how long a lease still lives, or in what stands in parentheses.
void PlanReview::showWarnings(const Plan& plan)
{
    struct WarnedRows {
        QString words;
        std::int64_t rows = 0;
        bool alike = true;
    };
    constexpr std::size_t shownKinds = 4;
    const QRegularExpression details(QStringLiteral("\\([^)]*\\)|[0-9][0-9a-zµ. ]*"));
    std::map<QString, WarnedRows> kinds;
    for (const auto& item : plan.items) {
        if (item.warning.empty())
            continue;
        const auto words = text(item.warning);
        auto& kind = kinds[QString(words).remove(details)];
        kind.alike = kind.alike && (kind.rows == 0 || kind.words == words);
        if (kind.rows++ == 0)
            kind.words = words;
    }
    QStringList lines;
    for (const auto& warning : plan.warnings)
        lines += visible(sentence(warning));
    std::vector<const WarnedRows*> most;
    for (const auto& [key, kind] : kinds)
        most.push_back(&kind);
    std::stable_sort(most.begin(), most.end(), [](const auto* a, const auto* b) { return a->rows > b->rows; });
    std::int64_t others = 0;
    for (std::size_t i = 0; i < most.size(); ++i) {
        if (i >= shownKinds) {
            others += most[i]->rows;
            continue;
        }
        lines += tr("%1 of %2: %3")
                     .arg(numberText(most[i]->rows), numberText(std::int64_t(plan.items.size())),
                         most[i]->alike ? most[i]->words : tr("%1; and others like it").arg(most[i]->words));
    }
    if (others > 0)
        lines += tr("%1 with other warnings").arg(counted(others, tr("row"), tr("rows")));
    m_warning->setText(lines.join(u'\n'));
    m_warning->setVisible(!lines.isEmpty());
}

QString PlanReview::warning() const
{
    return m_warning->text();
}

QString PlanReview::headline() const
{
    return m_headline->text();
}

} // namespace fencepost::ui
