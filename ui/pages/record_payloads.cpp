// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <QBoxLayout>

#include "models/session.h"
#include "ui/pages/dossier_facts.h"
#include "ui/pages/record_dossier.h"
#include "ui/reveal.h"
#include "ui/theme.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/payload_view.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"

namespace fencepost::ui {

bool RecordDossier::hasPayloadsOf(const Contents& contents) const
{
    const auto same = [](const Payload& left, const Payload& right) {
        return left.name == right.name && left.size == right.size && left.bytes == right.bytes;
    };
    return m_details
        && std::equal(contents.details->payloads.begin(), contents.details->payloads.end(), m_details->payloads.begin(),
            m_details->payloads.end(), same);
}

void RecordDossier::showPayloads()
{
    while (auto* item = m_payloadColumn->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_payloads.clear();
    const auto deliveries = failedDeliveries(*m_details);
    const bool told = deliveries && deliveries->has_value();
    for (const auto& payload : m_details->payloads) {
        if (told && payload.name == failedDeliveriesName)
            continue; // see the attempts
        auto* view = new PayloadView(m_context.theme, this);
        view->setPayload(payload);
        connect(view, &PayloadView::revealAsked, this, &RecordDossier::reveal);
        m_payloadColumn->addWidget(view);
        m_payloads.push_back(view);
    }
    if (m_payloads.empty()) {
        auto* none = new PlainLabel(tr("No payload is stored with this record."), this);
        setTone(none, "muted");
        m_payloadColumn->addWidget(none);
    }
    m_payloadColumn->addStretch(1);
}

void RecordDossier::reveal(const QString& name, const QString& pointer)
{
    auditLook(
        *m_context.session, *m_binding, m_identity, name, pointer, this, [this, name, pointer](const Status& seen) {
            if (!seen)
                return m_banner->report(tr("write the look into the audit, so the values stay hidden"), seen.error());
            for (auto* view : m_payloads)
                if (text(view->payload().name) == name)
                    view->reveal(pointer);
        });
}

} // namespace fencepost::ui
