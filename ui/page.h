// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <QString>
#include <QVariantMap>
#include <QWidget>

#include "core/inspector.h"

namespace fencepost {
struct Operation;
struct Plan;
} // namespace fencepost
namespace fencepost::models {
class Session;
} // namespace fencepost::models

namespace fencepost::ui {

struct Link;
class RangeSetting;
class Theme;
class Workspace;
class ZoneSetting;

// What an operation would act upon: rows by name, or everything that matched a filter.
struct Selection {
    Binding binding;
    std::vector<Row> rows; // named rows; empty where `all` is set
    bool all = false;
    QString filter; // with `all`: the text that was in force
    Count matching; // with `all`

    [[nodiscard]] bool isEmpty() const { return rows.empty() && !all; }
};

// What the status bar says about the page in front.
struct PageStatus {
    QString rows; // "1 234 rows", "≥ 10 000 rows"; empty: the page has no rows
    std::optional<Cost> cost; // of the last read
    std::optional<Time> readAt; // the database's clock
    bool stale = false; // the connection is lost or the last read failed
};

// Which of the session's tables a page shows and through which filter; null: it has none.
struct Place {
    QString binding;
    QString filter;

    bool operator==(const Place&) const = default;
};

// How pages reach the rest of the window. Outlives every page.
class Navigation {
public:
    virtual ~Navigation() = default;

    // Brings a page to the front. `binding` and `filter`, where given, replace what it showed.
    virtual void open(std::string_view page, const QString& binding = {}, const QString& filter = {}) = 0;
    virtual void openDossier(const Binding& binding, const std::vector<std::string>& identity) = 0;
    // Opens the connection that it names, and the page or record in it.
    virtual void openLink(const Link& link) = 0;
    // Opens a database in a file, and one of its rows where one is named.
    virtual void openFile(
        const QString& path, const QString& binding = {}, const std::vector<std::string>& identity = {}) = 0;
    virtual void closeDossier() = 0;
    // Opens the plan dialog of an operation. Nothing is changed before the operator confirmed the plan.
    virtual void plan(const Operation& operation, const Selection& selection) = 0;
    // Opens the plan that takes an earlier request back.
    virtual void undo(const QString& requestId) = 0;
    // Opens the plan whose run did not end, to be taken up where it was left.
    virtual void resume(const Plan& interrupted) = 0;
    // Opens the dialog that arms the connection, or the reason why it cannot be armed.
    virtual void arm() = 0;
    // One line into the log of the bottom dock.
    virtual void log(const QString& line) = 0;
    // A progress view of a running operation, shown in the bottom dock, which takes ownership.
    virtual void showRun(QWidget* run) = 0;
};

// What a page may use. Everything in it outlives the page; pages are made anew for another session.
struct PageContext {
    models::Session* session = nullptr; // null: no connection is open
    ZoneSetting& zone;
    RangeSetting& range;
    Theme& theme;
    Navigation& navigation;
    QString connection; // its name, for titles and buttons: "orders-prod"
    QString environment; // local, development, staging, production
    Workspace* workspace = nullptr; // the connections themselves, for the page that edits them
};

// One page of the centre. It loads when it is activated, never in its constructor.
class Page : public QWidget {
    Q_OBJECT
public:
    explicit Page(QWidget* parent = nullptr)
        : QWidget(parent)
    {
    }

    // It came to the front.
    virtual void activate() { }
    virtual void reload() { }
    virtual void setLive(bool /*live*/) { }
    // The dossier of that row was opened beside the page, from wherever: operations are about it, or about nothing.
    virtual void standOn(const Binding& /*binding*/, const std::vector<std::string>& /*identity*/) { }
    // Rows closer together, for a long list on a short screen.
    virtual void setDense(bool /*dense*/) { }
    // Shows one of the session's tables and a filter; empty: as it was.
    virtual void show(const QString& /*binding*/, const QString& /*filter*/) { }
    // What show() would bring back.
    [[nodiscard]] virtual Place place() const { return {}; }
    // What `/` focuses; none: the page has no filter.
    [[nodiscard]] virtual QWidget* filterField() const { return nullptr; }
    [[nodiscard]] virtual Selection selection() const { return {}; }
    [[nodiscard]] virtual PageStatus status() const { return {}; }
    // Something is asked for and not yet shown. The tour waits for it.
    [[nodiscard]] virtual bool isLoading() const { return false; }
    // Commands of the page in front: copy-key, copy-as, copy-link, select-all, note, bookmark, next-row, previous-row,
    // open-row, select-row. False: it has no use for this one.
    [[nodiscard]] virtual bool handles(std::string_view /*command*/) const { return false; }
    virtual void run(std::string_view /*command*/) { }
    // Column sets and splitters, kept between sessions by the program.
    [[nodiscard]] virtual QVariantMap arrangement() const { return {}; }
    virtual void setArrangement(const QVariantMap& /*arrangement*/) { }

Q_SIGNALS:
    void statusChanged();
    void selectionChanged();
};

// The right slot: one record. Esc and its close button call Navigation::closeDossier.
class Dossier : public QWidget {
    Q_OBJECT
public:
    explicit Dossier(QWidget* parent = nullptr)
        : QWidget(parent)
    {
    }

    virtual void open(const Binding& binding, const std::vector<std::string>& identity) = 0;
    virtual void reload() = 0;
    virtual void setLive(bool /*live*/) { }
    [[nodiscard]] virtual Selection selection() const = 0;
    // Something is asked for and not yet shown. The tour waits for it.
    [[nodiscard]] virtual bool isLoading() const { return false; }
    // The parts of the record, in their order, and the one in front.
    [[nodiscard]] virtual int partCount() const { return 1; }
    [[nodiscard]] virtual QString partName(int /*part*/) const { return {}; }
    virtual void showPart(int /*part*/) { }
};

} // namespace fencepost::ui
