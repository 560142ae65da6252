// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

namespace fencepost::ui {

class Theme;

// The band under a title: where one is, as colour and word, and hatched in production. Also on top of plan dialogs.
class EnvironmentBand : public QWidget {
    Q_OBJECT
public:
    explicit EnvironmentBand(const Theme& theme, QWidget* parent = nullptr);

    // `place` is the connection and host: "orders-prod · db1.example:5432/orders".
    void show(const QString& environment, const QString& place);
    using QWidget::show;
    [[nodiscard]] QSize sizeHint() const override { return { 200, 24 }; }
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    QString m_environment;
    QString m_place;
};

// The same for lists and the top bar: icon and word in the environment's colour.
class EnvironmentChip : public QWidget {
    Q_OBJECT
public:
    explicit EnvironmentChip(const Theme& theme, QWidget* parent = nullptr);

    void setEnvironment(const QString& environment);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    QString m_environment;
};

} // namespace fencepost::ui
