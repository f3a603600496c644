#include "rgu/mdp/io/world_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <limits>

#include "mdp/file_testing.hpp"
#include "mdp/same_world.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/mdp/generators.hpp"
#include "rgu/mdp/io/binary_file.hpp"
#include "rgu/mdp/io/csv_file.hpp"
#include "rgu/mdp/io/json_file.hpp"

namespace rgu {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(WorldFile, KnowsTheFormatByItsEnding) {
  const TemporaryFolder folder;
  const World world = river_swim();
  for (const char* name : {"m.rgum", "m.json", "m.csv", "m.tra"}) write_world(folder / name, world);
  EXPECT_THAT(folder.names(), UnorderedElementsAre("m.rgum", "m.json", "m.csv", "m.tra", "m.trew",
                                                   "m.srew", "m.lab"));
  for (const char* name : {"m.rgum", "m.json", "m.csv", "m.tra"}) {
    const World back = read_world(folder / name, {.discount = 0.95});
    EXPECT_EQ(back.signals.at("reward"), world.signals.at("reward")) << name;
  }
}

TEST(WorldFile, RefusesOtherEndings) {
  for (const char* name : {"m.xml", "m", "json", "m.JSON", "m.json.gz", "rgum"}) {
    const auto rule = AllOf(HasSubstr(name), HasSubstr("must end in .rgum, .json, .csv or .tra"));
    EXPECT_THAT(thrown_by([&] { read_world(name); }), rule);
    EXPECT_THAT(thrown_by([&] { write_world(name, river_swim()); }), rule);
  }
}

TEST(WorldFile, NamesTheFileInMessages) {
  const TemporaryFolder folder;
  put(folder / "m.csv", "nonsense\n");
  EXPECT_THAT(thrown_by([&] { read_world(folder / "m.csv", {.discount = 0.9}); }),
              HasSubstr((folder / "m.csv").string() + ":1:"));
}

TEST(WorldFile, RefusesToReadWhatIsNotAReadableRegularFile) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder.json");
  ::mkfifo((folder / "pipe.csv").c_str(), 0600);
  std::filesystem::create_symlink("/dev/zero", folder / "zero.tra");
  std::filesystem::create_symlink(folder / "loop.tra", folder / "loop.tra");
  EXPECT_THAT(thrown_by([&] { read_world(folder / "none.json"); }), HasSubstr("no such file"));
  EXPECT_THAT(thrown_by([&] { read_world(folder / "loop.tra"); }), HasSubstr("cannot read"));
  EXPECT_THAT(thrown_by([&] { read_world(folder / "folder.json"); }),
              HasSubstr("not a regular file"));
  EXPECT_THAT(thrown_by([&] { read_world(folder / "pipe.csv"); }), HasSubstr("not a regular file"));
  EXPECT_THAT(thrown_by([&] { read_world(folder / "zero.tra"); }), HasSubstr("not a regular file"));
}

TEST(WorldFile, RefusesToReadAFileThatIsTooLarge) {
  const TemporaryFolder folder;
  put(folder / "m.json", "{");
  std::filesystem::resize_file(folder / "m.json", kLargestFile + 1);  // takes no room on disk
  EXPECT_THAT(thrown_by([&] { read_world(folder / "m.json"); }),
              AllOf(HasSubstr("4294967297 bytes"), HasSubstr("at most 4294967296")));
}

TEST(WorldFile, ReportsThatItCannotWrite) {
  const TemporaryFolder folder;
  const World world = river_swim();
  put(folder / "file", "");
  std::filesystem::create_directory(folder / "m.json");
  const auto message = [&](const std::filesystem::path& path) {
    return thrown_by<FileError>([&] { write_world(path, world); });
  };
  EXPECT_THAT(message(folder / "none/m.json"), HasSubstr("No such file or directory"));
  EXPECT_THAT(message(folder / "file/m.csv"), HasSubstr("Not a directory"));
  EXPECT_THAT(message(folder / "m.json"), HasSubstr("Is a directory"));
  EXPECT_THAT(message("/proc/m.tra"), HasSubstr("cannot open /proc/m"));
}

TEST(WorldFile, ReportsAFullDisk) {
  const World world = river_swim();
  const auto full = HasSubstr("No space left on device");
  EXPECT_THAT(thrown_by<FileError>([&] { write_json("/dev/full", world); }), full);
  EXPECT_THAT(thrown_by<FileError>([&] { write_binary("/dev/full", world); }), full);
  EXPECT_THAT(thrown_by<FileError>([&] { write_csv("/dev/full", world); }), full);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

// For the life of this object no file may grow beyond `bytes`; writes past it fail as on a full
// disk, with another error number.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
  void (*handler_)(int);
};

TEST(WorldFile, KeepsTheOldFileWhenWritingTheNewOneFails) {
  const TemporaryFolder folder;
  for (const char* name : {"m.rgum", "m.json", "m.csv"}) {
    put(folder / name, "old");
    const FileSizeLimit limit(100);
    EXPECT_THAT(thrown_by<FileError>([&] { write_world(folder / name, river_swim()); }),
                HasSubstr("File too large"));
    EXPECT_EQ(contents(folder / name), "old");
  }
  EXPECT_THAT(folder.names(), UnorderedElementsAre("m.rgum", "m.json", "m.csv"));
}

TEST(WorldFile, WritesThroughLinksAndKeepsThem) {
  const TemporaryFolder folder;
  put(folder / "target.json", "old");
  std::filesystem::create_symlink("target.json", folder / "link.json");
  write_world(folder / "link.json", river_swim());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.json"));
  expect_same_world(read_world(folder / "target.json"), river_swim());
}

TEST(OutputFile, AppearsOnlyWhenCommitted) {
  const TemporaryFolder folder;
  {
    OutputFile file(folder / "text");
    file.text("half");
    EXPECT_FALSE(std::filesystem::exists(folder / "text"));
  }
  EXPECT_TRUE(folder.names().empty());
  OutputFile file(folder / "text");
  file.text("whole ");
  file.number(0.1);
  file.commit();
  EXPECT_EQ(contents(folder / "text"), "whole 0.1");
  EXPECT_THAT(folder.names(), ElementsAre("text"));
}

TEST(OutputFile, WritesMoreThanItsBuffer) {
  const TemporaryFolder folder;
  std::string expected;
  OutputFile file(folder / "text");
  for (Index i = 0; i < 300000; ++i) {
    file.number(i);
    file.text(" ");
    expected += std::to_string(i) + " ";
  }
  file.commit();
  EXPECT_EQ(contents(folder / "text"), expected);
}

// Doubles drawn over all exponents, and the ends of the range.
TEST(OutputFile, WritesDigitsThatReadBackToTheSameDouble) {
  const TemporaryFolder folder;
  Rng rng(8);
  std::vector<double> values = {0.1,
                                1e300,
                                std::numeric_limits<double>::denorm_min(),
                                std::numeric_limits<double>::max(),
                                1.0 / 3,
                                5e-324,
                                123456789};
  while (values.size() < 2000) {
    const double value = std::bit_cast<double>(rng.bits());
    if (std::isfinite(value)) values.push_back(value);
  }
  OutputFile file(folder / "text");
  for (const double value : values) {
    file.number(value);
    file.text("\n");
  }
  file.commit();
  std::ifstream in(folder / "text");
  std::string line;
  for (const double value : values) {
    ASSERT_TRUE(std::getline(in, line));
    EXPECT_EQ(std::strtod(line.c_str(), nullptr), value);
  }
}

class MillionTransitions : public testing::TestWithParam<const char*> {};

TEST_P(MillionTransitions, ComeBackUnchanged) {
  const TemporaryFolder folder;
  Rng rng(9);
  const World world = garnet({.states = 20000, .actions = 5, .branching = 10}, rng);
  ASSERT_EQ(world.mdp.transitions(), 1000000);
  const std::filesystem::path path = folder / (std::string("m") + GetParam());
  write_world(path, world);
  const World back =
      read_world(path, {.discount = world.mdp.discount(), .start = world.mdp.start()});
  expect_same_world(back, world);
}

INSTANTIATE_TEST_SUITE_P(WorldFile, MillionTransitions,
                         testing::Values(".rgum", ".json", ".csv", ".tra"),
                         [](const auto& format) { return std::string(format.param + 1); });

}  // namespace
}  // namespace rgu
