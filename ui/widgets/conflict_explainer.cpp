// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/conflict_explainer.h"

#include <QBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>

#include "core/ids.h"
#include "core/redaction.h"
#include "models/redacted_explanation.h"
#include "models/session.h"
#include "models/visible_text.h"
#include "ui/theme.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_table.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

QString checkText(FailedCheck check)
{
    switch (check) {
    case FailedCheck::None:
        return ConflictExplainer::tr("No check fails: it would be replayed.");
    case FailedCheck::Validation:
        return ConflictExplainer::tr("Validation refuses it, with 400, before its key is looked at: it has no "
                                     "fingerprint.");
    case FailedCheck::Body:
        return ConflictExplainer::tr("The fingerprint refuses it: the bodies differ.");
    case FailedCheck::Around:
        return ConflictExplainer::tr("The fingerprint refuses it although the bodies are the same: the method, path, "
                                     "query, media type or a header differs.");
    case FailedCheck::NotTold:
        return ConflictExplainer::tr("Nobody can say whether it would be refused: what the first request was sent "
                                     "with, or its hash, is not told "
                                     "here.");
    case FailedCheck::Unknown:
        return ConflictExplainer::tr(
            "The fingerprint refuses it. The first body was not kept whole, so nobody can say where they differ.");
    }
    return {};
}

// Of an event of the inbox: which payload it is, and what became of it.
QString payloadText(const ConflictExplanation& explanation)
{
    switch (explanation.match) {
    case Match::Same:
        return ConflictExplainer::tr("This is the payload that the inbox has: its event would be a duplicate.");
    case Match::Refused:
        return ConflictExplainer::tr("This is a payload that was refused, %1: its hash is another one.")
            .arg(counted(explanation.refused->count, ConflictExplainer::tr("time"), ConflictExplainer::tr("times")));
    case Match::Body:
    case Match::Other:
        return ConflictExplainer::tr("This is neither the inbox's payload nor one of those that were told apart: it "
                                     "would be refused, because its hash is another one.");
    case Match::Unknown:
        return ConflictExplainer::tr("Nobody can say which payload it is: a hash that tells them apart is not there, "
                                     "or hidden in this copy.");
    }
    return {};
}

QString matchText(const ConflictExplanation& explanation)
{
    switch (explanation.match) {
    case Match::Same:
        return ConflictExplainer::tr("This is the request that the record is of.");
    case Match::Refused:
        return explanation.refused->count == 1 ? ConflictExplainer::tr("This is a request that was refused once.")
                                               : ConflictExplainer::tr("This is a request that was refused %1 times.")
                                                     .arg(numberText(explanation.refused->count));
    case Match::Body:
        return ConflictExplainer::tr("Its body is the one that the record is of, by its hash.");
    case Match::Other:
        return ConflictExplainer::tr("This is neither the record's request nor one of those that were told apart.");
    case Match::Unknown:
        return ConflictExplainer::tr(
            "Nobody can say which request it is: what tells them apart is hidden in this copy.");
    }
    return {};
}

// In words of the explanation: member_order is "member order".
QString plainWord(std::string_view word)
{
    auto words = text(word);
    words.replace(u'_', u' ');
    return words;
}

} // namespace

ConflictExplainer::ConflictExplainer(const Theme& theme, models::Session* session, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
    , m_facts(new PlainLabel(this))
    , m_payload(new QPlainTextEdit(this))
    , m_compare(new QPushButton(theme.icon("conflicts"), tr("Compare"), this))
    , m_verdict(new PlainLabel(this))
    , m_differences(new PlainTable(theme,
          { { tr("What"), 184 }, { tr("Where"), 146, true }, { tr("Kept"), 0, true, false, true },
              { tr("Presented"), 0, true, false, true } },
          this))
{
    for (auto* label : { m_facts, m_verdict }) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    setTone(m_facts, "muted");
    m_verdict->setAccessibleName(tr("What the comparison says"));
    m_payload->setPlaceholderText(tr("Paste the body that a client sent: it is compared here, and sent nowhere"));
    m_payload->setFont(theme.font(Text::MonoCaption));
    m_payload->setAccessibleName(tr("Presented body"));
    m_payload->setTabChangesFocus(true);
    m_payload->setMinimumHeight(64);
    m_differences->setAccessibleName(tr("Where the bodies differ"));
    m_differences->setEmptyText(tr("Where the bodies differ is shown here"));
    auto* left = new QVBoxLayout;
    left->setSpacing(space::small);
    left->addWidget(m_facts);
    left->addWidget(m_payload, 1);
    left->addWidget(m_compare, 0, Qt::AlignLeft);
    auto* right = new QVBoxLayout;
    right->setSpacing(space::small);
    right->addWidget(m_verdict);
    right->addWidget(m_differences, 1);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(space::large, space::medium, space::large, space::medium);
    layout->setSpacing(space::large);
    layout->addLayout(left, 2);
    layout->addLayout(right, 3);
    connect(m_compare, &QPushButton::clicked, this, &ConflictExplainer::compare);
    setConflict(nullptr, {});
}

void ConflictExplainer::setConflict(const models::BindingPtr& binding, const std::optional<RefusedArrival>& arrival)
{
    const bool same = arrival && m_arrival && m_binding == binding && arrival->conflict.id == m_arrival->conflict.id;
    m_binding = binding;
    m_arrival = arrival;
    const bool ofRecord = binding && binding->kind == Kind::Idempotency;
    m_compare->setEnabled(arrival.has_value());
    m_payload->setEnabled(arrival.has_value());
    if (!arrival) {
        m_facts->setText(tr("Choose a conflict above."));
        m_differences->setLines({});
        return tell("muted", {});
    }
    if (same)
        return;
    m_facts->setText(
        (ofRecord ? tr("Key %1 of %2") : tr("Event %1 from %2"))
            .arg(models::visibleText(arrival->conflict.id.key), models::visibleText(arrival->conflict.id.operation)));
    m_differences->setLines({});
    tell("muted", {});
    compare();
}

void ConflictExplainer::compare()
{
    if (!m_arrival || !m_session)
        return;
    const auto body = m_payload->toPlainText().toStdString();
    m_load.start(
        m_session->reads(),
        [binding = m_binding, id = m_arrival->conflict.id, body](Backend& backend) -> Result<std::optional<Explained>> {
            auto* forensics = backend.inspector().forensics();
            if (forensics == nullptr)
                return std::optional<Explained>();
            auto found = forensics->conflictCase(*binding, id);
            if (!found)
                return found.error();
            if (!*found)
                return std::optional<Explained>();
            Explained explained{ std::move(**found), {} };
            if (!body.empty()) {
                auto explanation = explainConflict(explained.found, { .body = body });
                if (explanation.bodies)
                    explanation.bodies = models::redacted(*explanation.bodies, Redactor());
                explained.explanation = std::move(explanation);
            }
            return std::optional<Explained>(std::move(explained));
        },
        [this](const Result<std::optional<Explained>>& answer) { show(answer); });
}

void ConflictExplainer::show(const Result<std::optional<Explained>>& answer)
{
    m_differences->setLines({});
    if (!answer)
        return tell("danger", text(answer.error().message));
    if (!*answer)
        return tell("warning", tr("The record is not there any more."));
    const auto& [found, explanation] = **answer;
    const auto& record = found.record;
    if (found.payloadAlone)
        return showEvent(found, explanation);
    QStringList facts{ tr("Key %1").arg(models::visibleText(record.id.key)) };
    const auto route = models::visibleText(record.requestMethod) + u' '
        + models::visibleText(withoutSecrets(record.requestTarget.value_or("")));
    if (!route.trimmed().isEmpty())
        facts += route.trimmed();
    facts += tr("kept %1 (%2)")
                 .arg(keepsHash(record) ? elidedId(text(toHex(record.requestHash)), 20) : tr("a hash that is hidden"),
                     models::visibleText(record.fingerprintAlg));
    if (!keepsBody(record))
        facts += tr("its body was not kept");
    m_facts->setText(facts.join(QStringLiteral(" · ")));
    if (explanation)
        return showExplanation(*explanation);
    tell("muted",
        keepsBody(record) ? tr("Paste the body that was refused to see where it differs from the one that was kept.")
                          : tr("Paste a body to see whether it is one of these requests, by its hash."));
}

void ConflictExplainer::showEvent(const ConflictCase& found, const std::optional<ConflictExplanation>& explanation)
{
    const auto& record = found.record;
    QStringList facts{ tr("Event %1 from %2 at %3")
                           .arg(models::visibleText(record.id.key), models::visibleText(record.id.operation),
                               models::visibleText(record.id.scope)) };
    facts += record.requestHash.empty() ? tr("its row is gone")
        : keepsHash(record)             ? tr("kept %1").arg(elidedId(text(toHex(record.requestHash)), 20))
                                        : tr("kept a hash that is hidden");
    m_facts->setText(facts.join(QStringLiteral(" · ")));
    if (explanation)
        return showExplanation(*explanation);
    tell("muted",
        keepsBody(record)
            ? tr("Paste the payload that was refused, which its dead letter has, to see where it differs from the one "
                 "that the outbox sent.")
            : tr("Paste a payload, as the dead letter has it, to see whether it is one of these, by its hash."));
}

void ConflictExplainer::showExplanation(const ConflictExplanation& explanation)
{
    QStringList words = explanation.payloadAlone ? QStringList{ payloadText(explanation) }
                                                 : QStringList{ matchText(explanation), checkText(explanation.failed) };
    for (const auto& note : explanation.notes)
        words += withStop(sentence(note));
    std::vector<QStringList> lines;
    if (explanation.bodies) {
        const auto where = [](const std::string& place) {
            return place.empty() ? tr("the whole body") : models::visibleText(place);
        };
        const auto& bodies = *explanation.bodies;
        for (const auto& each : bodies.differences)
            lines.push_back({ plainWord(wordOf(each.kind)), where(each.place), models::visibleText(each.before),
                models::visibleText(each.after) });
        for (const auto& each : bodies.benign)
            lines.push_back({ tr("benign: %1").arg(plainWord(wordOf(each.kind))), where(each.place),
                models::visibleText(each.before), models::visibleText(each.after) });
        if (bodies.differences.empty() && !bodies.benign.empty())
            words += tr("What differs decides nothing.");
    }
    m_differences->setLines(lines);
    const bool same = explanation.match == Match::Same;
    tell(same ? "good" : explanation.match == Match::Refused ? "warning" : "plain", words.join(u' '));
}

void ConflictExplainer::tell(const char* tone, const QString& words)
{
    setTone(m_verdict, tone);
    m_verdict->setText(words);
}

QString ConflictExplainer::verdict() const
{
    return m_verdict->text();
}

} // namespace fencepost::ui
