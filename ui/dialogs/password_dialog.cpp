// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/password_dialog.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/wrapped.h"

namespace fencepost::ui {

namespace {

constexpr int passwordWidth = 480;

}

PasswordDialog::PasswordDialog(
    const Theme& theme, const models::Connection& connection, const QString& why, Keychain keychain, QWidget* parent)
    : QDialog(parent)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Password of %1").arg(connection.name));
    auto* band = new EnvironmentBand(theme, this);
    band->show(models::wordOf(connection.environment), connection.name);
    auto* title = new PlainLabel(windowTitle(), this);
    title->setFont(theme.font(Text::Title));
    auto* reason = new PlainLabel(why, this);
    wrapWithin(*reason, passwordWidth - 2 * space::huge);
    auto* field = new QLineEdit(this);
    field->setEchoMode(QLineEdit::Password);
    field->setAccessibleName(tr("Password"));
    auto* keep = new QCheckBox(tr("Keep it in the system's keychain"), this);
    keep->setVisible(keychain == Keychain::Usable);
    auto* place =
        new PlainLabel(tr("No keychain is running: the password stays in memory until the connection is closed, "
                          "and is never written to a file."),
            this);
    wrapWithin(*place, passwordWidth - 2 * space::huge);
    place->setVisible(keychain != Keychain::Usable);
    setTone(place, "muted");
    auto* cancel = new QPushButton(tr("Cancel"), this);
    auto* connectButton = new QPushButton(tr("Connect to %1").arg(connection.name), this);
    setKind(connectButton, "primary");
    connectButton->setDefault(true);
    connectButton->setEnabled(false);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(connectButton);
    auto* body = new QVBoxLayout;
    body->setContentsMargins(space::huge, space::large, space::huge, space::large);
    body->setSpacing(space::medium);
    for (QWidget* part : std::initializer_list<QWidget*>{ title, reason, field, keep, place })
        body->addWidget(part);
    body->addLayout(buttons);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(band);
    layout->addLayout(body);
    setFixedWidth(passwordWidth);
    connect(field, &QLineEdit::textChanged, connectButton,
        [connectButton](const QString& typed) { connectButton->setEnabled(!typed.isEmpty()); });
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(connectButton, &QPushButton::clicked, this, [this, field, keep] {
        const QString password = field->text();
        accept();
        Q_EMIT given(password, keep->isVisible() && keep->isChecked());
    });
    field->setFocus();
}

} // namespace fencepost::ui
