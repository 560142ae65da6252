// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"

#include <array>
#include <cmath>
#include <vector>

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QFontDatabase>
#include <QFontMetrics>
#include <QHash>
#include <QIconEngine>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QProxyStyle>
#include <QRegularExpression>
#include <QStyledItemDelegate>
#include <QSvgRenderer>
#include <QToolButton>
#include <QWidget>

#include "ui/tabular_font.h"

namespace fencepost::ui {

namespace {

struct Colour {
    Role role;
    const char* name; // in the style sheet
    const char* light;
    const char* dark;
};

constexpr Colour colours[] = {
    { Role::Background, "background", "#F5F7FA", "#12161C" },
    { Role::Surface, "surface", "#FFFFFF", "#1A2029" },
    { Role::Border, "border", "#D9DEE5", "#2C3542" },
    { Role::Edge, "edge", "#BCC5D0", "#465365" },
    { Role::Text, "text", "#17202B", "#E6EAF0" },
    { Role::Muted, "muted", "#5B6775", "#95A1B0" },
    { Role::Accent, "accent", "#2563EB", "#6EA0FF" },
    { Role::AccentStrong, "accent_strong", "#1D4FC4", "#8FB6FF" },
    { Role::OnAccent, "on_accent", "#FFFFFF", "#12161C" },
    { Role::InProgress, "in_progress", "#1F6FB2", "#5EB1F0" },
    { Role::Succeeded, "succeeded", "#0B7A5A", "#3CC79C" },
    { Role::FailedRetryable, "failed_retryable", "#9A6100", "#F0B445" },
    { Role::FailedFinal, "failed_final", "#B5400B", "#FF8A5C" },
    { Role::Held, "held", "#8E3A78", "#E08CC8" },
    { Role::Expired, "expired", "#647080", "#8C98A7" },
    { Role::Unknown, "unknown", "#17202B", "#E6EAF0" },
    { Role::Warning, "warning", "#8A5700", "#F0B445" },
    { Role::Danger, "danger", "#B3261E", "#FF8A80" },
    { Role::DangerFill, "danger_fill", "#B3261E", "#A8281F" },
    { Role::OnDanger, "on_danger", "#FFFFFF", "#FFFFFF" },
    { Role::Local, "local", "#5B6775", "#95A1B0" },
    { Role::Development, "development", "#1F6FB2", "#5EB1F0" },
    { Role::Staging, "staging", "#8A5700", "#F0B445" },
    { Role::Production, "production", "#B3261E", "#FF8A80" },
};

constexpr ColourPair pairs[] = {
    { "text on background", Role::Text, Role::Background },
    { "text on surface", Role::Text, Role::Surface },
    { "muted on background", Role::Muted, Role::Background },
    { "muted on surface", Role::Muted, Role::Surface },
    { "accent on background", Role::Accent, Role::Background },
    { "accent on surface", Role::Accent, Role::Surface },
    { "on accent", Role::OnAccent, Role::Accent },
    { "on strong accent", Role::OnAccent, Role::AccentStrong },
    { "in progress", Role::InProgress, Role::Surface },
    { "in progress on background", Role::InProgress, Role::Background },
    { "succeeded", Role::Succeeded, Role::Surface },
    { "succeeded on background", Role::Succeeded, Role::Background },
    { "failed, retryable", Role::FailedRetryable, Role::Surface },
    { "failed, retryable on background", Role::FailedRetryable, Role::Background },
    { "failed finally", Role::FailedFinal, Role::Surface },
    { "failed finally on background", Role::FailedFinal, Role::Background },
    { "held", Role::Held, Role::Surface },
    { "held on background", Role::Held, Role::Background },
    { "expired", Role::Expired, Role::Surface },
    { "expired on background", Role::Expired, Role::Background },
    { "unknown", Role::Unknown, Role::Surface },
    { "warning", Role::Warning, Role::Surface },
    { "warning on background", Role::Warning, Role::Background },
    { "danger", Role::Danger, Role::Surface },
    { "danger on background", Role::Danger, Role::Background },
    { "on danger", Role::OnDanger, Role::DangerFill },
    { "local", Role::Local, Role::Surface },
    { "development", Role::Development, Role::Surface },
    { "staging", Role::Staging, Role::Surface },
    { "production", Role::Production, Role::Surface },
};

struct StateWord {
    const char* word;
    const char* icon;
    Role role;
};

// Settled ones first, what needs a hand last: the order in which bars are stacked from below.
constexpr StateWord stateWords[] = {
    { "SUCCEEDED", "state-succeeded", Role::Succeeded },
    { "PROCESSED", "state-succeeded", Role::Succeeded },
    { "SENT", "state-succeeded", Role::Succeeded },
    { "DISPATCHED", "state-succeeded", Role::Succeeded },
    { "ABSENT", "state-expired", Role::Expired },
    { "EXPIRED", "state-expired", Role::Expired },
    { "DISCARDED", "state-expired", Role::Expired },
    { "RECEIVED", "state-expired", Role::Expired },
    { "PENDING", "state-expired", Role::Expired },
    { "REDRIVEN", "state-in-progress", Role::InProgress },
    { "FAILED_FINAL", "state-failed-final", Role::FailedFinal },
    { "DEAD", "state-failed-final", Role::FailedFinal },
    { "FAILED_RETRYABLE", "state-failed-retryable", Role::FailedRetryable },
    { "FAILED", "state-failed-retryable", Role::FailedRetryable },
    { "IN_PROGRESS", "state-in-progress", Role::InProgress },
    { "PROCESSING", "state-in-progress", Role::InProgress },
    { "SENDING", "state-in-progress", Role::InProgress },
    { "HELD", "state-held", Role::Held },
    { "UNKNOWN", "state-unknown", Role::Unknown },
};

// Of a run of the console's own.
constexpr StateWord runWords[] = {
    { "RUNNING", "state-in-progress", Role::InProgress },
    { "DONE", "state-succeeded", Role::Succeeded },
    { "PAUSED", "state-held", Role::Held },
    { "STOPPED", "state-expired", Role::Expired },
};

constexpr auto stackedWords = [] {
    std::array<std::string_view, std::size(stateWords)> words;
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = stateWords[i].word;
    return words;
}();

const Colour& colourOf(Role role)
{
    return colours[static_cast<std::size_t>(role)];
}

QColor valueOf(Role role, Scheme scheme)
{
    const Colour& colour = colourOf(role);
    return QColor(QLatin1String(scheme == Scheme::Light ? colour.light : colour.dark));
}

QColor over(const QColor& top, const QColor& ground, int percent)
{
    const auto mix = [percent](int a, int b) { return (a * percent + b * (100 - percent)) / 100; };
    return QColor(mix(top.red(), ground.red()), mix(top.green(), ground.green()), mix(top.blue(), ground.blue()));
}

// Figures that change in their place must not move what stands beside them.
void loadTabularFonts()
{
    static constexpr std::pair<const char*, const char*> files[] = {
        { "/usr/share/fonts/opentype/inter/Inter-Regular.otf", "Regular" },
        { "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf", "SemiBold" },
    };
    for (const auto& [path, style] : files) {
        QFile file(QLatin1String{ path });
        if (!file.open(QIODevice::ReadOnly))
            continue;
        const QByteArray font = withTabularFigures(file.readAll(), tabularFamily, QLatin1String(style));
        if (!font.isEmpty())
            QFontDatabase::addApplicationFontFromData(font);
    }
}

// The packages' fonts, for systems whose font configuration does not list them (a bare container, a portable build).
void loadFonts()
{
    static constexpr const char* files[] = {
        "/usr/share/fonts/opentype/inter/Inter-Regular.otf",
        "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf",
        "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf",
        "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-SemiBold.ttf",
    };
    const QStringList families = QFontDatabase::families();
    for (const char* file : files) {
        const QString path = QLatin1String(file);
        const QString family = QLatin1String(path.contains(QLatin1String("Inter")) ? "Inter" : "JetBrains Mono");
        if (!families.contains(family) && QFile::exists(path))
            QFontDatabase::addApplicationFont(path);
    }
    if (!families.contains(tabularFamily))
        loadTabularFonts();
}

QStringList familiesOf(bool mono)
{
    if (mono)
        return { QStringLiteral("JetBrains Mono"), QStringLiteral("DejaVu Sans Mono"), QStringLiteral("monospace") };
    return { QString(tabularFamily), QStringLiteral("Inter"), QStringLiteral("DejaVu Sans"),
        QStringLiteral("sans-serif") };
}

QFont fontOf(Text text)
{
    struct Size {
        int pixels;
        QFont::Weight weight;
        bool mono;
    };
    static constexpr Size sizes[] = {
        { 20, QFont::DemiBold, false }, // Title
        { 14, QFont::DemiBold, false }, // Section
        { 13, QFont::Normal, false }, // Body
        { 13, QFont::DemiBold, false }, // Strong
        { 11, QFont::Normal, false }, // Caption
        { 28, QFont::DemiBold, false }, // Figure
        { 12, QFont::Normal, true }, // Mono: its x-height at 12 matches the body's at 13
        { 11, QFont::Normal, true }, // MonoCaption
    };
    const Size& size = sizes[static_cast<std::size_t>(text)];
    QFont font(familiesOf(size.mono));
    font.setPixelSize(size.pixels);
    font.setWeight(size.weight);
    if (size.mono)
        font.setStyleHint(QFont::Monospace);
    return font;
}

QString filled(QString sheet, Scheme scheme)
{
    const QColor surface = valueOf(Role::Surface, scheme);
    static const QRegularExpression place(QStringLiteral("@([a-z_]+)(?::(\\d+))?@"));
    QString result;
    qsizetype end = 0;
    for (auto matches = place.globalMatch(sheet); matches.hasNext();) {
        const auto match = matches.next();
        result += sheet.mid(end, match.capturedStart() - end);
        end = match.capturedEnd();
        if (match.captured(1) == QLatin1String("scheme")) {
            result += QLatin1String(scheme == Scheme::Light ? "light" : "dark");
            continue;
        }
        const auto found = std::find_if(std::begin(colours), std::end(colours),
            [&match](const Colour& colour) { return match.captured(1) == QLatin1String(colour.name); });
        Q_ASSERT_X(found != std::end(colours), "style sheet", qPrintable(match.captured(1)));
        const QColor colour = valueOf(found->role, scheme);
        result += (match.captured(2).isEmpty() ? colour : over(colour, surface, match.captured(2).toInt())).name();
    }
    return result + sheet.mid(end);
}

QPalette paletteOf(Scheme scheme)
{
    const auto value = [scheme](Role role) { return valueOf(role, scheme); };
    QPalette palette;
    palette.setColor(QPalette::Window, value(Role::Background));
    palette.setColor(QPalette::Base, value(Role::Surface));
    palette.setColor(QPalette::AlternateBase, value(Role::Surface));
    palette.setColor(QPalette::Button, value(Role::Surface));
    palette.setColor(QPalette::ToolTipBase, value(Role::Surface));
    for (const auto role :
        { QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText, QPalette::BrightText })
        palette.setColor(role, value(Role::Text));
    for (const auto role : { QPalette::WindowText, QPalette::Text, QPalette::ButtonText })
        palette.setColor(QPalette::Disabled, role, value(Role::Muted));
    palette.setColor(QPalette::PlaceholderText, value(Role::Muted));
    palette.setColor(QPalette::Highlight, value(Role::Accent));
    palette.setColor(QPalette::HighlightedText, value(Role::OnAccent));
    palette.setColor(QPalette::Link, value(Role::Accent));
    palette.setColor(QPalette::LinkVisited, value(Role::Accent));
    palette.setColor(QPalette::Light, value(Role::Surface));
    palette.setColor(QPalette::Midlight, value(Role::Border));
    palette.setColor(QPalette::Mid, value(Role::Border));
    palette.setColor(QPalette::Dark, value(Role::Edge));
    palette.setColor(QPalette::Shadow, value(Role::Edge));
    return palette;
}

// The delegate that Qt gives to drop-down lists does not ask the style sheet.
class Style final : public QProxyStyle {
public:
    Style()
        : QProxyStyle(QStringLiteral("Fusion"))
    {
    }

    using QProxyStyle::polish;
    void polish(QWidget* widget) override
    {
        QProxyStyle::polish(widget);
        auto* box = qobject_cast<QComboBox*>(widget);
        if (box && !qobject_cast<QStyledItemDelegate*>(box->itemDelegate()))
            box->setItemDelegate(new QStyledItemDelegate(box));
    }
};

} // namespace

struct Theme::Shared {
    Scheme scheme;
    std::vector<QFont> fonts; // by Text; one that was used knows its face, a new one has to look for it
    QHash<QString, QByteArray> files; // name -> SVG
    QHash<QString, QPixmap> drawn; // name, colour, size and ratio -> picture

    QByteArray file(const char* name)
    {
        const QString key = QLatin1String(name);
        auto found = files.constFind(key);
        if (found == files.constEnd()) {
            QFile source(QStringLiteral(":/icons/%1.svg").arg(key));
            const bool there = source.open(QIODevice::ReadOnly);
            Q_ASSERT_X(there, "Theme::icon", name);
            found = files.insert(key, there ? source.readAll() : QByteArray());
        }
        return *found;
    }

    QPixmap draw(const char* name, const QColor& colour, QSize size, qreal ratio)
    {
        const QString key = QStringLiteral("%1 %2 %3x%4@%5")
                                .arg(QLatin1String(name), colour.name())
                                .arg(size.width())
                                .arg(size.height())
                                .arg(ratio);
        if (const auto found = drawn.constFind(key); found != drawn.constEnd())
            return *found;
        QPixmap pixmap((QSizeF(size) * ratio).toSize());
        pixmap.setDevicePixelRatio(ratio);
        pixmap.fill(Qt::transparent);
        QSvgRenderer renderer(QByteArray(file(name)).replace("currentColor", colour.name().toLatin1()));
        renderer.setAspectRatioMode(Qt::KeepAspectRatio);
        QPainter painter(&pixmap);
        renderer.render(&painter, QRectF(QPointF(), QSizeF(size)));
        painter.end();
        return drawn.insert(key, pixmap).value();
    }
};

namespace {

class IconEngine final : public QIconEngine {
public:
    using Draw = std::function<QPixmap(QIcon::Mode, QSize, qreal)>;
    explicit IconEngine(Draw draw)
        : m_draw(std::move(draw))
    {
    }

    void paint(QPainter* painter, const QRect& place, QIcon::Mode mode, QIcon::State) override
    {
        painter->drawPixmap(place.topLeft(), m_draw(mode, place.size(), painter->device()->devicePixelRatioF()));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override { return m_draw(mode, size, 1); }
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal scale) override
    {
        return m_draw(mode, (QSizeF(size) / scale).toSize(), scale);
    }
    QIconEngine* clone() const override { return new IconEngine(m_draw); }

private:
    Draw m_draw;
};

} // namespace

Theme::Theme(Scheme scheme, QObject* parent)
    : QObject(parent)
    , d(std::make_shared<Shared>())
{
    d->scheme = scheme;
    loadFonts();
    for (const Text text : { Text::Title, Text::Section, Text::Body, Text::Strong, Text::Caption, Text::Figure,
             Text::Mono, Text::MonoCaption })
        d->fonts.push_back(fontOf(text));
}

Theme::~Theme() = default;

Scheme Theme::scheme() const
{
    return d->scheme;
}

void Theme::setScheme(Scheme scheme)
{
    if (d->scheme == scheme)
        return;
    d->scheme = scheme;
    if (m_application)
        applyTo(*m_application);
    Q_EMIT changed();
}

void Theme::applyTo(QApplication& application)
{
    if (!m_application)
        application.setStyle(new Style); // the application owns it
    m_application = &application;
    application.setPalette(paletteOf(d->scheme));
    application.setFont(font(Text::Body));
    QFile sheet(QStringLiteral(":/themes/fencepost.qss"));
    const bool there = sheet.open(QIODevice::ReadOnly);
    Q_ASSERT(there);
    if (there)
        application.setStyleSheet(filled(QString::fromUtf8(sheet.readAll()), d->scheme));
}

QColor Theme::color(Role role) const
{
    return valueOf(role, d->scheme);
}

QColor Theme::tint(Role role, int percent) const
{
    return over(color(role), color(Role::Surface), percent);
}

QFont Theme::font(Text text) const
{
    return d->fonts[static_cast<std::size_t>(text)];
}

QIcon Theme::icon(const char* name, Role role) const
{
    (void)d->file(name);
    return QIcon(new IconEngine([shared = d, name, role](QIcon::Mode mode, QSize size, qreal ratio) {
        const Role used = mode == QIcon::Disabled ? Role::Edge : role;
        return shared->draw(name, valueOf(used, shared->scheme), size, ratio);
    }));
}

void Theme::paintIcon(QPainter& painter, const QRectF& place, const char* name, const QColor& colour) const
{
    // What is drawn larger is drawn anew, in steps of halves, so that its edges stay sharp.
    const double larger = std::max(1.0, std::ceil(2 * painter.worldTransform().m11()) / 2);
    const QPixmap pixmap = d->draw(name, colour, place.size().toSize(), painter.device()->devicePixelRatioF() * larger);
    painter.drawPixmap(place.topLeft(), pixmap);
}

int Theme::widthOf(const StateBadge& badge) const
{
    const StateLook look = stateLook(badge.state);
    const int words = QFontMetrics(font(Text::Body)).horizontalAdvance(look.word);
    const int clock = badge.stuck ? space::icon + space::tiny : 0;
    return space::icon + space::small + words + clock
        + (badge.framed       ? 2 * space::small
                : look.dotted ? 2 * space::tiny
                              : 0);
}

void Theme::paintState(QPainter& painter, const QRect& place, const StateBadge& badge) const
{
    const StateLook look = stateLook(badge.state);
    const QColor colour = badge.dimmed ? color(Role::Muted) : color(look.role);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QRectF inner = place;
    if (badge.framed || look.dotted) {
        QRectF ground(place.left(), place.center().y() - 11, std::min(place.width(), widthOf(badge)), 22);
        ground.adjust(0.5, 0.5, -0.5, -0.5);
        painter.setBrush(badge.framed && !look.dotted ? QBrush(tint(look.role, 8)) : Qt::NoBrush);
        painter.setPen(QPen(
            badge.framed && !look.dotted ? tint(look.role, 40) : colour, 1, look.dotted ? Qt::DotLine : Qt::SolidLine));
        painter.drawRoundedRect(ground, space::radius, space::radius);
        inner.adjust(badge.framed ? space::small : space::tiny, 0, 0, 0);
    }
    const QRectF icon(inner.left(), inner.center().y() - space::icon / 2.0, space::icon, space::icon);
    paintIcon(painter, icon, look.icon, colour);
    painter.setFont(font(Text::Body));
    painter.setPen(colour);
    const QFontMetrics metrics(painter.font());
    const qreal left = icon.right() + (badge.framed ? space::tiny + 2 : space::small);
    const qreal room = inner.right() - left - (badge.stuck ? space::icon + space::tiny : 0);
    const QString word = metrics.elidedText(look.word, Qt::ElideRight, static_cast<int>(room));
    painter.drawText(QRectF(left, inner.top(), room, inner.height()), Qt::AlignVCenter | Qt::AlignLeft, word);
    if (badge.stuck) {
        const qreal clock = left + metrics.horizontalAdvance(word) + space::tiny;
        paintIcon(painter, QRectF(clock, icon.top(), space::icon, space::icon), "clock", colour);
    }
    painter.restore();
}

void Theme::paintHatch(QPainter& painter, const QRectF& place, const QColor& colour) const
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(place, Qt::IntersectClip);
    painter.setPen(QPen(colour, 1.5));
    for (qreal x = place.left() - place.height(); x < place.right(); x += 6)
        painter.drawLine(QPointF(x, place.bottom()), QPointF(x + place.height(), place.top()));
    painter.restore();
}

void Theme::paintHatchedEdge(QPainter& painter, const QRect& row) const
{
    paintHatch(painter, QRectF(row.left(), row.top() + 1, 4, row.height() - 2), color(Role::InProgress));
}

std::span<const ColourPair> Theme::colourPairs()
{
    return pairs;
}

double Theme::contrast(const QColor& a, const QColor& b)
{
    const auto luminance = [](const QColor& colour) {
        const auto linear = [](double value) {
            return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
    };
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

StateLook stateLook(std::string_view state)
{
    for (const std::span<const StateWord> words : { std::span<const StateWord>(stateWords), { runWords } })
        for (const StateWord& known : words)
            if (state == known.word)
                return { known.icon, QLatin1String(known.word), known.role, known.role == Role::Unknown };
    return { "state-unknown", QStringLiteral("UNKNOWN"), Role::Unknown, true };
}

std::span<const std::string_view> stackedStates()
{
    return stackedWords;
}

EnvironmentLook environmentLook(std::string_view environment)
{
    if (environment == "production")
        return { "environment-production", QStringLiteral("PRODUCTION"), Role::Production, true };
    if (environment == "staging")
        return { "environment-staging", QStringLiteral("STAGING"), Role::Staging };
    if (environment == "development")
        return { "environment-development", QStringLiteral("DEVELOPMENT"), Role::Development };
    if (environment == "snapshot")
        return { "environment-snapshot", QStringLiteral("SNAPSHOT"), Role::Accent };
    return { "environment-local", QStringLiteral("LOCAL"), Role::Local };
}

namespace {

void setHook(QWidget* widget, const char* hook, const char* value)
{
    // Matching the style sheet again costs most of a millisecond.
    if (widget->property(hook).toString() == QLatin1String(value))
        return;
    widget->setProperty(hook, QLatin1String(value));
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

} // namespace

void setWords(QToolButton& button, bool shown)
{
    const auto style = shown ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly;
    if (button.toolButtonStyle() == style)
        return;
    button.setToolButtonStyle(style);
    button.style()->unpolish(&button);
    button.style()->polish(&button);
}

void addClearButton(QLineEdit& field, const Theme& theme)
{
    field.setClearButtonEnabled(true);
    if (auto* clear = field.findChild<QAction*>(QStringLiteral("_q_qlineeditclearaction")))
        clear->setIcon(theme.icon("close", Role::Muted));
}

void setTone(QWidget* widget, const char* tone)
{
    setHook(widget, "tone", tone);
}

void setKind(QWidget* widget, const char* kind)
{
    setHook(widget, "kind", kind);
}

void setPart(QWidget* widget, const char* part)
{
    setHook(widget, "part", part);
}

} // namespace fencepost::ui
