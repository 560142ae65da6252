// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>

#include "core/forensics.h"
#include "models/deliver.h"
#include "ui/pages/look_back_page.h"
#include "ui/widgets/retry_plots.h"

namespace fencepost::ui {

class BarPlot;
class ChartCard;

// How rows of one table were tried again: by attempts and state, the delays against what a policy promises, how long
// success took, retries against their budget, and the herd around an outage. A bar opens its rows.
class RetriesPage final : public LookBackPage {
    Q_OBJECT
public:
    explicit RetriesPage(PageContext& context, QWidget* parent = nullptr);

    [[nodiscard]] PageStatus status() const override;
    [[nodiscard]] bool isLoading() const override { return m_load.pending() || m_beforeLoad.pending(); }

    enum Card { Attempts, Delays, TimeToSuccess, SuccessAfter, Amplification, Arrivals, CardCount };
    [[nodiscard]] ChartCard& card(Card card) const { return *m_cards[card]; }
    [[nodiscard]] BarPlot& plot(Card card) const { return *m_plots[card]; }
    [[nodiscard]] QComboBox& promises() const { return *m_promises; }
    [[nodiscard]] QComboBox& delays() const { return *m_delays; }
    [[nodiscard]] const std::optional<Retries>& answer() const { return m_answer; }

private:
    void build();
    void ask(const models::BindingPtr& binding, const RangeRequest& request) override;
    void showAnswer();
    void showSummary();
    void askBefore();
    void showDelays();
    void fill(Card card, const RetryPlot& made);
    void openRows(Card card, int first, int last);
    void presumePromise(const Binding& binding);
    void namePresumed(const QString& name); // empty: none is
    [[nodiscard]] Promise promise() const;

    std::array<ChartCard*, CardCount> m_cards{};
    std::array<BarPlot*, CardCount> m_plots{};
    std::array<bool, CardCount> m_ofAttempts{}; // a bar counts attempts: of one row there may be several
    QComboBox* m_promises;
    bool m_promiseChosen = false; // by somebody, not by us
    QComboBox* m_delays; // whose delays are shown
    models::BindingPtr m_asked;
    std::optional<Retries> m_answer;
    std::optional<double> m_before; // the amplification of the stretch before; none: not yet known
    models::Latest<Result<Retries>> m_load;
    models::Latest<Result<Retries>> m_beforeLoad;
};

[[nodiscard]] Page* makeRetriesPage(PageContext& context, QWidget* parent);

} // namespace fencepost::ui
