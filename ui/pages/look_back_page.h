// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

#include "core/forensics.h"
#include "models/page_model.h"
#include "ui/page.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QToolButton;
class QVBoxLayout;

namespace fencepost::ui {

class EmptyState;
class ErrorBanner;
class RangeField;

// A page that asks one table what happened within the range: which table, which time, what the answer comes to, and how
// it is kept up to date.
class LookBackPage : public Page {
    Q_OBJECT
public:
    void activate() override;
    void reload() override;
    void setLive(bool live) override;
    void show(const QString& binding, const QString& filter) override;
    using QWidget::show;
    [[nodiscard]] Place place() const override;
    [[nodiscard]] bool handles(std::string_view command) const override { return command == "copy-link"; }
    // The link keeps the time that is shown.
    void run(std::string_view command) override;

    [[nodiscard]] QComboBox& tables() const { return *m_tables; }
    [[nodiscard]] RangeField& range() const { return *m_range; }
    [[nodiscard]] QString summary() const;
    [[nodiscard]] ErrorBanner& banner() const { return *m_banner; }

protected:
    using Wanted = bool (*)(const Binding& binding);

    struct Tables {
        const char* page; // its id
        Wanted wanted;
        QString rows; // what such a table holds: "keys or messages"
        QString whyNone = {}; // where tables are recognised, but none of these
    };
    LookBackPage(PageContext& context, Tables tables, QWidget* parent);

    [[nodiscard]] const PageContext& context() const { return m_context; }
    // What acts on the whole page, at the end of the line above it.
    QToolButton* addTool(const char* icon, const QString& words, const QString& name);
    void addTool(QWidget* tool);
    // Takes the room below. Call it once, in the constructor.
    void setContent(QWidget* content);
    [[nodiscard]] const QString& chosen() const { return m_binding; }

    virtual void ask(const models::BindingPtr& binding, const RangeRequest& request) = 0;
    // "the hour before", "the 6h before": what a figure of this range is compared with.
    [[nodiscard]] static QString beforeText(const TimeRange& range);
    // Call one of them when the answer is there.
    void answered(const Basis& basis, const QString& summary);
    void failed(const QString& attempted, const Error& error);
    void askAgain();

private:
    void fillTables();

    const PageContext m_context;
    const Tables m_shown;
    QString m_binding; // chosen; empty: there is none
    QComboBox* m_tables;
    RangeField* m_range;
    QHBoxLayout* m_tools;
    QLabel* m_mistake; // of the range that was typed
    QLabel* m_summary;
    ErrorBanner* m_banner;
    EmptyState* m_empty;
    QVBoxLayout* m_layout;
    QWidget* m_content = nullptr;
    QTimer m_refresh;
    bool m_live = false;
};

} // namespace fencepost::ui
