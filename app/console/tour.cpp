// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/tour.h"

#include <utility>

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTabWidget>
#include <QToolButton>

#include "app/console/another_body.h"
#include "core/error_report.h"
#include "models/mapping_models.h"
#include "ui/commands.h"
#include "ui/dialogs/mapping_wizard.h"
#include "ui/main_window.h"
#include "ui/pages.h"
#include "ui/pages/connections_page.h"
#include "ui/widgets/conflict_explainer.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/survey_panel.h"
#include "ui/workspace.h"

namespace fencepost::app {

namespace {

constexpr qint64 shortest = 350; // milliseconds a scene is given to paint itself
constexpr qint64 longest = 60'000;
constexpr int calmLooks = 3;

// Of the messages, those with the most to tell.
struct Told {
    const char* page;
    const char* filter;
};
constexpr Told messages[] = { { "inbox", "state = DEAD and attempts > 1" },
    { "outbox", "state = DEAD and attempts > 1" }, { "dlq", "state = REDRIVEN" } };

QDialog* openDialog()
{
    return qobject_cast<QDialog*>(QApplication::activeModalWidget());
}

// A dialog is a window of its own: it is laid over a dimmed picture of what is below. A menu stands where it opened.
QPixmap pictureOf(QWidget& window)
{
    QPixmap picture = window.grab();
    if (QWidget* menu = QApplication::activePopupWidget()) {
        const QPixmap front = menu->grab();
        QPainter(&picture).drawPixmap(window.mapFromGlobal(menu->pos()), front);
        return picture;
    }
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

void Tour::add(const QString& name, std::function<void()> prepare)
{
    m_scenes.push_back({ name, std::move(prepare) });
}

void Tour::command(const char* id)
{
    if (QAction* action = m_window.commands().action(id))
        action->trigger();
}

void Tour::addScenes()
{
    for (const ui::PageEntry& page : ui::pages()) {
        const QString id = QLatin1String(page.id);
        add(id, [this, id] { m_window.openPage(id); });
        if (id == QLatin1String("find"))
            add(QStringLiteral("find-answer"), [this] { findOne(); });
        if (id == QLatin1String("simulate"))
            addSimulation();
        if (id == QLatin1String("connections"))
            addMapping();
        if (id == QLatin1String("keys"))
            addRecord();
        if (id == QLatin1String("stuck") && ui::parts().dossier)
            add(QStringLiteral("stuck-dossier"), [this] { (void)openRow(); });
        for (const auto& message : messages)
            if (id == QLatin1String(message.page) && ui::parts().dossier)
                addMessage(id, QLatin1String(message.filter));
        if (id == QLatin1String("dlq") && ui::parts().dossier)
            addParts(QStringLiteral("dlq-dossier-"), { "Attempts", "Related" });
        if (m_moments)
            addEvidence(id);
    }
    if (ui::parts().plan) {
        add(QStringLiteral("plan"), [this] {
            m_window.openPage(QStringLiteral("stuck"));
            if (ui::Page* front = m_window.page())
                front->run("next-row");
            command("operation.fence");
        });
        add(QStringLiteral("plan-many"), [this] {
            if (ui::Page* front = m_window.page())
                front->run("select-all");
            command("operation.fence");
        });
        add(QStringLiteral("plan-replay"), [this] {
            m_window.openPage(QStringLiteral("dlq"));
            if (ui::Page* front = m_window.page())
                front->show({}, QStringLiteral("state = DEAD"));
            m_then = [this] {
                if (ui::Page* front = m_window.page())
                    front->run("select-all");
                command("operation.replay");
            };
        });
        add(QStringLiteral("plan-edit"), [this] {
            m_window.openPage(QStringLiteral("dlq"));
            if (ui::Page* front = m_window.page())
                front->show({}, QStringLiteral("state = DEAD and error ~ template"));
            m_then = [this] {
                if (ui::Page* front = m_window.page())
                    front->run("next-row");
                command("operation.edit");
                QDialog* dialog = openDialog();
                if (auto* payload = dialog ? dialog->findChild<QPlainTextEdit*>(QStringLiteral("payload")) : nullptr)
                    payload->setPlainText(QStringLiteral("{\n  \"template\": \"receipt\"\n}"));
            };
        });
        add(QStringLiteral("plan-resolve"), [this] {
            showKeys(QStringLiteral("held"));
            m_then = [this] {
                if (ui::Page* front = m_window.page())
                    front->run("next-row");
                command("operation.resolve");
            };
        });
    }
    add(QStringLiteral("nothing-matches"), [this] { showKeys(QStringLiteral("held and stuck")); });
    for (const char* menu : { "View", "Operations" })
        add(QStringLiteral("menu-") + QString::fromLatin1(menu).toLower(),
            [this, menu = QString::fromLatin1(menu)] { openMenu(menu); });
    add(QStringLiteral("palette"), [this] { command("palette"); });
    add(QStringLiteral("shortcuts"), [this] { command("sheet"); });
    add(QStringLiteral("snapshot"), [this] { command("snapshot"); });
    add(QStringLiteral("import"), [this] { command("import"); });
    add(QStringLiteral("arm"), [this] { command("arm"); });
    add(QStringLiteral("zone"), [this] { command("zone-choose"); });
    add(QStringLiteral("activity"), [this] { command("activity"); });
    add(QStringLiteral("connection"), [this] {
        command("activity");
        command("connection-add");
    });
    add(QStringLiteral("connection-postgresql"), [this] {
        command("connection-add");
        QDialog* form = openDialog();
        if (auto* kind = form ? form->findChild<QComboBox*>(QStringLiteral("kind")) : nullptr)
            kind->setCurrentIndex(1);
    });
}

// One record with a history, part by part.
void Tour::addRecord()
{
    if (!ui::parts().dossier)
        return;
    add(QStringLiteral("keys-dossier"), [this] {
        showKeys(QStringLiteral("state = SUCCEEDED and attempts > 1"));
        m_then = [this] {
            if (openRow())
                return;
            // No database owes us a record with such a history.
            showKeys(QStringLiteral(""));
            m_then = [this] { (void)openRow(); };
        };
    });
    addParts(QStringLiteral("keys-dossier-"), { "State", "Timeline", "Payload", "Attempts", "Related", "Audit" });
}

// One message with a history, and its path.
void Tour::addMessage(const QString& page, const QString& filter)
{
    add(page + QStringLiteral("-dossier"), [this, filter] {
        if (ui::Page* front = m_window.page())
            front->show({}, filter);
        m_then = [this] {
            if (openRow())
                return;
            // No database owes us such a message either.
            if (ui::Page* front = m_window.page())
                front->show({}, QStringLiteral(""));
            m_then = [this] { (void)openRow(); };
        };
    });
    addParts(page + QStringLiteral("-dossier-"), { "State" });
}

// The other looks at what was simulated.
void Tour::addSimulation()
{
    for (const char* part : { "Numbers", "Sweep", "One request" })
        add(QStringLiteral("simulate-") + QString::fromLatin1(part).toLower().replace(u' ', u'-'),
            [this, part = QString::fromLatin1(part)] {
                const ui::Page* front = m_window.page();
                const auto tabs = front ? front->findChildren<QTabWidget*>() : QList<QTabWidget*>();
                for (auto* one : tabs)
                    for (int at = 0; at < one->count(); ++at)
                        if (one->tabText(at) == part)
                            one->setCurrentIndex(at);
                for (const char* button : { "sweep", "follow" })
                    if (auto* start = front ? front->findChild<QPushButton*>(QLatin1String(button)) : nullptr;
                        start && start->isVisible())
                        start->click();
            });
    add(QStringLiteral("simulate-form"), [this] { fillSimulation(); });
}

// Faults that are added by the form, and a value that is none.
void Tour::fillSimulation()
{
    const ui::Page* front = m_window.page();
    auto* adder = front ? front->findChild<QToolButton*>(QStringLiteral("add-faults")) : nullptr;
    if (!adder)
        return;
    constexpr qsizetype outage = 0;
    constexpr qsizetype brownout = 2;
    const auto kinds = adder->menu()->actions();
    for (const auto kind : { outage, brownout })
        kinds.at(kind)->trigger();
    QLineEdit* last = nullptr;
    for (auto* field : front->findChildren<QLineEdit*>())
        if (field->accessibleName().startsWith(QLatin1String("faults["))
            && field->accessibleName().endsWith(QLatin1String("].for")) && field->isVisible())
            last = field;
    if (last) {
        last->setText(QStringLiteral("soon"));
        Q_EMIT last->editingFinished();
    }
    for (auto* above = adder->parentWidget(); above; above = above->parentWidget())
        if (auto* scroll = qobject_cast<QScrollArea*>(above)) {
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
            scroll->ensureWidgetVisible(adder, 0, scroll->height() / 3);
        }
}

// All tables of the connection, and one of them described by hand, step by step.
void Tour::addMapping()
{
    const auto page = [this] { return qobject_cast<ui::ConnectionsPage*>(m_window.page()); };
    add(QStringLiteral("connections-tables"), [page] {
        auto* front = page();
        auto* scroll = front ? front->findChild<QScrollArea*>(QStringLiteral("detail")) : nullptr;
        auto* tables = front ? front->findChild<ui::SurveyPanel*>() : nullptr;
        if (scroll && tables)
            scroll->ensureWidgetVisible(tables);
    });
    const char* names[] = { "map-columns", "map-state", "map-times", "map-save" };
    for (int step = 0; step < ui::MappingWizard::steps; ++step)
        add(QLatin1String(names[step]), [this, page, step] {
            auto* front = page();
            auto* tables = front ? front->findChild<ui::SurveyPanel*>() : nullptr;
            if (!tables || tables->model().rowCount() == 0)
                return;
            front->mapTable(tables->model().rowAt(0).name);
            m_then = [step] {
                auto* wizard = qobject_cast<ui::MappingWizard*>(openDialog());
                if (!wizard)
                    return;
                wizard->showStep(step);
                // Whoever saves has said in which zone its times are.
                auto* zone = wizard->findChild<QComboBox*>(QStringLiteral("zone"));
                if (step == ui::MappingWizard::Save && zone)
                    zone->setCurrentIndex(zone->findText(QStringLiteral("UTC")));
            };
        });
}

// What is known of a dead letter's event, or else of any key.
void Tour::findOne()
{
    m_window.openPage(QStringLiteral("dlq"));
    m_then = [this] {
        (void)openRow();
        const ui::Page* front = m_window.page();
        const auto chosen = front ? front->selection() : ui::Selection();
        const auto id = chosen.rows.empty() ? QString() : QString::fromStdString(chosen.rows.front().key);
        if (QAction* close = m_window.commands().action("back"))
            close->trigger();
        m_window.openPage(QStringLiteral("find"));
        if (ui::Page* page = m_window.page(); page && !id.isEmpty())
            page->show({}, id);
    };
}

void Tour::addEvidence(const QString& page)
{
    if (page == QLatin1String("conflicts"))
        add(page + QStringLiteral("-explained"), [this] { m_then = [this] { presentAnother(); }; });
    if (page == QLatin1String("differences"))
        add(page + QStringLiteral("-found"), [this] { compareMoments(); });
}

void Tour::presentAnother()
{
    const ui::Page* front = m_window.page();
    auto* explainer = front ? front->findChild<ui::ConflictExplainer*>() : nullptr;
    if (!explainer || !explainer->arrival() || !m_workspace.session())
        return;
    m_present.start(
        m_workspace.session()->reads(),
        [binding = explainer->binding(), id = explainer->arrival()->conflict.id](
            Backend& backend) -> Result<std::string> {
            auto* forensics = backend.inspector().forensics();
            if (forensics == nullptr)
                return std::string();
            const auto found = forensics->conflictCase(*binding, id);
            if (!found)
                return found.error();
            return *found ? anotherBody(**found) : std::string();
        },
        [explainer = QPointer(explainer)](const Result<std::string>& body) {
            if (!explainer || !body)
                return;
            explainer->payload().setPlainText(QString::fromStdString(*body));
            explainer->compare();
        });
}

void Tour::compareMoments()
{
    const ui::Page* front = m_window.page();
    if (!front)
        return;
    if (auto* first = front->findChild<QLineEdit*>(QStringLiteral("first")))
        first->setText(m_moments->earlier);
    if (auto* second = front->findChild<QLineEdit*>(QStringLiteral("second")))
        second->setText(m_moments->later);
    if (auto* compare = front->findChild<QPushButton*>(QStringLiteral("compare")))
        compare->click();
}

void Tour::addParts(const QString& prefix, std::initializer_list<const char*> parts)
{
    for (const char* part : parts)
        add(prefix + QString::fromLatin1(part).toLower(), [this, part = QString::fromLatin1(part)] {
            ui::Dossier* dossier = m_window.dossier();
            for (int at = 0; dossier && at < dossier->partCount(); ++at)
                if (dossier->partName(at) == part)
                    dossier->showPart(at);
        });
}

void Tour::openMenu(const QString& name)
{
    auto* menu = m_window.findChild<QMenu*>(name);
    auto* bar = menu ? qobject_cast<QMenuBar*>(menu->parentWidget()) : nullptr;
    if (!bar)
        return;
    const QRect title = bar->actionGeometry(menu->menuAction());
    menu->popup(bar->mapToGlobal(title.bottomLeft()));
}

void Tour::showKeys(const QString& filter)
{
    m_window.openPage(QStringLiteral("keys"));
    if (ui::Page* front = m_window.page())
        front->show({}, filter);
}

bool Tour::openRow()
{
    ui::Page* front = m_window.page();
    if (!front)
        return false;
    front->run("next-row");
    front->run("open-row");
    return !front->selection().isEmpty();
}

void Tour::next()
{
    if (QWidget* menu = QApplication::activePopupWidget())
        menu->close();
    if (QDialog* dialog = openDialog())
        dialog->reject();
    if (m_scene == m_scenes.size()) {
        Q_EMIT finished(m_files, {});
        return;
    }
    m_calm = 0;
    m_then = {};
    m_scenes[m_scene].prepare();
    m_since.start();
    m_look.start();
}

bool Tour::settled() const
{
    models::Session* session = m_workspace.session();
    const bool connecting = session && !session->bindingsRead()
        && session->status().link.state != models::Link::State::Failed
        && session->status().link.state != models::Link::State::Lost;
    const ui::Page* front = m_window.page();
    const ui::Dossier* dossier = m_window.dossier();
    return !connecting && !m_present.pending() && !(front && front->isLoading()) && !(dossier && dossier->isLoading());
}

void Tour::look()
{
    if (m_since.elapsed() < shortest || (!settled() && m_since.elapsed() < longest))
        return;
    if (const auto then = std::exchange(m_then, {})) {
        m_since.restart();
        return then();
    }
    // What came in a moment ago is laid out by the next look.
    if (++m_calm < calmLooks && m_since.elapsed() < longest)
        return;
    m_look.stop();
    take();
}

void Tour::take()
{
    // Pages that only say that there is no database are no tour of it.
    const models::Session* session = m_workspace.session();
    if (const auto link = session ? session->status().link : models::Link{}; link.isLost() && m_files.isEmpty()) {
        Q_EMIT finished({},
            link.error ? ui::withoutSecrets(QString::fromStdString(rowReport(*link.error)))
                       : tr("The database was lost."));
        return;
    }
    // Where no row is to be planned for there is no plan.
    const auto& name = m_scenes[m_scene].name;
    const bool isThere = !name.startsWith(QLatin1String("plan")) || openDialog();
    const QString file =
        QStringLiteral("%1/%2-%3.png").arg(m_folder).arg(m_scene + 1, 2, 10, QLatin1Char('0')).arg(name);
    if (isThere && !pictureOf(m_window).save(file)) {
        Q_EMIT finished(m_files, tr("The picture %1 cannot be written.").arg(file));
        return;
    }
    if (isThere)
        m_files += file;
    ++m_scene;
    next();
}

} // namespace fencepost::app
