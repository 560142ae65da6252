// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "core/simulation/command.h"
#include "core/simulation/recording_source.h"
#include "models/deliver.h"
#include "models/knobs_model.h"
#include "models/simulation_run.h"
#include "ui/page.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QProgressBar;
class QPushButton;
class QTabBar;
class QTabWidget;
class QToolButton;

namespace fencepost::ui {

class ErrorBanner;
class KnobForm;
class PageHeader;
class SimulateLife;
class SimulateResults;
class SimulateSweep;

// What would happen: worlds of a scenario, turned by sliders, lived through on a virtual clock and compared. Needs no
// connection; with one, its records can be the load.
class SimulatePage final : public Page {
    Q_OBJECT
public:
    static constexpr int mostVariants = 4;

    explicit SimulatePage(PageContext& context, QWidget* parent = nullptr);
    ~SimulatePage() override;

    void activate() override;
    void reload() override { runWorlds(); }
    [[nodiscard]] bool isLoading() const override { return m_run.isRunning() || m_records.pending(); }

    // A scenario that comes with the program.
    void choose(std::string_view name);
    Status openFile(const QString& path);
    Status openRetryLog(const QString& path);
    // This connection's keys that match; empty: all of them.
    void readRecords(const QString& filter);
    // Not while a field of the settings has no value: the page says so.
    void runWorlds();
    void stop();
    // A copy of the one whose settings are shown.
    void addVariant();
    // One of the scenario's own that is not compared yet: beside the others, or where they are four, in the place of
    // the one whose settings are shown.
    void takeVariant(const std::string& name);
    void removeVariant(int place);
    // The scenario's own that are not compared.
    [[nodiscard]] std::vector<simulation::Variant> otherVariants() const;
    // The lines that give the worlds again without a window, as they were run where they were.
    [[nodiscard]] QString command() const;
    [[nodiscard]] models::KnobsModel& knobs() { return m_knobs; }
    [[nodiscard]] SimulateResults& results() const { return *m_results; }
    [[nodiscard]] SimulateSweep& sweep() const { return *m_sweep; }
    [[nodiscard]] SimulateLife& life() const { return *m_life; }
    [[nodiscard]] QString words() const;
    [[nodiscard]] QTabBar& variants() const { return *m_variants; }
    [[nodiscard]] const std::shared_ptr<const simulation::Report>& report() const { return m_report; }
    [[nodiscard]] models::SimulationRun& run() { return m_run; }
    using Page::run;
    Status writeTables(const QString& folder) const;
    Status writeReport(const QString& path) const;

private:
    struct World {
        std::string name;
        std::string title;
        simulation::Scenario scenario;
    };

    void build();
    void buildHead(PageHeader& header);
    QMenu* makeMenu();
    QWidget* makeSettings();
    void take(simulation::Scenario scenario, const QString& file);
    void showVariant(int place);
    void keepVariant();
    void appendVariant(World world);
    void listOthers();
    void tellVariants();
    void tellSweep();
    void showProgress(const models::SimulationProgress& progress);
    void showRunning();
    void showStale();
    void checkSeed();
    [[nodiscard]] bool isReady(const QString& attempted);
    void showReport(const std::shared_ptr<const simulation::Report>& report);
    void runSweep(int world);
    void follow(int world, quint64 request);
    void chooseRecords();
    void chooseFile(const QString& words, const QString& names, Status (SimulatePage::*use)(const QString&));
    void chooseTarget(bool folder);
    void report(const QString& attempted, const Status& done);
    [[nodiscard]] simulation::Report reportToRun();
    // As they are chosen by now, whatever came of them.
    [[nodiscard]] std::vector<std::string> commands() const;
    [[nodiscard]] bool isStale() const;
    [[nodiscard]] std::vector<simulation::SimulationCommand> worldCommands() const; // one for each
    [[nodiscard]] std::string sweepCommand(int world, const std::vector<simulation::SweepAxis>& axes) const;
    void showLife(const std::shared_ptr<const simulation::Outcome>& outcome);
    [[nodiscard]] QStringList worldNames() const;

    const PageContext m_context;
    models::KnobsModel m_knobs;
    models::SimulationRun m_run;
    models::Latest<Result<simulation::Recording>> m_records;
    simulation::Scenario m_scenario; // as it was opened
    QString m_file; // empty: it comes with the program
    QString m_filter; // of the records that it runs on
    std::vector<World> m_worlds;
    int m_current = 0; // of the worlds: the one whose knobs are shown
    bool m_opened = false;
    std::shared_ptr<const simulation::Report> m_report;
    // A world of a report, one of whose requests is followed; and the one of the request that is shown.
    struct Followed {
        std::shared_ptr<const simulation::Report> report;
        int world = 0;
        std::uint64_t request = 0;
    };
    Followed m_asked;
    Followed m_followed;

    QComboBox* m_scenarios;
    QLineEdit* m_seed;
    QPushButton* m_start;
    QProgressBar* m_progress;
    QLabel* m_shows;
    ErrorBanner* m_banner;
    QTabBar* m_variants;
    QToolButton* m_add;
    QMenu* m_others;
    KnobForm* m_form;
    QTabWidget* m_tabs;
    SimulateResults* m_results;
    SimulateSweep* m_sweep;
    SimulateLife* m_life;
};

[[nodiscard]] Page* makeSimulatePage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui
