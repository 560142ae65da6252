// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/tour.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QPainter>

#include "ui/commands.h"
#include "ui/main_window.h"
#include "ui/pages.h"
#include "ui/workspace.h"

namespace fencepost::app {

namespace {

constexpr qint64 shortest = 350; // milliseconds a scene is given to paint itself
constexpr qint64 longest = 15'000;

QDialog* openDialog()
{
    return qobject_cast<QDialog*>(QApplication::activeModalWidget());
}

// A dialog is a window of its own: it is laid over a dimmed picture of what is below.
QPixmap pictureOf(QWidget& window)
{
    QPixmap picture = window.grab();
    QDialog* dialog = openDialog();
    if (!dialog)
        return picture;
    const QPixmap front = dialog->grab();
    QPainter painter(&picture);
    painter.fillRect(QRect(QPoint(), window.size()), QColor(0, 0, 0, 96));
    painter.drawPixmap(QPoint((window.width() - dialog->width()) / 2, (window.height() - dialog->height()) / 2), front);
    return picture;
}

} // namespace

Tour::Tour(ui::MainWindow& window, ui::Workspace& workspace, const QString& folder, QObject* parent)
    : QObject(parent)
    , m_window(window)
    , m_workspace(workspace)
    , m_folder(folder)
{
    m_look.setInterval(50);
    connect(&m_look, &QTimer::timeout, this, &Tour::look);
}

void Tour::start()
{
    if (!QDir().mkpath(m_folder)) {
        Q_EMIT finished({}, tr("The folder %1 cannot be made.").arg(m_folder));
        return;
    }
    addScenes();
    next();
}

void Tour::addScenes()
{
    const auto command = [this](const char* id) {
        return [this, id = std::string(id)] {
            if (QAction* action = m_window.commands().action(id))
                action->trigger();
        };
    };
    for (const ui::PageEntry& page : ui::pages()) {
        const QString id = QLatin1String(page.id);
        m_scenes.push_back({ id, [this, id] { m_window.openPage(id); } });
        if (ui::parts().dossier && (id == QLatin1String("keys") || id == QLatin1String("stuck"))) {
            m_scenes.push_back({ id + QStringLiteral("-dossier"), [this] {
                                    if (ui::Page* front = m_window.page()) {
                                        front->run("next-row");
                                        front->run("open-row");
                                    }
                                } });
        }
    }
    if (ui::parts().plan) {
        m_scenes.push_back({ QStringLiteral("plan"), [this, command] {
                                m_window.openPage(QStringLiteral("stuck"));
                                if (ui::Page* front = m_window.page())
                                    front->run("next-row");
                                command("operation.fence")();
                            } });
    }
    m_scenes.push_back({ QStringLiteral("palette"), command("palette") });
    m_scenes.push_back({ QStringLiteral("shortcuts"), command("sheet") });
    m_scenes.push_back({ QStringLiteral("arm"), command("arm") });
    m_scenes.push_back({ QStringLiteral("zone"), command("zone-choose") });
    m_scenes.push_back({ QStringLiteral("connection"), command("connection-add") });
}

void Tour::next()
{
    if (QDialog* dialog = openDialog())
        dialog->reject();
    if (m_scene == m_scenes.size()) {
        Q_EMIT finished(m_files, {});
        return;
    }
    m_scenes[m_scene].prepare();
    m_since.start();
    m_look.start();
}

bool Tour::settled() const
{
    models::Session* session = m_workspace.session();
    const bool connecting = session && session->bindings().empty()
        && session->status().link.state != models::Link::State::Failed
        && session->status().link.state != models::Link::State::Lost;
    const ui::Page* front = m_window.page();
    return !connecting && !(front && front->isLoading());
}

void Tour::look()
{
    if (m_since.elapsed() < shortest || (!settled() && m_since.elapsed() < longest))
        return;
    m_look.stop();
    take();
}

void Tour::take()
{
    const QString file = QStringLiteral("%1/%2-%3.png")
                             .arg(m_folder)
                             .arg(m_scene + 1, 2, 10, QLatin1Char('0'))
                             .arg(m_scenes[m_scene].name);
    if (!pictureOf(m_window).save(file)) {
        Q_EMIT finished(m_files, tr("The picture %1 cannot be written.").arg(file));
        return;
    }
    m_files += file;
    ++m_scene;
    next();
}

} // namespace fencepost::app
