#include "rgu/report/text.hpp"

#include <gtest/gtest.h>

#include "report/helpers.hpp"
#include "rgu/report/toml_colours.hpp"

namespace rgu::report {
namespace {

TEST(ReportText, EscapesWhatHtmlWouldRead) {
  EXPECT_EQ(escaped("<a href=\"x\" id='y'>&amp;</a>"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;");
  EXPECT_EQ(escaped("Γ ≤ 0"), "Γ ≤ 0");
}

TEST(ReportText, ReplacesWhatIsNotUtf8OrNotAllowedInXml) {
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a\uFFFDb");
  EXPECT_EQ(printable("\xc0\xaf"), "\uFFFD\uFFFD");            // an overlong slash
  EXPECT_EQ(printable("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(printable("cut \xe2\x82"), "cut \uFFFD\uFFFD");
  EXPECT_EQ(printable(std::string_view("nul\0.\x1b[1m", 9)), "nul\uFFFD.\uFFFD[1m");
  EXPECT_EQ(printable("\uFFFE"), "\uFFFD");
  EXPECT_EQ(printable("line\r\n\tnext 𝛌"), "line\n\tnext 𝛌");
}

TEST(ReportText, ReplacesWhatWouldTurnTheTextBesideItAround) {
  EXPECT_EQ(printable("\u202Egpj.exe\u202C \u2066x\u2069"), "\uFFFDgpj.exe\uFFFD \uFFFDx\uFFFD");
  EXPECT_EQ(printable("שלום"), "שלום");
}

TEST(ReportText, JsonCannotEndTheScriptThatHoldsIt) {
  EXPECT_EQ(json_string("</script><!--"), "\"\\u003c/script\\u003e\\u003c!--\"");
  EXPECT_EQ(json_string("a\u2028b\u2029"), "\"a\\u2028b\\u2029\"");
  EXPECT_EQ(json_string("\"\\\n\t"), "\"\\\"\\\\\\u000a\\u0009\"");
}

TEST(ReportText, JsonNumbersAreFiniteOrNull) {
  EXPECT_EQ(json_numbers({1, -0.25, kNan, kInfinity, 1e-9}), "[1,-0.25,null,null,1e-09]");
  EXPECT_EQ(json_numbers({}), "[]");
}

TEST(ReportText, NumbersHaveFourDigitsAndATrueMinus) {
  EXPECT_EQ(number(-0.13224), "−0.1322");
  EXPECT_EQ(number(0.99996), "1.000");
  EXPECT_EQ(number(123456), "123456");
  EXPECT_EQ(number(1.2344e-5), "1.234×10⁻⁵");
  EXPECT_EQ(number(-2.5e12), "−2.500×10¹²");
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(kNan), "–");
  EXPECT_EQ(number(-kInfinity), "−∞");
}

TEST(ReportText, ShortNumbersDropZerosAtTheEnd) {
  EXPECT_EQ(short_number(0.03), "0.03");
  EXPECT_EQ(short_number(1), "1");
  EXPECT_EQ(short_number(2.4e-6), "2.4×10⁻⁶");
  EXPECT_EQ(short_number(1e-9), "1×10⁻⁹");
  EXPECT_EQ(short_number(100000), "100000");
  EXPECT_EQ(short_number(0), "0");
}

TEST(ReportText, NumbersOfAColumnLineUp) {
  EXPECT_THAT(column({-0.1322, 0.005, kNan}), testing::ElementsAre("−0.1322", "0.0050", "–"));
  EXPECT_THAT(column({1500, 2.25}), testing::ElementsAre("1500", "2"));
  EXPECT_THAT(column({1e-7, 0}), testing::ElementsAre("1.000×10⁻⁷", "0"));
  EXPECT_TRUE(column({}).empty());
}

TEST(ReportText, CountsAreGroupedByThousands) {
  EXPECT_EQ(count(7), "7");
  EXPECT_EQ(count(7680000), "7,680,000");
  EXPECT_EQ(count(-1234), "−1,234");
  EXPECT_EQ(counted(1, "seed"), "1 seed");
  EXPECT_EQ(counted(5, "seed"), "5 seeds");
}

TEST(ReportText, IsCutBetweenLetters) {
  EXPECT_EQ(shortened("ΓΓΓΓ", 4), "ΓΓΓΓ");
  EXPECT_EQ(shortened("ΓΓΓΓΓ", 4), "ΓΓΓ…");
  EXPECT_EQ(shortened("", 4), "");
}

// The hash of the empty text, as `openssl dgst -sha256 -binary </dev/null | base64` writes it.
TEST(ReportText, HashesAreWrittenAsThePolicyWantsThem) {
  EXPECT_EQ(base64_of_hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(base64_of_hex("4d61"), "TWE=");
  EXPECT_THAT([] { base64_of_hex("0g"); }, refuses("hexadecimal digit is 'g'"));
  EXPECT_THAT([] { base64_of_hex("123"); }, refuses("hexadecimal text has 3 digits"));
}

TEST(TomlColours, MarksKeysTextsNumbersSectionsAndComments) {
  EXPECT_EQ(coloured_toml("[a]\nk = \"x # y\" # z\nn = -1.5e3\nb=true\n"),
            "<span class=\"t-section\">[a]</span>\n"
            "<span class=\"t-key\">k </span>= <span class=\"t-text\">&quot;x # y&quot;</span> "
            "<span class=\"t-comment\"># z</span>\n"
            "<span class=\"t-key\">n </span>= <span class=\"t-number\">-1.5e3</span>\n"
            "<span class=\"t-key\">b</span>=<span class=\"t-number\">true</span>\n");
}

TEST(TomlColours, LeavesNothingUnescaped) {
  const std::string html =
      coloured_toml("<b> = <i>\n# <u>\n[<s>]\n\"<q>\" = '<p>'\nunclosed = \"<x>\n<y>");
  EXPECT_EQ(occurrences(html, "<"), occurrences(html, "<span class=\"t-") * 2);
  EXPECT_EQ(xml_fault("<pre>" + html + "</pre>"), "");
}

}  // namespace
}  // namespace rgu::report
