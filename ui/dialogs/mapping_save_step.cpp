// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/mapping_save_step.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>

#include "models/mapping_draft.h"
#include "models/profile_file.h"
#include "ui/dialogs/field_name.h"
#include "ui/widgets/file_chooser.h"
#include "ui/widgets/plain_label.h"
#include "ui/workspace.h"

namespace fencepost::ui {

MappingSaveStep::MappingSaveStep(const Theme& theme, Workspace& workspace, models::MappingDraft& draft, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_draft(draft)
    , m_name(new QLineEdit(this))
    , m_file(new QLineEdit(this))
    , m_note(new PlainLabel(this))
    , m_document(new QPlainTextEdit(this))
{
    m_name->setObjectName(QStringLiteral("profileName"));
    m_name->setAccessibleName(tr("Name of the profile"));
    m_file->setObjectName(QStringLiteral("profileFile"));
    m_file->setAccessibleName(tr("File of the profile"));
    auto* choose = new QPushButton(tr("Choose…"), this);
    choose->setAccessibleName(tr("Choose the file"));
    choose->setAutoDefault(false);
    m_note->setObjectName(QStringLiteral("saveNote"));
    m_note->setWordWrap(true);
    m_document->setObjectName(QStringLiteral("document"));
    m_document->setAccessibleName(tr("The profile"));
    m_document->setPlaceholderText(tr("The profile stands here as soon as everything is said that it needs."));
    m_document->setReadOnly(true);
    m_document->setTabChangesFocus(true);
    m_document->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_document->setFont(theme.font(Text::MonoCaption));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(space::medium);
    grid->setVerticalSpacing(space::small);
    grid->addWidget(fieldName(tr("Profile"), m_name), 0, 0);
    grid->addWidget(m_name, 0, 1, 1, 2);
    grid->addWidget(fieldName(tr("File"), m_file), 1, 0);
    grid->addWidget(m_file, 1, 1);
    grid->addWidget(choose, 1, 2);
    grid->setColumnStretch(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, 0, space::huge, 0);
    layout->setSpacing(space::medium);
    layout->addLayout(grid);
    layout->addWidget(m_note);
    layout->addWidget(m_document, 1);
    connect(m_name, &QLineEdit::textEdited, &draft, &models::MappingDraft::setProfileName);
    connect(m_file, &QLineEdit::textEdited, this, [this] { m_fileChosen = true; });
    connect(m_file, &QLineEdit::textChanged, this, &MappingSaveStep::showNote);
    connect(choose, &QPushButton::clicked, this, &MappingSaveStep::chooseFile);
    connect(&draft, &models::MappingDraft::loaded, this, &MappingSaveStep::proposeName);
    connect(&draft, &models::MappingDraft::changed, this, &MappingSaveStep::fill);
}

void MappingSaveStep::focusFirst()
{
    m_name->setFocus(Qt::TabFocusReason);
    m_name->selectAll();
}

QString MappingSaveStep::path() const
{
    return m_file->text().trimmed();
}

bool MappingSaveStep::replaces() const
{
    return QFileInfo(path()).isFile();
}

// A profile replaces another one of its name: that must not happen unseen.
void MappingSaveStep::proposeName()
{
    const auto usual = QString::fromStdString(m_draft.mapping().name);
    auto name = usual;
    for (int number = 2; m_workspace.knowsProfile(name); ++number)
        name = QStringLiteral("%1-%2").arg(usual).arg(number);
    m_draft.setProfileName(name);
}

void MappingSaveStep::fill()
{
    const auto name = QString::fromStdString(m_draft.mapping().name);
    if (m_name->text().trimmed() != name) {
        const QSignalBlocker quiet(m_name);
        m_name->setText(name);
    }
    if (!m_fileChosen && !m_workspace.profilesFolder().isEmpty())
        m_file->setText(models::freeProfilePath(m_workspace.profilesFolder(), QString(name).replace(u'/', u'-')));
    const auto document = m_draft.document();
    m_document->setPlainText(document ? QString::fromStdString(*document) : QString());
    showNote();
}

QString MappingSaveStep::whyNot() const
{
    if (path().isEmpty())
        return tr("Say in which file the profile is kept.");
    if (m_workspace.knowsProfile(QString::fromStdString(m_draft.mapping().name)) && !replaces())
        return tr("There is a profile of this name already, which this one would take the place of: choose another.");
    return {};
}

void MappingSaveStep::showNote()
{
    const bool usual = QFileInfo(path()).absolutePath() == m_workspace.profilesFolder();
    const auto why = whyNot();
    setTone(m_note, !why.isEmpty() || replaces() ? "warning" : "muted");
    m_note->setText(!why.isEmpty() ? why
            : replaces()           ? tr("A file of this name is there already, and would be replaced.")
            : usual
            ? tr("The table is recognised at once and read only: nothing can be changed in it until actions are "
                 "written into this file and reviewed.")
            : tr("The table is recognised at once and read only. Of other folders than %1 no profile is read at "
                 "the next start.")
                  .arg(m_workspace.profilesFolder()));
    Q_EMIT changed();
}

void MappingSaveStep::chooseFile()
{
    auto* chooser = newFileChooser(this, tr("Save the profile"));
    chooser->setAcceptMode(QFileDialog::AcceptSave);
    chooser->setOption(QFileDialog::DontConfirmOverwrite); // asked by the button
    chooser->setDefaultSuffix(QStringLiteral("json"));
    chooser->selectFile(m_file->text());
    connect(chooser, &QFileDialog::fileSelected, this, [this](const QString& path) {
        m_fileChosen = true;
        m_file->setText(path);
    });
    chooser->open();
}

} // namespace fencepost::ui
