// SPDX-License-Identifier: GPL-3.0-or-later
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "core/ids.h"
#include "core/protocol/digest.h"
#include "core/protocol/json_number.h"

using namespace fencepost;

namespace {

std::string ecmaScript(std::uint64_t bits)
{
    std::string text;
    appendEcmaScript(text, std::bit_cast<double>(bits));
    return text;
}

// The values of the number file of cyberphone/json-canonicalization, which its README defines.
class NumberFile {
public:
    std::uint64_t next();

private:
    std::size_t m_index = 0;
    Bytes m_block = Bytes(32, '\0');
    std::size_t m_at = 32;
};

constexpr std::uint64_t fixedValues[] = { 0x0000000000000000, 0x8000000000000000, 0x0000000000000001,
    0x8000000000000001, 0xc46696695dbd1cc3, 0xc43211ede4974a35, 0xc3fce97ca0f21056, 0xc3c7213080c1a6ac,
    0xc39280f39a348556, 0xc35d9b1f5d20d557, 0xc327af4c4a80aaac, 0xc2f2f2a36ecd5556, 0xc2be51057e155558,
    0xc28840d131aaaaac, 0xc253670dc1555557, 0xc21f0b4935555557, 0xc1e8d5d42aaaaaac, 0xc1b3de4355555556,
    0xc17fca0555555556, 0xc1496e6aaaaaaaab, 0xc114585555555555, 0xc0e046aaaaaaaaab, 0xc0aa0aaaaaaaaaaa,
    0xc074d55555555555, 0xc040aaaaaaaaaaab, 0xc00aaaaaaaaaaaab, 0xbfd5555555555555, 0xbfa1111111111111,
    0xbf6b4e81b4e81b4f, 0xbf35d867c3ece2a5, 0xbf0179ec9cbd821e, 0xbecbf647612f3696, 0xbe965e9f80f29212,
    0xbe61e54c672874db, 0xbe2ca213d840baf8, 0xbdf6e80fe033c8c6, 0xbdc2533fe68fd3d2, 0xbd8d51ffd74c861c,
    0xbd5774ccac3d3817, 0xbd22c3d6f030f9ac, 0xbcee0624b3818f79, 0xbcb804ea293472c7, 0xbc833721ba905bd3,
    0xbc4ebe9c5db3c61e, 0xbc18987d17c304e5, 0xbbe3ad30dfcf371d, 0xbbaf7b816618582f, 0xbb792f9ab81379bf,
    0xbb442615600f9499, 0xbb101e77800c76e1, 0xbad9ca58cce0be35, 0xbaa4a1e0a3e6fe90, 0xba708180831f320d,
    0xba3a68cd9e985016, 0x446696695dbd1cc3, 0x443211ede4974a35, 0x43fce97ca0f21056, 0x43c7213080c1a6ac,
    0x439280f39a348556, 0x435d9b1f5d20d557, 0x4327af4c4a80aaac, 0x42f2f2a36ecd5556, 0x42be51057e155558,
    0x428840d131aaaaac, 0x4253670dc1555557, 0x421f0b4935555557, 0x41e8d5d42aaaaaac, 0x41b3de4355555556,
    0x417fca0555555556, 0x41496e6aaaaaaaab, 0x4114585555555555, 0x40e046aaaaaaaaab, 0x40aa0aaaaaaaaaaa,
    0x4074d55555555555, 0x4040aaaaaaaaaaab, 0x400aaaaaaaaaaaab, 0x3fd5555555555555, 0x3fa1111111111111,
    0x3f6b4e81b4e81b4f, 0x3f35d867c3ece2a5, 0x3f0179ec9cbd821e, 0x3ecbf647612f3696, 0x3e965e9f80f29212,
    0x3e61e54c672874db, 0x3e2ca213d840baf8, 0x3df6e80fe033c8c6, 0x3dc2533fe68fd3d2, 0x3d8d51ffd74c861c,
    0x3d5774ccac3d3817, 0x3d22c3d6f030f9ac, 0x3cee0624b3818f79, 0x3cb804ea293472c7, 0x3c833721ba905bd3,
    0x3c4ebe9c5db3c61e, 0x3c18987d17c304e5, 0x3be3ad30dfcf371d, 0x3baf7b816618582f, 0x3b792f9ab81379bf,
    0x3b442615600f9499, 0x3b101e77800c76e1, 0x3ad9ca58cce0be35, 0x3aa4a1e0a3e6fe90, 0x3a708180831f320d,
    0x3a3a68cd9e985016, 0x4024000000000000, 0x4014000000000000, 0x3fe0000000000000, 0x3fa999999999999a,
    0x3f747ae147ae147b, 0x3f40624dd2f1a9fc, 0x3f0a36e2eb1c432d, 0x3ed4f8b588e368f1, 0x3ea0c6f7a0b5ed8d,
    0x3e6ad7f29abcaf48, 0x3e35798ee2308c3a, 0x3ed539223589fa95, 0x3ed4ff26cd5a7781, 0x3ed4f95a762283ff,
    0x3ed4f8c60703520c, 0x3ed4f8b72f19cd0d, 0x3ed4f8b5b31c0c8d, 0x3ed4f8b58d1c461a, 0x3ed4f8b5894f7f0e,
    0x3ed4f8b588ee37f3, 0x3ed4f8b588e47da4, 0x3ed4f8b588e3849c, 0x3ed4f8b588e36bb5, 0x3ed4f8b588e36937,
    0x3ed4f8b588e368f8, 0x3ed4f8b588e368f1, 0x3ff0000000000000, 0xbff0000000000000, 0xbfeffffffffffffa,
    0xbfeffffffffffffb, 0x3feffffffffffffa, 0x3feffffffffffffb, 0x3feffffffffffffc, 0x3feffffffffffffe,
    0xbfefffffffffffff, 0xbfefffffffffffff, 0x3fefffffffffffff, 0x3fefffffffffffff, 0x3fd3333333333332,
    0x3fd3333333333333, 0x3fd3333333333334, 0x0010000000000000, 0x000ffffffffffffd, 0x000fffffffffffff,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x4340000000000000, 0xc340000000000000, 0x4430000000000000,
    0x44b52d02c7e14af5, 0x44b52d02c7e14af6, 0x44b52d02c7e14af7, 0x444b1ae4d6e2ef4e, 0x444b1ae4d6e2ef4f,
    0x444b1ae4d6e2ef50, 0x3eb0c6f7a0b5ed8c, 0x3eb0c6f7a0b5ed8d, 0x41b3de4355555553, 0x41b3de4355555554,
    0x41b3de4355555555, 0x41b3de4355555556, 0x41b3de4355555557, 0xbecbf647612f3696, 0x43143ff3c1cb0959 };
constexpr std::size_t seriesLength = 2000;

std::uint64_t NumberFile::next()
{
    const auto index = m_index++;
    if (index < std::size(fixedValues))
        return fixedValues[index];
    if (index < std::size(fixedValues) + seriesLength)
        return 0x0010000000000000 + (index - std::size(fixedValues));
    for (;;) {
        if (m_at == m_block.size()) {
            m_block = sha256(m_block);
            m_at = 0;
        }
        std::uint64_t bits = 0;
        std::memcpy(&bits, m_block.data() + m_at, sizeof bits);
        m_at += sizeof bits;
        const auto value = std::bit_cast<double>(bits);
        if (value != 0 && std::isfinite(value))
            return bits;
    }
}

std::string linesDigest(int lines)
{
    NumberFile file;
    Sha256 digest;
    for (int i = 0; i < lines; ++i) {
        const auto bits = file.next();
        char hex[17];
        std::snprintf(hex, sizeof hex, "%lx", bits);
        digest.add(std::string(hex) + ',' + ecmaScript(bits) + '\n');
    }
    return toHex(digest.finish());
}

std::optional<std::string> lossyOf(std::string_view token)
{
    const auto number = readJsonNumber(token);
    EXPECT_TRUE(number) << token;
    return number ? number->lossy : std::nullopt;
}

} // namespace

TEST(JsonNumber, IsWrittenAsAppendixBOfRfc8785Says)
{
    const std::pair<std::uint64_t, const char*> vectors[] = { { 0x0000000000000000, "0" }, { 0x8000000000000000, "0" },
        { 0x0000000000000001, "5e-324" }, { 0x8000000000000001, "-5e-324" },
        { 0x7fefffffffffffff, "1.7976931348623157e+308" }, { 0xffefffffffffffff, "-1.7976931348623157e+308" },
        { 0x4340000000000000, "9007199254740992" }, { 0xc340000000000000, "-9007199254740992" },
        { 0x4430000000000000, "295147905179352830000" }, { 0x44b52d02c7e14af5, "9.999999999999997e+22" },
        { 0x44b52d02c7e14af6, "1e+23" }, { 0x44b52d02c7e14af7, "1.0000000000000001e+23" },
        { 0x444b1ae4d6e2ef4e, "999999999999999700000" }, { 0x444b1ae4d6e2ef4f, "999999999999999900000" },
        { 0x444b1ae4d6e2ef50, "1e+21" }, { 0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7" },
        { 0x3eb0c6f7a0b5ed8d, "0.000001" }, { 0x41b3de4355555553, "333333333.3333332" },
        { 0x41b3de4355555554, "333333333.33333325" }, { 0x41b3de4355555555, "333333333.3333333" },
        { 0x41b3de4355555556, "333333333.3333334" }, { 0x41b3de4355555557, "333333333.33333343" },
        { 0xbecbf647612f3696, "-0.0000033333333333333333" }, { 0x43143ff3c1cb0959, "1424953923781206.2" } };
    for (const auto& [bits, text] : vectors)
        EXPECT_EQ(ecmaScript(bits), text);
}

TEST(JsonNumber, ReproducesThePublishedChecksumsOfTheNumberFile)
{
    EXPECT_EQ(linesDigest(1'000), "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687");
    EXPECT_EQ(linesDigest(100'000), "22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7");
}

TEST(JsonNumber, OneDecimalHasOneNormalForm)
{
    for (const auto* token : { "10.50", "105e-1", "0.105E+2", "1.05e1", "1050e-2", "10.5000" })
        EXPECT_EQ(*normalisedDecimal(token), "105e-1") << token;
    for (const auto* token : { "0", "-0", "0.000", "0e5", "-0.0e-7", "0e99999999999999999999999" })
        EXPECT_EQ(*normalisedDecimal(token), "0") << token;
    EXPECT_EQ(*normalisedDecimal("-12345678901234567890"), "-1234567890123456789e1");
    EXPECT_EQ(*normalisedDecimal("7"), "7");
    EXPECT_EQ(*normalisedDecimal("1e000000000000000000000000007"), "1e7");
    EXPECT_FALSE(normalisedDecimal("1e1234567890123456789"));
}

TEST(JsonNumber, SaysWhatADoubleCannotHold)
{
    for (const auto* token : { "0", "-0", "1", "10.50", "9007199254740992", "0.1", "1e23", "5e-324",
             "1.7976931348623157e308", "123456789012345", "100000000000000000000000", "0.30000000000000004" })
        EXPECT_EQ(lossyOf(token), std::nullopt) << token;
    EXPECT_EQ(lossyOf("9007199254740993"), "9007199254740993");
    EXPECT_EQ(lossyOf("-9007199254740993.0"), "-9007199254740993");
    EXPECT_EQ(lossyOf("0.30000000000000001"), "30000000000000001e-17");
    EXPECT_EQ(lossyOf("1e-400"), "1e-400");
    EXPECT_EQ(lossyOf("4.9e-324"), "49e-325");
    EXPECT_EQ(lossyOf("3.14159265358979323846"), "314159265358979323846e-20");
}

TEST(JsonNumber, RefusesWhatIsOverTheGreatestDouble)
{
    for (const auto* token :
        { "1e400", "-1e400", "1.7976931348623159e308", "1e99999999999999999999", "1e-99999999999999999999" })
        EXPECT_FALSE(readJsonNumber(token)) << token;
    EXPECT_FALSE(readJsonNumber("1" + std::string(400, '0')));
    EXPECT_TRUE(readJsonNumber("1" + std::string(300, '0')));
    EXPECT_TRUE(readJsonNumber("0." + std::string(400, '0') + "1e400"));
}

TEST(JsonNumber, ReadsBackWhatItWrites)
{
    SeededRandom random(11);
    for (int i = 0; i < 100'000; ++i) {
        const auto bits = random.next();
        if (!std::isfinite(std::bit_cast<double>(bits)))
            continue;
        const auto text = ecmaScript(bits);
        const auto number = readJsonNumber(text);
        ASSERT_TRUE(number) << text;
        EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(number->text.c_str(), nullptr)), bits) << text;
        EXPECT_EQ(number->text, text);
        EXPECT_FALSE(number->lossy) << text;
    }
}
