// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/rules_field.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>

#include "core/open_database.h"
#include "ui/theme.h"
#include "ui/widgets/file_chooser.h"

namespace fencepost::ui {

namespace {

constexpr int rulesOfFile = 1; // beside those of the console
constexpr qint64 largestRules = 1 << 20;

Result<RedactionRules> rulesIn(const QString& path)
{
    if (const auto readable = checkNoOpenDatabase(path.toStdString()); !readable)
        return readable.error();
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{ Failure::NotFound, "The rules cannot be read: " + file.errorString().toStdString(),
            path.toStdString(), {} };
    if (file.size() > largestRules)
        return Error{ Failure::Invalid, "Rules are no longer than 1 MiB", path.toStdString(), {} };
    const auto text = file.readAll();
    return parseRedactionRules(
        std::string_view(text.constData(), static_cast<std::size_t>(text.size())), path.toStdString());
}

} // namespace

RulesField::RulesField(QWidget* parent)
    : QWidget(parent)
    , m_which(new QComboBox(this))
    , m_file(new QLineEdit(this))
    , m_choose(new QPushButton(tr("Choose…"), this))
{
    m_which->addItems({ tr("What the console hides"), tr("What the rules of a file say") });
    m_which->setObjectName(QStringLiteral("rules"));
    m_which->setAccessibleName(tr("Hidden"));
    m_file->setObjectName(QStringLiteral("rules-file"));
    m_file->setPlaceholderText(tr("A JSON file of rules"));
    m_file->setAccessibleName(tr("Rules"));
    m_choose->setAccessibleName(tr("Choose the rules"));
    m_choose->setAutoDefault(false);
    auto* line = new QHBoxLayout;
    line->addWidget(m_file, 1);
    line->addWidget(m_choose);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::small);
    layout->addWidget(m_which);
    layout->addLayout(line);
    setFocusProxy(m_which);
    connect(m_which, &QComboBox::currentIndexChanged, this, &RulesField::showFile);
    connect(m_choose, &QPushButton::clicked, this, &RulesField::choose);
    showFile();
}

void RulesField::showFile()
{
    const bool own = m_which->currentIndex() == rulesOfFile;
    m_file->setVisible(own);
    m_choose->setVisible(own);
    Q_EMIT changed();
}

void RulesField::choose()
{
    auto* chooser = newFileChooser(this, tr("Rules of what is hidden"));
    chooser->setFileMode(QFileDialog::ExistingFile);
    chooser->setNameFilters({ tr("Rules (*.json)"), tr("All files (*)") });
    connect(chooser, &QFileDialog::fileSelected, m_file, &QLineEdit::setText);
    chooser->open();
}

Result<RedactionRules> RulesField::rules() const
{
    return m_which->currentIndex() == rulesOfFile ? rulesIn(m_file->text().trimmed())
                                                  : Result<RedactionRules>(RedactionRules());
}

} // namespace fencepost::ui
