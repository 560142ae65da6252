// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include "ui/dialogs/plan_form.h"

namespace fencepost::ui {
namespace {

const std::vector<ActionParameter> asked = {
    { .name = "stuckAfter", .type = "duration", .standard = "PT5M", .label = "Stuck after" },
    { .name = "ticket", .type = "text", .label = "Ticket", .required = true },
    { .name = "newOwner", .type = "uuid" },
    { .name = "shard", .type = "integer" },
};

void type(const PlanForm& form, const char* name, const char* words)
{
    auto* field = form.findChild<QLineEdit*>(QLatin1String(name));
    ASSERT_NE(field, nullptr) << name;
    field->clear();
    QTest::keyClicks(field, QLatin1String(words));
}

TEST(PlanFormTest, AsksForWhatTheProfilesActionAsks)
{
    PlanForm form(findOperation("release"), false, nullptr, asked);
    EXPECT_TRUE(
        form.findChild<QLineEdit*>(QStringLiteral("stuckAfter"))->placeholderText().contains(QStringLiteral("PT5M")));
    EXPECT_EQ(form.whyIncomplete(), QStringLiteral("Ticket is missing."));
    type(form, "ticket", "INC-7");
    EXPECT_EQ(form.whyIncomplete(), QString());
    EXPECT_EQ(form.parameters().at("ticket"), "INC-7");
    EXPECT_EQ(form.parameters().count("stuckAfter"), 0U) << "the profile's own standard holds";
    type(form, "stuckAfter", "soon");
    EXPECT_EQ(form.whyIncomplete(), QStringLiteral("Stuck after is a duration like 5m or PT5M."));
    type(form, "stuckAfter", "PT10M");
    type(form, "newOwner", "me");
    EXPECT_EQ(form.whyIncomplete(), QStringLiteral("newOwner is a UUID."));
    type(form, "newOwner", "00000000-0000-4000-8000-000000000001");
    type(form, "shard", "1.5");
    EXPECT_EQ(form.whyIncomplete(), QStringLiteral("shard is a whole number."));
    type(form, "shard", "3");
    EXPECT_EQ(form.whyIncomplete(), QString());
    EXPECT_EQ(form.parameters().size(), 4U);
}

TEST(PlanFormTest, OfAnothersTableOnlyWhatItsActionUses)
{
    const PlanForm own(findOperation("fail"), true);
    EXPECT_NE(own.findChild<QLineEdit*>(QStringLiteral("response_code")), nullptr);
    PlanForm fail(findOperation("fail"), false);
    EXPECT_TRUE(fail.findChildren<QLineEdit*>().isEmpty());
    PlanForm mapped(findOperation("fail"), false, nullptr, { { .name = "response_code", .type = "integer" } });
    ASSERT_NE(mapped.findChild<QLineEdit*>(QStringLiteral("response_code")), nullptr);

    PlanForm release(findOperation("release"), false, nullptr,
        { { .name = "effect_checked", .type = "text", .label = "How it was checked", .required = true } });
    EXPECT_EQ(release.whyIncomplete(), QStringLiteral("How it was checked is missing."));
    type(release, "effect_checked", "the provider has no such payment");
    EXPECT_EQ(release.whyIncomplete(), QString());
    PlanForm free(findOperation("release"), false);
    EXPECT_EQ(free.findChild<QLineEdit*>(QStringLiteral("effect_checked")), nullptr);
}

TEST(PlanFormTest, WhatIsTypedIsKnownAtOnce)
{
    PlanForm form(findOperation("release"), false, nullptr, asked);
    QString hint;
    QObject::connect(&form, &PlanForm::typed, &form, [&] { hint = form.whyIncomplete(); });
    QTest::keyClicks(form.findChild<QLineEdit*>(QStringLiteral("ticket")), QStringLiteral("I"));
    EXPECT_EQ(hint, QString());
    EXPECT_TRUE(form.isBeingTyped());
    QSignalSpy changed(&form, &PlanForm::parametersChanged);
    ASSERT_TRUE(changed.wait(2000)) << "nobody has to leave the field";
    EXPECT_FALSE(form.isBeingTyped());
}

TEST(PlanFormTest, AsksNothingMoreWhereTheProfileAsksForNothing)
{
    PlanForm form(findOperation("fence"), true);
    EXPECT_EQ(form.findChild<QLineEdit*>(QStringLiteral("stuckAfter")), nullptr);
}

} // namespace
} // namespace fencepost::ui
