// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/alert_delivery_dialog.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QVBoxLayout>

#include "models/alert_board.h"
#include "ui/theme.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int alertDeliveryWidth = 560;

}

AlertDeliveryDialog::AlertDeliveryDialog(const Theme& theme, Workspace& workspace, QWidget* parent)
    : QDialog(parent)
    , m_workspace(workspace)
    , m_webhook(new QLineEdit(workspace.alerts()->setup().webhook, this))
    , m_secret(new QLineEdit(this))
    , m_forget(new QCheckBox(tr("Sign nothing: forget the secret that is kept"), this))
    , m_sound(new QCheckBox(tr("With a sound"), this))
    , m_words(new PlainLabel(this))
    , m_save(new QPushButton(tr("Keep"), this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Who is told of alerts"));
    auto* title = new PlainLabel(windowTitle(), this);
    title->setFont(theme.font(Text::Title));
    const auto labelled = [this](const QString& words, QLineEdit* field) {
        auto* label = new PlainLabel(words, this);
        label->setBuddy(field);
        setTone(label, "muted");
        field->setAccessibleName(words);
        return label;
    };
    auto* webhook = labelled(tr("Webhook"), m_webhook);
    m_webhook->setPlaceholderText(tr("https://alerts.example.org/fencepost — none"));
    auto* secret = labelled(tr("Secret that signs it"), m_secret);
    m_secret->setEchoMode(QLineEdit::Password);
    m_secret->setPlaceholderText(tr("whsec_… — unchanged"));
    m_sound->setChecked(workspace.alerts()->setup().sound);
    m_words->setWordWrap(true);
    m_words->setMinimumHeight(3 * m_words->fontMetrics().lineSpacing());
    m_words->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_words->setText(workspace.keychain() == Keychain::Missing
            ? tr("There is no keychain here: a secret lives as long as this window.")
            : tr("The secret is kept in the keychain, the address in the settings."));
    setTone(m_words, "muted");
    setKind(m_save, "primary");
    auto* cancel = new QPushButton(tr("Cancel"), this);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_save);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, space::large, space::huge, space::large);
    layout->setSpacing(space::small);
    for (QWidget* widget :
        std::initializer_list<QWidget*>{ title, webhook, m_webhook, secret, m_secret, m_forget, m_sound, m_words })
        layout->addWidget(widget);
    layout->addLayout(buttons);
    setFixedWidth(alertDeliveryWidth);
    m_save->setDefault(true);
    cancel->setAutoDefault(false);
    connect(m_forget, &QCheckBox::toggled, m_secret, &QLineEdit::setDisabled);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_save, &QPushButton::clicked, this, &AlertDeliveryDialog::keep);
    m_webhook->setFocus();
}

void AlertDeliveryDialog::keep()
{
    const QString url = m_webhook->text().trimmed();
    if (const Status checked = m_workspace.checkWebhook(url, m_secret->text()); !checked)
        return refuse(checked.error());
    const bool changes = m_forget->isChecked() || !m_secret->text().isEmpty();
    m_workspace.alerts()->setDelivery(url, m_sound->isChecked());
    if (!changes)
        return accept();
    const QString secret = m_forget->isChecked() ? QString() : m_secret->text();
    m_secret->clear();
    m_save->setEnabled(false);
    m_workspace.keepWebhookSecret(secret, [guard = QPointer(this)](const Status& written) {
        if (!guard)
            return;
        guard->m_save->setEnabled(true);
        if (written)
            return guard->accept();
        setTone(guard->m_words, "warning");
        guard->m_words->setText(tr("The keychain did not take the secret: %1 It lives as long as this window.")
                                    .arg(withStop(text(written.error().message))));
    });
}

void AlertDeliveryDialog::refuse(const Error& error)
{
    setTone(m_words, "warning");
    m_words->setText(tr("%1 Nothing was changed.").arg(withStop(text(error.message))));
}

QString AlertDeliveryDialog::words() const
{
    return m_words->text();
}

} // namespace fencepost::ui
