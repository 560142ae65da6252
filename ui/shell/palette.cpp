// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/palette.h"

#include <algorithm>

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "ui/commands.h"
#include "ui/theme.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int shortcutRole = Qt::UserRole + 1;
constexpr int groupRole = Qt::UserRole + 2;
constexpr int shownAtOnce = 11;

class OfferDelegate final : public QStyledItemDelegate {
public:
    OfferDelegate(const Theme& theme, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& /*index*/) const override
    {
        return { 100, 32 };
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (option.state & QStyle::State_Selected) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(m_theme.tint(Role::Accent, 16));
            painter->drawRoundedRect(option.rect.adjusted(4, 1, -4, -1), space::radius, space::radius);
        }
        const bool enabled = option.state & QStyle::State_Enabled;
        const QRect inner = option.rect.adjusted(space::large, 0, -space::large, 0);
        const QIcon icon = qvariant_cast<QIcon>(index.data(Qt::DecorationRole));
        icon.paint(painter, QRect(inner.left(), inner.center().y() - 8, 16, 16), Qt::AlignCenter,
            enabled ? QIcon::Normal : QIcon::Disabled);

        painter->setFont(m_theme.font(Text::Caption));
        painter->setPen(m_theme.color(Role::Muted));
        const QString shortcut = index.data(shortcutRole).toString();
        const QString group = index.data(groupRole).toString();
        const QFontMetrics small(painter->font());
        const int keys = 108;
        painter->drawText(inner, Qt::AlignVCenter | Qt::AlignRight, shortcut);
        const int groupWidth = small.horizontalAdvance(group);
        painter->drawText(
            QRect(inner.right() - keys - groupWidth, inner.top(), groupWidth, inner.height()), Qt::AlignVCenter, group);

        painter->setFont(m_theme.font(Text::Body));
        painter->setPen(m_theme.color(enabled ? Role::Text : Role::Muted));
        const QRect title(
            inner.left() + 28, inner.top(), inner.width() - 28 - keys - groupWidth - space::medium, inner.height());
        painter->drawText(title, Qt::AlignVCenter,
            QFontMetrics(painter->font())
                .elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideMiddle, title.width()));
        painter->restore();
    }

private:
    const Theme& m_theme;
};

} // namespace

int matchScore(const QString& typed, const QString& title)
{
    if (typed.isEmpty())
        return 1;
    const QString wanted = typed.toCaseFolded();
    const QString text = title.toCaseFolded();
    if (text.startsWith(wanted))
        return 1000;
    const qsizetype word = text.indexOf(QLatin1Char(' ') + wanted);
    if (word >= 0)
        return 800 - static_cast<int>(std::min<qsizetype>(word, 99));
    if (text.contains(wanted))
        return 500;
    qsizetype at = -1;
    int gaps = 0;
    for (const QChar letter : wanted) {
        if (letter.isSpace())
            continue;
        const qsizetype next = text.indexOf(letter, at + 1);
        if (next < 0)
            return 0;
        gaps += next == at + 1 ? 0 : 1;
        at = next;
    }
    return std::max(1, 200 - 30 * gaps);
}

Palette::Palette(const Theme& theme, const Commands& commands, QLineEdit& box, QWidget& window)
    : QFrame(&window)
    , m_theme(theme)
    , m_commands(commands)
    , m_box(box)
    , m_window(window)
    , m_list(new QListWidget(this))
{
    setPart(this, "card");
    setAccessibleName(tr("Command palette"));
    m_list->setItemDelegate(new OfferDelegate(theme, m_list));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setAccessibleName(tr("Matches"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, space::tiny, 1, space::tiny);
    layout->addWidget(m_list);
    box.installEventFilter(this);
    window.installEventFilter(this);
    connect(&box, &QLineEdit::textEdited, this, &Palette::open);
    connect(m_list, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) { choose(m_list->row(item)); });
    hide();
}

void Palette::addFinder(Finder finder)
{
    m_finders.push_back(std::move(finder));
}

void Palette::open()
{
    refill();
    place();
    show();
    raise();
}

void Palette::close()
{
    hide();
}

bool Palette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &m_window && event->type() == QEvent::Resize && isVisible())
        place();
    if (watched != &m_box)
        return false;
    if (event->type() == QEvent::FocusOut)
        close();
    if (event->type() == QEvent::MouseButtonPress && !isVisible())
        open();
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    const int count = m_list->count();
    switch (key->key()) {
    case Qt::Key_Escape:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        break;
    default:
        return false;
    }
    if (event->type() == QEvent::ShortcutOverride) { // Esc here closes the palette, not what lies under it
        event->accept();
        return true;
    }
    if (key->key() == Qt::Key_Escape) {
        close();
        m_box.clear();
        m_window.setFocus();
    } else if (!isVisible()) {
        open();
    } else if (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down) {
        const int step = key->key() == Qt::Key_Down ? 1 : -1;
        if (count > 0)
            m_list->setCurrentRow((m_list->currentRow() + step + count) % count);
    } else {
        choose(m_list->currentRow());
    }
    return true;
}

void Palette::refill()
{
    const QString typed = m_box.text().trimmed();
    m_offers.clear();
    for (const Finder& finder : m_finders) {
        auto found = finder(typed);
        m_offers.insert(m_offers.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    }
    std::vector<std::pair<int, const Commands::Entry*>> scored;
    for (const Commands::Entry& entry : m_commands.entries()) {
        if (entry.reach == Reach::Focus || entry.id == QLatin1String("palette"))
            continue;
        const int score = std::max(
            matchScore(typed, entry.title), matchScore(typed, entry.group + QLatin1Char(' ') + entry.title) / 2);
        if (score > 0)
            scored.emplace_back(score, &entry);
    }
    // What can be done comes before what cannot, but both are found: the reason is the answer then.
    std::stable_sort(scored.begin(), scored.end(), [](const auto& a, const auto& b) {
        const bool first = a.second->action->isEnabled();
        const bool second = b.second->action->isEnabled();
        return first != second ? first : a.first > b.first;
    });
    for (const auto& [score, entry] : scored) {
        m_offers.push_back({ .title = entry->title,
            .group = entry->group,
            .shortcut = entry->action->shortcut().toString(QKeySequence::NativeText),
            .why = entry->action->isEnabled() ? QString() : entry->action->property("why").toString(),
            .icon = entry->action->icon(),
            .run = [action = entry->action] { action->trigger(); } });
        if (!entry->action->isEnabled() && m_offers.back().why.isEmpty())
            m_offers.back().why = tr("Not available here");
    }
    m_list->clear();
    for (const Offer& offer : m_offers) {
        auto* item = new QListWidgetItem(
            offer.icon, offer.why.isEmpty() ? offer.title : tr("%1 — %2").arg(offer.title, offer.why), m_list);
        item->setData(shortcutRole, offer.shortcut);
        item->setData(groupRole, offer.group);
        item->setToolTip(plainToolTip(offer.why));
        if (!offer.why.isEmpty())
            item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
    }
    if (m_offers.empty()) {
        auto* item = new QListWidgetItem(tr("Nothing fits “%1”").arg(typed), m_list);
        item->setFlags(Qt::NoItemFlags);
    }
    m_list->setCurrentRow(0);
}

void Palette::place()
{
    const QPoint below = m_box.mapTo(&m_window, QPoint(0, m_box.height() + space::tiny));
    const int width = std::max(m_box.width(), 560);
    const int left = std::clamp(below.x() + (m_box.width() - width) / 2, space::small,
        std::max(space::small, m_window.width() - width - space::small));
    const int rows = std::clamp(m_list->count(), 1, shownAtOnce);
    setGeometry(left, below.y(), width, rows * 32 + 2 * space::tiny + 4);
}

void Palette::choose(int row)
{
    if (row < 0 || row >= static_cast<int>(m_offers.size()) || !m_offers[static_cast<std::size_t>(row)].why.isEmpty())
        return;
    const auto run = m_offers[static_cast<std::size_t>(row)].run;
    close();
    m_box.clear();
    m_window.setFocus(); // single keys work again at once
    run();
}

} // namespace fencepost::ui
