// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "models/visible_text.h"
#include "ui/widgets/payload_text.h"

using namespace fencepost;
using namespace fencepost::ui;

namespace {

Payload payload(std::string bytes, const char* type, std::int64_t size = -1)
{
    Payload payload;
    payload.size = size < 0 ? std::int64_t(bytes.size()) : size;
    payload.bytes = std::move(bytes);
    payload.contentType = type;
    return payload;
}

} // namespace

TEST(PayloadTextTest, JsonIsIndentedWithoutChangingAToken)
{
    EXPECT_EQ(indentJson(R"({"b":0.0010,"a":[1,{"c":"x,{}\""}],"b":2,"e":{},"f":[ ]})"),
        "{\n  \"b\": 0.0010,\n  \"a\": [\n    1,\n    {\n      \"c\": \"x,{}\\\"\"\n    }\n  ],\n  \"b\": 2,\n  \"e\": "
        "{},\n  "
        "\"f\": []\n}");
}

TEST(PayloadTextTest, CutOffOrBrokenJsonGoesAsFarAsItGoes)
{
    EXPECT_EQ(indentJson(R"({"a":"unfin)"), "{\n  \"a\": \"unfin");
    EXPECT_EQ(indentJson("]]}"), "\n]\n]\n}");
    const auto deep = indentJson(std::string(100'000, '['));
    EXPECT_LT(deep.size(), 100'000u * 140u);
}

TEST(PayloadTextTest, AHugeBodySaysHowMuchOfItIsShown)
{
    const auto shown = read(payload(std::string(64 * 1024, 'x'), "text/plain", 64 * 1024 * 1024));
    EXPECT_TRUE(shown.caption.startsWith(QStringLiteral("text/plain · first 64 KiB of 64 MiB")));
    EXPECT_EQ(QString(shown.text).remove(u'\n').size(), 64 * 1024);
}

TEST(PayloadTextTest, ALongLineIsBrokenAndSaysSo)
{
    const std::string line(2500, '<');
    const auto shown = read({ .name = "body", .bytes = line + "\nend", .size = 2504, .contentType = "text/plain" });
    EXPECT_EQ(shown.text.count(u'\n'), 3);
    EXPECT_EQ(QString(shown.text).remove(u'\n'), QString::fromStdString(line) + QStringLiteral("end"));
    EXPECT_TRUE(shown.caption.contains(QStringLiteral("long lines are broken"))) << shown.caption.toStdString();
    EXPECT_FALSE(read({ .name = "body", .bytes = "short", .size = 5, .contentType = "text/plain" })
                     .caption.contains(QStringLiteral("broken")));
}

TEST(PayloadTextTest, ACutCharacterDoesNotMakeATextBinary)
{
    const auto shown = read(payload("gr\xc3\xbc\xc3", "text/plain", 9));
    EXPECT_EQ(shown.form, PayloadForm::Text);
    EXPECT_EQ(shown.text, QString::fromUtf8("grü"));
    EXPECT_EQ(read(payload("gr\xc3\xbc\xc3", "text/plain")).form, PayloadForm::Hex);
}

TEST(PayloadTextTest, BinaryIsAHexDump)
{
    const auto shown = read(payload(std::string("\x00\xff{\"a\"", 6), "application/octet-stream"));
    EXPECT_EQ(shown.form, PayloadForm::Hex);
    EXPECT_EQ(shown.text, QStringLiteral("00000000  00 ff 7b 22 61 22                                 ..{\"a\"\n"));
}

TEST(PayloadTextTest, DirectionOverridesAndControlsAreShownAsEscapes)
{
    EXPECT_EQ(visible(std::string_view("a\xe2\x80\xae"
                                       "b\x1b[31m\n")),
        QStringLiteral("a\\u202eb\\u001b[31m\\n"));
    const auto shown = read(payload("line\n\xe2\x81\xa6x", "text/plain"));
    EXPECT_EQ(shown.text, QStringLiteral("line\n\\u2066x"));
    EXPECT_EQ(visible(QStringLiteral("שלום עולם")), QStringLiteral("שלום עולם"));
    // The grid says it in the same words.
    EXPECT_EQ(models::visibleText(std::string("txt\xe2\x80\xae"
                                              "exe\xef\xbb\xbf\xe2\x80\x8d\xf3\xa0\x81\x81")),
        QStringLiteral("txt\\u202eexe\\ufeff\\u200d\\udb40\\udc41"));
    EXPECT_EQ(models::visibleText(std::string("\xff\t\x07")), QStringLiteral("\\xff\\t\\u0007"));
    EXPECT_EQ(models::visibleText(std::string("😀 שלום")), QStringLiteral("😀 שלום"));
}
