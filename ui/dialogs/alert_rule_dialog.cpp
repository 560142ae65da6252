// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/alert_rule_dialog.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/forensics/alert.h"
#include "ui/theme.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int alertRuleWidth = 560;

}

AlertRuleDialog::AlertRuleDialog(const Theme& theme, const QString& rule, Keep keep, QWidget* parent)
    : QDialog(parent)
    , m_keep(std::move(keep))
    , m_measure(new QComboBox(this))
    , m_rule(new QLineEdit(rule, this))
    , m_words(new PlainLabel(this))
    , m_save(new QPushButton(rule.isEmpty() ? tr("Add rule") : tr("Keep rule"), this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(rule.isEmpty() ? tr("Add an alert rule") : tr("Edit the alert rule"));
    auto* title = new PlainLabel(windowTitle(), this);
    title->setFont(theme.font(Text::Title));
    m_measure->setAccessibleName(tr("What is watched"));
    m_measure->addItem(tr("Choose what is watched…"));
    for (const auto& measure : alertMeasures())
        m_measure->addItem(tr("%1: %2").arg(text(measure.id), text(measure.title)), text(measure.example));
    m_rule->setFont(theme.font(Text::Mono));
    m_rule->setPlaceholderText(tr("dead_letters > 20 in 5m"));
    m_rule->setAccessibleName(tr("Rule"));
    m_words->setWordWrap(true);
    m_words->setMinimumHeight(3 * m_words->fontMetrics().lineSpacing());
    m_words->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    setKind(m_save, "primary");
    auto* cancel = new QPushButton(tr("Cancel"), this);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_save);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, space::large, space::huge, space::large);
    layout->setSpacing(space::small);
    for (QWidget* widget : std::initializer_list<QWidget*>{ title, m_measure, m_rule, m_words })
        layout->addWidget(widget);
    layout->addLayout(buttons);
    setFixedWidth(alertRuleWidth);
    m_save->setDefault(true);
    cancel->setAutoDefault(false);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_save, &QPushButton::clicked, this, &AlertRuleDialog::keep);
    connect(m_rule, &QLineEdit::textChanged, this, &AlertRuleDialog::check);
    connect(m_measure, &QComboBox::activated, this, [this](int index) {
        if (index > 0)
            m_rule->setText(m_measure->itemData(index).toString());
        m_rule->setFocus();
    });
    check();
    m_rule->setFocus();
}

void AlertRuleDialog::check()
{
    const auto rule = parseAlertRule(m_rule->text().toStdString());
    m_save->setEnabled(rule.has_value());
    const bool empty = m_rule->text().trimmed().isEmpty();
    setTone(m_words, rule || empty ? "muted" : "warning");
    m_words->setText(rule ? tr("Told when %1 is over %2.")
                                .arg(text(rule->measure->title), text(alertValueInWords(*rule->measure, rule->above)))
            : empty
            ? tr("A measure, “>” and what it may not be over.")
            : tr("%1. As in: stuck > 10, oldest_lease > 5m, dead_letters > 20 in 5m.").arg(text(rule.error().message)));
}

void AlertRuleDialog::keep()
{
    if (const Status kept = m_keep(m_rule->text()); !kept) {
        setTone(m_words, "warning");
        return m_words->setText(tr("%1. Nothing was changed.").arg(text(kept.error().message)));
    }
    accept();
}

QString AlertRuleDialog::words() const
{
    return m_words->text();
}

} // namespace fencepost::ui
