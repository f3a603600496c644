#include "rgu/llm/text/text_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llm/text/compressed.hpp"
#include "llm/text/text_testing.hpp"
#include "mdp/file_testing.hpp"

namespace rgu::llm {
namespace {

using Lines = std::vector<std::string>;
using testing::HasSubstr;

Lines lines_of(const std::filesystem::path& path, const TextLinesOptions& options = {}) {
  Lines lines;
  TextLines reader(path, options);
  while (const auto line = reader.next()) {
    lines.emplace_back(*line);
    EXPECT_EQ(reader.number(), std::ssize(lines));
  }
  EXPECT_FALSE(reader.next());
  return lines;
}

TEST(TextLines, EndAtNewlines) {
  const TemporaryFolder folder;
  const auto lines = [&](const std::string& text) {
    put(folder / "t", text);
    return lines_of(folder / "t");
  };
  EXPECT_EQ(lines("a\nb\n"), (Lines{"a", "b"}));
  EXPECT_EQ(lines("a\nb"), (Lines{"a", "b"}));
  EXPECT_EQ(lines("\n\na"), (Lines{"", "", "a"}));
  EXPECT_EQ(lines("a\r\nb\rc\r\n"), (Lines{"a", "b\rc"}));
  EXPECT_EQ(lines(""), Lines{});
  EXPECT_EQ(lines("\xef\xbb\xbfw\n"), Lines{"w"});
  EXPECT_EQ(lines("\xef\xbb\xbf"), Lines{});
  EXPECT_EQ(lines(std::string("a\0b\n", 4)), Lines{std::string("a\0b", 3)});
}

// More than one chunk of the file and of the text.
std::string long_text() {
  Rng rng(41);
  std::string text;
  while (text.size() < 2000000) {
    text.append(rng.below(2000), static_cast<char>('a' + rng.below(26)));
    text += std::to_string(rng.bits());
    text += '\n';
  }
  return text;
}

TEST(TextLines, AreTheSamePlainAndCompressedWhateverTheName) {
  const TemporaryFolder folder;
  const std::string text = long_text();
  put(folder / "plain.gz", text);
  put(folder / "a.txt", gzipped(text));
  put(folder / "b.txt", xz(text));
  const Lines plain = lines_of(folder / "plain.gz");
  std::string joined;
  for (const std::string& line : plain) joined += line + "\n";
  EXPECT_EQ(joined, text);
  EXPECT_EQ(lines_of(folder / "a.txt"), plain);
  EXPECT_EQ(lines_of(folder / "b.txt"), plain);
}

TEST(TextLines, CompressedFilesMayFollowEachOther) {
  const TemporaryFolder folder;
  put(folder / "a", gzipped("a\nb") + gzipped("c\n") + gzipped("") + gzipped("d"));
  put(folder / "b", xz("a\nb") + xz("c\n") + xz("d"));
  EXPECT_EQ(lines_of(folder / "a"), (Lines{"a", "bc", "d"}));
  EXPECT_EQ(lines_of(folder / "b"), (Lines{"a", "bc", "d"}));
}

TEST(TextLines, DamageIsToldWithItsPlace) {
  const TemporaryFolder folder;
  const std::string text = long_text();
  const auto message = [&](const std::string& bytes) {
    put(folder / "t", bytes);
    const std::string thrown = thrown_by([&] { lines_of(folder / "t"); });
    EXPECT_THAT(thrown, HasSubstr((folder / "t").string() + ": byte "));
    return thrown;
  };
  const std::string gz = gzipped(text);
  const std::string xz_bytes = xz(text);
  EXPECT_THAT(message(gz.substr(0, gz.size() / 2)), HasSubstr("ends inside its gzip data"));
  EXPECT_THAT(message(gz.substr(0, gz.size() - 3)), HasSubstr(std::to_string(gz.size() - 3)));
  EXPECT_THAT(message(gz + "garbage"), HasSubstr("damaged"));
  EXPECT_THAT(message(xz_bytes.substr(0, xz_bytes.size() / 2)),
              HasSubstr("ends inside its xz data"));
  EXPECT_THAT(message(xz_bytes + "garbage after the end"), HasSubstr("damaged"));
  std::string changed = gz;
  changed[changed.size() - 6] = static_cast<char>(changed[changed.size() - 6] ^ 1);
  EXPECT_THAT(message(changed), HasSubstr("incorrect data check"));
  changed = xz_bytes;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
  EXPECT_THAT(message(changed), HasSubstr("xz data are damaged"));
}

TEST(TextLines, DamagedFilesAreReadOrRefused) {
  const TemporaryFolder folder;
  Rng rng(42);
  std::string text;
  for (int i = 0; i < 200; ++i) text += std::to_string(rng.bits()) + "\n";
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    put(folder / "t", mutated(i % 2 == 0 ? gzipped(text) : xz(text), rng));
    try {
      lines_of(folder / "t");
    } catch (const InvalidInput&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

TEST(TextLines, LinesHaveALimit) {
  const TemporaryFolder folder;
  put(folder / "t", std::string("short\n") + std::string(1000, 'a') + "\n");
  EXPECT_EQ(lines_of(folder / "t", {.longest_line = 1000}).size(), 2u);
  EXPECT_THAT(thrown_by([&] { lines_of(folder / "t", {.longest_line = 999}); }),
              HasSubstr("t:2: the line is longer than 999 bytes"));
  put(folder / "bomb", gzipped(std::string(10000000, 'a')));
  EXPECT_THAT(thrown_by([&] { lines_of(folder / "bomb", {.longest_line = 1000000}); }),
              HasSubstr("bomb:1"));
}

TEST(TextLines, MissingFilesAndFoldersAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(thrown_by([&] { TextLines(folder / "none"); }), HasSubstr("no such file"));
  EXPECT_THAT(thrown_by([&] { TextLines(folder.path()); }), HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace rgu::llm
