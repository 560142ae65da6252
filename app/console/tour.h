// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QTimer>

#include "app/console/demo_moments.h"
#include "models/deliver.h"

namespace fencepost::ui {
class MainWindow;
class Workspace;
} // namespace fencepost::ui

namespace fencepost::app {

// Shows every page and the window's dialogs one after the other and writes a picture of each.
class Tour : public QObject {
    Q_OBJECT
public:
    Tour(ui::MainWindow& window, ui::Workspace& workspace, const QString& folder, QObject* parent = nullptr);

    // Of a demo, whose payloads are nobody's secret: shows a conflict explained, and how the one differs from the
    // other.
    void showEvidence(const DemoMoments& moments) { m_moments = moments; }
    void start();

Q_SIGNALS:
    // Every picture written, or why one was not.
    void finished(const QStringList& files, const QString& problem);

private:
    struct Scene {
        QString name;
        std::function<void()> prepare;
    };

    void add(const QString& name, std::function<void()> prepare);
    void addScenes();
    void addRecord();
    void addSimulation();
    void fillSimulation();
    void addMapping();
    void addMessage(const QString& page, const QString& filter);
    void findOne();
    void addEvidence(const QString& page);
    void presentAnother();
    void compareMoments();
    void addParts(const QString& prefix, std::initializer_list<const char*> parts);
    void command(const char* id);
    void showKeys(const QString& filter);
    void openMenu(const QString& name);
    bool openRow(); // false: there is none
    void next();
    void look();
    [[nodiscard]] bool settled() const;
    void take();

    ui::MainWindow& m_window;
    ui::Workspace& m_workspace;
    const QString m_folder;
    std::vector<Scene> m_scenes;
    std::size_t m_scene = 0;
    QStringList m_files;
    std::optional<DemoMoments> m_moments;
    models::Latest<Result<std::string>> m_present;
    std::function<void()> m_then; // what follows once the scene is there, before its picture
    int m_calm = 0; // looks at which nothing was under way any more
    QTimer m_look;
    QElapsedTimer m_since;
};

} // namespace fencepost::app
