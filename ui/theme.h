// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QString>

class QApplication;
class QLineEdit;
class QPainter;
class QRect;
class QRectF;
class QToolButton;
class QWidget;

namespace fencepost::ui {

enum class Scheme { Light, Dark };

// The console's font with figures of one width; made at run time, so no other program has it.
inline constexpr QLatin1String tabularFamily("Inter Tabular");

// What a colour means. Nothing outside theme.cpp names a colour by its value.
enum class Role {
    Background,
    Surface,
    Border, // hairlines between surfaces
    Edge, // outlines of controls
    Text,
    Muted,
    Accent,
    AccentStrong,
    OnAccent,
    InProgress,
    Succeeded,
    FailedRetryable,
    FailedFinal,
    Held,
    Expired,
    Unknown,
    Warning,
    Danger, // words and outlines
    DangerFill,
    OnDanger,
    Local,
    Development,
    Staging,
    Production,
};

enum class Text { Title, Section, Body, Strong, Caption, Figure, Mono, MonoCaption };

namespace space {
inline constexpr int tiny = 4;
inline constexpr int small = 8;
inline constexpr int medium = 12;
inline constexpr int large = 16;
inline constexpr int huge = 24;
inline constexpr int radius = 6;
inline constexpr int row = 28; // comfortable grid row
inline constexpr int denseRow = 24;
inline constexpr int icon = 16; // in rows, buttons and menus
inline constexpr int railIcon = 20;
} // namespace space

// How a state is shown, always all three. Words of inbox, outbox and dead letters share the six by meaning.
struct StateLook {
    const char* icon;
    QString word;
    Role role;
    bool dotted = false; // UNKNOWN: text on a dotted border
};

// How an environment is shown: local, development, staging, production, snapshot. Production is hatched as well.
struct EnvironmentLook {
    const char* icon;
    QString word;
    Role role;
    bool hatched = false;
};

[[nodiscard]] StateLook stateLook(std::string_view state);
// Every state of a row that has a look, settled ones first: stacked from below, what needs a hand lies on top.
[[nodiscard]] std::span<const std::string_view> stackedStates();
[[nodiscard]] EnvironmentLook environmentLook(std::string_view environment);

// A state as a grid or a header draws it.
struct StateBadge {
    std::string_view state;
    bool stuck = false; // adds the clock and the hatched edge, never a colour of its own
    bool dimmed = false; // stale, or already acted upon
    bool framed = false; // with a tinted rounded ground, for headers and legends
};

// A foreground and the ground that it stands on, for the contrast test.
struct ColourPair {
    const char* what;
    Role foreground;
    Role ground;
};

// Colours, type, icons and the painter's helpers, in one of two schemes. Widgets that paint by themselves repaint on
// changed(); everything else follows the palette and the style sheet.
class Theme : public QObject {
    Q_OBJECT
public:
    explicit Theme(Scheme scheme, QObject* parent = nullptr);
    ~Theme() override;

    [[nodiscard]] Scheme scheme() const;
    void setScheme(Scheme scheme);
    // Fusion, palette, style sheet and fonts; again whenever the scheme changes.
    void applyTo(QApplication& application);

    [[nodiscard]] QColor color(Role role) const;
    // `percent` of the role's colour over the surface: hover 8, selection 16.
    [[nodiscard]] QColor tint(Role role, int percent) const;
    [[nodiscard]] QFont font(Text text) const;
    // A file of resources/icons by its name, drawn in the role's colour of the current scheme whenever it is painted.
    [[nodiscard]] QIcon icon(const char* name, Role role = Role::Text) const;
    void paintIcon(QPainter& painter, const QRectF& place, const char* name, const QColor& colour) const;

    // Icon, word and colour, left-aligned and vertically centred in the place.
    void paintState(QPainter& painter, const QRect& place, const StateBadge& badge) const;
    [[nodiscard]] int widthOf(const StateBadge& badge) const;
    // Diagonal strokes: production, stuck, envelopes of a policy.
    void paintHatch(QPainter& painter, const QRectF& place, const QColor& colour) const;
    void paintHatchedEdge(QPainter& painter, const QRect& row) const;

    [[nodiscard]] static std::span<const ColourPair> colourPairs();
    [[nodiscard]] static double contrast(const QColor& a, const QColor& b);

Q_SIGNALS:
    void changed();

private:
    struct Shared;
    std::shared_ptr<Shared> d; // icons own it too: they are painted after the theme changed
    QApplication* m_application = nullptr;
};

// Words and icon, or the icon alone; the style sheet gives each its own room.
void setWords(QToolButton& button, bool shown);
// The button that clears a field, with an icon of this family.
void addClearButton(QLineEdit& field, const Theme& theme);

// Style sheet hooks. setTone: muted, good, warning, danger, accent. setKind: primary, danger, flat, link, button.
// setPart: card, surface, background, line, line-vertical, code, keycap, pill.
void setTone(QWidget* widget, const char* tone);
void setKind(QWidget* widget, const char* kind);
void setPart(QWidget* widget, const char* part);

} // namespace fencepost::ui
