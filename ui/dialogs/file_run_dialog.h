// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "core/result.h"
#include "core/time.h"

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace fencepost::ui {

class ErrorBanner;
class Theme;

// Makes one sealed file by a run that may take long: says where to and how far it is, can be stopped, which leaves
// nothing behind, and offers to open what was made. What it is made of are the fields of who derives from it.
class FileRunDialog : public QDialog {
    Q_OBJECT
public:
    ~FileRunDialog() override;

    void reject() override;

Q_SIGNALS:
    void made(const QString& sentence);
    void openAsked(const QString& path);

protected:
    struct Words {
        QString title;
        QString act; // "Take snapshot"
        QString attempt; // completes "Could not …": "take the snapshot"
        QString promise; // what the file is going to be
        QString stopped;
    };

    FileRunDialog(const Theme& theme, Words words, QWidget* parent);

    // "FOLDER/NAME-20261120T234547Z.KIND.db"
    struct Offer {
        QString folder;
        QString name;
        Time at;
        QString kind;
    };

    // From the top to the bottom; `button` stands beside the field. Without a name it belongs to the one above.
    void addField(const QString& name, QWidget* field, QPushButton* button = nullptr);
    void addWidget(QWidget* widget);
    // The file and all that follows it, once the fields are there.
    void addFile(const Offer& offer);

    virtual Status begin() = 0;
    virtual void stop() = 0; // no signal of the run follows

    // How far a run is: of `whole`, where that is known.
    void showProgress(const QString& sentence, qint64 done = 0, qint64 whole = 0);
    void finish(const QString& sentence, const QString& note, const std::vector<std::string>& remarks);
    void fail(const Error& error);
    // Whether there is all that a run needs.
    void setReady(bool ready);
    [[nodiscard]] QString path() const;
    [[nodiscard]] bool replaces() const; // a file of this name

private:
    void chooseFile();
    void showFile();
    void act();
    void setRunning(bool running);
    void setFieldsEnabled(bool enabled);
    void tell(const QString& sentence, const char* tone);
    void fit();

    const Theme& m_theme;
    const Words m_words;
    QVBoxLayout* m_layout;
    QList<QWidget*> m_fields;
    QStringList m_remarks; // of what was made
    QLineEdit* m_file;
    QLabel* m_note;
    QProgressBar* m_progress;
    ErrorBanner* m_banner;
    QPushButton* m_cancel;
    QPushButton* m_act;
    bool m_ready = true;
    bool m_running = false;
    bool m_made = false;
};

} // namespace fencepost::ui
