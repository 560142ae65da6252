// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/table_mapper.h"
#include "ui/page.h"
#include "ui/workspace.h"

class QLabel;
class QListWidget;
class QPushButton;
class QToolButton;

namespace fencepost::ui {

class BindingsView;
class ElidedLabel;
class EmptyState;
class EnvironmentChip;
class ErrorBanner;
class PageHeader;
class PolicyView;
class SurveyPanel;

// The connections at hand: where they lead, how careful one has to be, what is recognised there and what may be done.
class ConnectionsPage : public Page {
    Q_OBJECT
public:
    ConnectionsPage(PageContext& context, QWidget* parent);

    void activate() override;
    void reload() override;
    [[nodiscard]] bool handles(std::string_view command) const override;
    void run(std::string_view command) override;
    [[nodiscard]] bool isLoading() const override;
    // Opens the wizard for a table of the open connection.
    void mapTable(const TableName& table);
    void chooseProfile(const TableName& table, const QString& profile);
    void askZone(const QString& profile);

private:
    QWidget* makeList();
    QWidget* makeDetail();
    void fill();
    void addItem(
        const QString& id, const QString& name, const QString& url, models::Environment environment, bool open);
    void addUnsavedItem();
    void showDetail();
    void showFileProblem();
    void edit(const models::Connection& connection);
    void remove();
    void move(int by);
    void openLater(const QString& id);
    void test();
    void survey();
    void tellMapped(const QString& profile, const QString& path);
    void openMapped();
    [[nodiscard]] const Binding* mappedBinding() const;
    [[nodiscard]] const models::Connection* chosen() const;
    [[nodiscard]] bool isOpen(const models::Connection& connection) const;
    [[nodiscard]] bool isUnsavedOpen() const;
    [[nodiscard]] bool isUnsavedChosen() const;
    [[nodiscard]] int placeOfChosen() const;

    PageContext& m_context;
    Workspace& m_workspace;
    PageHeader* m_header;
    ErrorBanner* m_banner;
    QWidget* m_fileActions;
    EmptyState* m_none;
    QWidget* m_panes;
    QListWidget* m_list;
    QPushButton* m_add;
    QToolButton* m_up;
    QToolButton* m_down;
    ElidedLabel* m_name;
    EnvironmentChip* m_environment;
    ElidedLabel* m_url;
    QLabel* m_access;
    QLabel* m_keychain;
    QPushButton* m_open;
    QPushButton* m_test;
    QPushButton* m_edit;
    QPushButton* m_remove;
    BindingsView* m_bindings;
    QWidget* m_surveyPart;
    SurveyPanel* m_survey;
    PolicyView* m_policy;
    int m_tests = 0;
    QString m_mapped; // the profile that was saved last, until its table is recognised
    QString m_mappedPath;
};

[[nodiscard]] Page* makeConnectionsPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui
