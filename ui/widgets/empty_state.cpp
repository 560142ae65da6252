// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/empty_state.h"

#include <algorithm>

#include <QPushButton>
#include <QVBoxLayout>

#include "models/session.h"
#include "ui/theme.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int explanationWidth = 400;

struct Look {
    const char* icon;
    Role role;
};

Look lookOf(Emptiness emptiness)
{
    switch (emptiness) {
    case Emptiness::NoRows:
        return { "table", Role::Muted };
    case Emptiness::Filtered:
        return { "filter", Role::Muted };
    case Emptiness::TableMissing:
        return { "database", Role::Muted };
    case Emptiness::NoPermission:
        return { "lock", Role::Warning };
    case Emptiness::NotLoaded:
        return { "clock", Role::Muted };
    case Emptiness::ConnectionLost:
        return { "disconnected", Role::Warning };
    case Emptiness::Good:
        return { "good", Role::Succeeded };
    }
    return { "table", Role::Muted };
}

} // namespace

Emptiness emptinessOf(const Error& error)
{
    switch (error.failure) {
    case Failure::NotFound:
    case Failure::Unsupported:
        return Emptiness::TableMissing;
    case Failure::Denied:
        return Emptiness::NoPermission;
    case Failure::Unavailable:
    case Failure::InDoubt:
        return Emptiness::ConnectionLost;
    case Failure::Invalid:
    case Failure::Conflict:
    case Failure::TimedOut:
    case Failure::Full:
    case Failure::Corrupt:
    case Failure::Cancelled:
    case Failure::Internal:
        return Emptiness::NotLoaded;
    }
    return Emptiness::NotLoaded;
}

EmptyState::EmptyState(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_icon(new PlainLabel(this))
    , m_title(new PlainLabel(this))
    , m_explanation(new PlainLabel(this))
    , m_action(new QPushButton(this))
{
    m_title->setFont(theme.font(Text::Section));
    m_title->setAlignment(Qt::AlignCenter);
    m_title->setWordWrap(true);
    m_explanation->setAlignment(Qt::AlignCenter);
    m_explanation->setWordWrap(true);
    m_explanation->setFixedWidth(explanationWidth);
    setTone(m_explanation, "muted");
    m_icon->setAlignment(Qt::AlignCenter);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, space::huge, space::huge, space::huge);
    layout->setSpacing(space::small);
    layout->addStretch(2);
    layout->addWidget(m_icon, 0, Qt::AlignHCenter);
    layout->addSpacing(space::tiny);
    layout->addWidget(m_title);
    layout->addWidget(m_explanation, 0, Qt::AlignHCenter);
    layout->addSpacing(space::small);
    layout->addWidget(m_action, 0, Qt::AlignHCenter);
    layout->addStretch(3);

    connect(m_action, &QPushButton::clicked, this, &EmptyState::acted);
    connect(&theme, &Theme::changed, this, &EmptyState::showIcon);
    m_action->hide();
}

void EmptyState::show(Emptiness emptiness, const QString& title, const QString& explanation, const QString& action)
{
    m_emptiness = emptiness;
    m_title->setText(title);
    setTone(m_title, emptiness == Emptiness::Good ? "good" : "plain");
    m_explanation->setText(explanation);
    // A centred label would be given the height of one line.
    m_explanation->setFixedHeight(std::max(0, m_explanation->heightForWidth(explanationWidth)));
    m_explanation->setVisible(!explanation.isEmpty());
    m_action->setText(action);
    m_action->setVisible(!action.isEmpty());
    setAccessibleName(title);
    setAccessibleDescription(explanation);
    showIcon();
    show();
}

QString EmptyState::title() const
{
    return m_title->text();
}

void EmptyState::showNoTable(
    const models::Session& session, const QString& rows, const QString& action, const QString& why)
{
    if (session.bindingsError())
        return showError(*session.bindingsError(), action);
    if (!session.bindingsRead())
        return show(Emptiness::NotLoaded, tr("Looking for %1").arg(rows), tr("The database has not answered yet."));
    const auto others = std::int64_t(session.bindings().size());
    if (others > 0)
        return show(Emptiness::TableMissing, tr("No table for %1 is recognised").arg(rows),
            why.isEmpty() ? tr("%1 recognised here, for something else.")
                                .arg(others == 1 ? tr("One table is") : tr("%1 tables are").arg(numberText(others)))
                          : why,
            action);
    show(Emptiness::TableMissing, tr("No table for %1 is recognised").arg(rows),
        tr("None of the schema profiles fits a table of this database. “Map this table…” on the page Connections makes "
           "a profile by hand, and “fencepostctl profiles detect --read-as TABLE=PROFILE” says why one does not fit. "
           "Fencepost's own tables are created by “fencepostctl schema init”."),
        action);
}

void EmptyState::showError(const Error& error, const QString& action)
{
    const auto kind = emptinessOf(error);
    const auto title = kind == Emptiness::NoPermission ? tr("You may not read this database")
        : kind == Emptiness::ConnectionLost            ? tr("The database cannot be reached")
                                                       : tr("The database cannot be read");
    // Something is there: it is not that a table is missing.
    show(kind == Emptiness::TableMissing ? Emptiness::NotLoaded : kind, title, withoutSecrets(text(inWords(error))),
        action);
}

void EmptyState::showIcon()
{
    const Look look = lookOf(m_emptiness);
    m_icon->setPixmap(m_theme.icon(look.icon, look.role).pixmap(QSize(40, 40), devicePixelRatioF()));
}

} // namespace fencepost::ui
