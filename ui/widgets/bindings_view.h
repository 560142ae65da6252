// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QWidget>

#include "core/inspector.h"

class QGridLayout;
class QLayout;
class QVBoxLayout;

namespace fencepost::ui {

class Theme;

// The recognised tables of a connection: profile, what may be done there and why not, what to beware of.
class BindingsView : public QWidget {
    Q_OBJECT
public:
    BindingsView(const Theme& theme, QWidget* parent);

    void show(const std::vector<Binding>& bindings, const QString& otherwise);
    using QWidget::show;

Q_SIGNALS:
    // A table that several profiles fit.
    void mapAsked(const QString& schema, const QString& table);
    void zoneAsked(const QString& profile);
    void profileChosen(const QString& schema, const QString& table, const QString& profile);

private:
    QWidget* makeBinding(const Binding& binding);
    QLayout* makeChoice(const Binding& binding, QWidget* block);
    QWidget* makeCapabilities(const Binding& binding);
    void addCapability(QGridLayout& grid, int row, const QString& titles, const QString& words, bool allowed);
    void addCommand(QGridLayout& grid, int row, const Capability& capability);

    const Theme& m_theme;
    QVBoxLayout* m_layout;
};

} // namespace fencepost::ui
