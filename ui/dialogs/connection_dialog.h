// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "ui/workspace.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace fencepost::ui {

class EnvironmentBand;
class ErrorBanner;
class Theme;

// Adds or edits a connection. It can be tested before it is kept; the password goes to the keychain or nowhere.
class ConnectionDialog : public QDialog {
    Q_OBJECT
public:
    ConnectionDialog(const Theme& theme, Workspace& workspace, const models::Connection& connection, QWidget* parent);

    [[nodiscard]] models::Connection connection() const;

Q_SIGNALS:
    void saved(const QString& connectionId);

private:
    QWidget* makeSqlite();
    QWidget* makePostgres();
    QLineEdit* makeField(const QString& label, const QString& name, const QString& placeholder);
    static void addPair(QFormLayout* form, const QString& label, QLineEdit* first, QLineEdit* second);
    QLineEdit* addField(QFormLayout* form, const QString& label, const QString& name, const QString& placeholder);
    void fill(const models::Connection& connection);
    [[nodiscard]] Address address() const;
    void test();
    void save();
    void keep();
    void showKind();
    void showEnvironment();
    void showKeychain();
    void chooseFile();

    const Theme& m_theme;
    Workspace& m_workspace;
    models::Connection m_before;
    EnvironmentBand* m_band;
    ErrorBanner* m_banner;
    QLineEdit* m_name;
    QComboBox* m_environment;
    QComboBox* m_kind;
    QWidget* m_sqlite = nullptr;
    QWidget* m_postgres = nullptr;
    QLineEdit* m_path;
    QLineEdit* m_host;
    QLineEdit* m_port;
    QLineEdit* m_database;
    QLineEdit* m_user;
    QLineEdit* m_password;
    QCheckBox* m_remember;
    QComboBox* m_sslMode;
    QLineEdit* m_sslRootCert;
    QLineEdit* m_sslCert;
    QLineEdit* m_sslKey;
    QLineEdit* m_service;
    QLineEdit* m_schema;
    QComboBox* m_target;
    QLineEdit* m_passFile;
    QCheckBox* m_readOnly;
    QPushButton* m_test;
    QPushButton* m_save;
    int m_tests = 0; // answers of older tests are not shown
};

} // namespace fencepost::ui
