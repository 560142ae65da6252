// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/arm_dialog.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>

#include "models/drafts.h"
#include "models/session.h"
#include "ui/dialogs/field_name.h"
#include "ui/theme.h"
#include "ui/widgets/environment_band.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/wrapped.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int armWidth = 540;
constexpr int minutesOffered[] = { 5, 15, 30, 60 };
constexpr std::chrono::milliseconds keepDelay{ 250 };
constexpr auto minutesOfDraft = "minutes";

} // namespace

ArmDialog::ArmDialog(const Theme& theme, models::Session& session, const models::Drafts* drafts, QWidget* parent)
    : QDialog(parent)
    , m_session(session)
    , m_banner(new ErrorBanner(theme, this))
    , m_duration(new QComboBox(this))
    , m_reason(new QLineEdit(this))
    , m_arm(new QPushButton(this))
    , m_drafts(drafts)
    , m_subject{ session.status().name, QStringLiteral("arm") }
{
    const models::SessionStatus status = session.status();
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Arm %1").arg(status.name));
    auto* band = new EnvironmentBand(theme, this);
    band->show(models::wordOf(status.environment), status.name);
    auto* title = new PlainLabel(tr("Arm %1 for writing").arg(status.name), this);
    title->setFont(theme.font(Text::Title));
    auto* note = new PlainLabel(
        tr("A second connection that may write is opened for that long. Nothing is changed by arming: every operation "
           "still shows its plan and asks. It disarms when the time is over, when the console is idle and when the "
           "computer sleeps. The arming is written to the audit."),
        this);
    setTone(note, "muted");
    wrapWithin(*note, armWidth - 2 * space::huge);
    for (const int minutes : minutesOffered)
        m_duration->addItem(tr("%1 minutes").arg(minutes), minutes);
    m_duration->setCurrentIndex(1);
    m_duration->setAccessibleName(tr("Arm for"));
    m_reason->setAccessibleName(tr("Because"));
    m_reason->setPlaceholderText(tr("INC-4211: release keys of the crashed worker"));
    setKind(m_arm, "danger");
    auto* cancel = new QPushButton(tr("Cancel"), this);

    auto* form = new QFormLayout;
    form->setHorizontalSpacing(space::medium);
    form->setVerticalSpacing(space::small);
    form->addRow(fieldName(tr("Arm for"), m_duration), m_duration);
    form->addRow(fieldName(tr("because"), m_reason), m_reason);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_arm);
    auto* body = new QVBoxLayout;
    body->setContentsMargins(space::huge, space::large, space::huge, space::huge);
    body->setSpacing(space::medium);
    body->addWidget(title);
    body->addWidget(note);
    body->addLayout(form);
    body->addWidget(m_banner);
    body->addSpacing(space::small);
    body->addLayout(buttons);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(band);
    layout->addLayout(body);
    // As wide as the note, as high as what it says, also when the banner comes or goes.
    note->setFixedWidth(armWidth - 2 * space::huge);
    layout->setSizeConstraint(QLayout::SetFixedSize);

    m_arm->setAutoDefault(false);
    cancel->setDefault(true);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connectAll();
    restoreDraft();
    showButton();
    m_reason->setFocus();
}

void ArmDialog::connectAll()
{
    connect(m_arm, &QPushButton::clicked, this, &ArmDialog::arm);
    connect(m_reason, &QLineEdit::textChanged, this, &ArmDialog::showButton);
    connect(m_duration, &QComboBox::currentIndexChanged, this, &ArmDialog::showButton);
    connect(&m_session, &models::Session::armingChanged, this, [this](models::Arming arming) {
        if (arming == models::Arming::Armed)
            accept();
        showButton();
    });
    connect(&m_session, &models::Session::armingFailed, this,
        [this](const Error& error) { m_banner->report(tr("arm the connection"), error); });
    // Without its connection nothing can be armed; what was typed waits for the next one.
    connect(&m_session, &QObject::destroyed, this, [this] {
        keepDraft();
        m_drafts = nullptr;
        reject();
    });
    connect(this, &QDialog::finished, this, &ArmDialog::dropDraft);
    m_draftDue.setSingleShot(true);
    m_draftDue.setInterval(keepDelay);
    connect(&m_draftDue, &QTimer::timeout, this, &ArmDialog::keepDraft);
    const auto due = [this] {
        if (!m_draftDue.isActive())
            m_draftDue.start();
    };
    connect(m_reason, &QLineEdit::textEdited, this, due);
    connect(m_duration, &QComboBox::activated, this, due);
}

void ArmDialog::restoreDraft()
{
    const auto draft = m_drafts ? m_drafts->find(m_subject) : std::nullopt;
    if (!draft)
        return;
    m_reason->setText(draft->reason);
    // A dialog selects the field that it begins with; the next letter would replace what was restored.
    QMetaObject::invokeMethod(
        m_reason, [reason = m_reason] { reason->end(false); }, Qt::QueuedConnection);
    const auto minutes = draft->parameters.find(minutesOfDraft);
    const int chosen = minutes == draft->parameters.end() ? -1 : m_duration->findData(text(minutes->second).toInt());
    m_duration->setCurrentIndex(chosen < 0 ? m_duration->currentIndex() : chosen);
    m_banner->tell("information", tr("This is what was left here when the console ended. Cancel gives it up."));
}

void ArmDialog::keepDraft()
{
    m_draftDue.stop();
    if (!m_drafts)
        return;
    models::Draft draft{ .reason = withoutSecrets(m_reason->text()) };
    draft.parameters[minutesOfDraft] = m_duration->currentData().toString().toStdString();
    if (const auto kept = m_drafts->keep(m_subject, draft); !kept)
        m_banner->report(tr("keep a draft of this dialog"), kept.error());
}

void ArmDialog::dropDraft()
{
    m_draftDue.stop();
    if (m_drafts)
        m_drafts->remove(m_subject);
    m_drafts = nullptr;
}

void ArmDialog::arm()
{
    m_banner->clear();
    const auto duration = std::chrono::minutes(m_duration->currentData().toInt());
    const Status asked = m_session.arm(duration, m_reason->text());
    if (!asked)
        m_banner->report(tr("arm the connection"), asked.error());
}

void ArmDialog::showButton()
{
    const models::SessionStatus status = m_session.status();
    const bool waiting = status.arming == models::Arming::Arming;
    m_arm->setText(waiting ? tr("Arming…") : tr("Arm %1 for %2").arg(elidedId(status.name), m_duration->currentText()));
    m_arm->setEnabled(!waiting && !m_reason->text().trimmed().isEmpty());
    m_arm->setToolTip(m_reason->text().trimmed().isEmpty() ? tr("Say why first") : QString());
}

} // namespace fencepost::ui
