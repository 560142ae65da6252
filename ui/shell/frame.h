// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QWidget>

class QMenuBar;
class QSplitter;
class QStackedWidget;
class QVBoxLayout;

namespace fencepost::ui {

class Activity;
class Commands;
class EmptyState;
class EnvironmentBand;
class ErrorBanner;
class Rail;
class Theme;
class TopBar;
class RangeSetting;
class ZoneSetting;

// Greys out what lies below it, without taking clicks: what is shown there is of another time.
class Veil : public QWidget {
    Q_OBJECT
public:
    Veil(const Theme& theme, QWidget& below);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
};

// The parts of the window in their places: band, menus, top bar, rail, centre, dossier on the right, activity below.
class Frame : public QWidget {
    Q_OBJECT
public:
    Frame(const Theme& theme, const ZoneSetting& zone, RangeSetting& range, const Commands& commands, QWidget* parent);

    [[nodiscard]] EnvironmentBand& band() { return *m_band; }
    [[nodiscard]] QMenuBar& menus() { return *m_menus; }
    [[nodiscard]] TopBar& top() { return *m_top; }
    [[nodiscard]] Rail& rail() { return *m_rail; }
    [[nodiscard]] ErrorBanner& banner() { return *m_banner; }
    [[nodiscard]] QStackedWidget& stack() { return *m_stack; }
    [[nodiscard]] EmptyState& unconnected() { return *m_unconnected; }
    [[nodiscard]] Activity& activity() { return *m_activity; }

    // Fills the right slot and shows it; null empties and hides it.
    void setDossier(QWidget* dossier);
    void setStale(bool stale);
    [[nodiscard]] QJsonObject arrangement() const;
    void setArrangement(const QJsonObject& arrangement);
    void resetArrangement();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();

    EnvironmentBand* m_band;
    QMenuBar* m_menus;
    TopBar* m_top;
    Rail* m_rail;
    ErrorBanner* m_banner;
    QStackedWidget* m_stack;
    Veil* m_veil;
    EmptyState* m_unconnected;
    QWidget* m_centre;
    QWidget* m_slot;
    QVBoxLayout* m_slotLayout;
    Veil* m_slotVeil;
    Activity* m_activity;
    QSplitter* m_across;
    QSplitter* m_down;
};

} // namespace fencepost::ui
