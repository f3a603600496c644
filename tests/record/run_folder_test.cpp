#include "rgu/record/run_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "laws/throws.hpp"
#include "mdp/file_testing.hpp"
#include "rgu/base/folder_lock.hpp"
#include "rgu/record/json_values.hpp"
#include "rgu/record/metrics_file.hpp"
#include "rgu/record/run_files.hpp"
#include "rgu/record/seed_recorder.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

class RunFolderTest : public testing::Test {
 protected:
  fs::path in(const std::string& name) const { return root_ / name; }

  RunFolder made_run(const std::string& name) const {
    const RunFolder folder = RunFolder::create(in(name), ExistingRun::kRefuse);
    write_file(folder.config(), "name = \"x\"\n");
    write_about(folder, {});
    return folder;
  }

 private:
  TemporaryFolder root_;
};

Metrics metrics_of(Index iteration) {
  Metrics metrics;
  metrics.iteration = iteration;
  metrics.objective = 1.0 / static_cast<double>(iteration);
  metrics.envelope = 0.1;
  metrics.envelope_kind = AnswerKind::kBestFound;
  metrics.samples = 100 * iteration;
  return metrics;
}

TEST(MetricsFile, EveryNumberReadsBackToTheSameDouble) {
  Metrics metrics = metrics_of(3);
  double value = 1.0 / 3;
  for (const MetricField& field : kMetricFields) metrics.*field.member = value *= -1.7;
  const std::string line = to_line(metrics);
  EXPECT_EQ(line.back(), '\n');
  const Metrics read = parse_metrics(line);
  for (const MetricField& field : kMetricFields) {
    EXPECT_EQ(read.*field.member, metrics.*field.member) << field.name;
  }
  EXPECT_EQ(read.envelope_kind, AnswerKind::kBestFound);
  EXPECT_EQ(read.iteration, 3);
  EXPECT_EQ(read.samples, 300);
}

TEST(MetricsFile, WhatWasNotMeasuredIsLeftOutAndInfinitySurvives) {
  Metrics metrics = metrics_of(1);
  metrics.envelope_gap = kInfinity;
  const std::string line = to_line(metrics);
  EXPECT_EQ(line.find("violation"), std::string::npos);
  const Metrics read = parse_metrics(line);
  EXPECT_TRUE(std::isnan(read.violation));
  EXPECT_EQ(read.envelope_gap, kInfinity);
}

TEST(MetricsFile, WhatIsNoMetricsLineIsRefused) {
  expect_invalid([] { parse_metrics("{"); }, "not JSON");
  expect_invalid([] { parse_metrics("{\"samples\":1}"); }, "\"iteration\" is missing");
  expect_invalid([] { parse_metrics("{\"iteration\":1,\"samples\":1,\"objective\":\"x\"}"); },
                 "objective");
  expect_invalid(
      [] { parse_metrics("{\"iteration\":1,\"samples\":1,\"envelope_kind\":\"sure\"}"); }, "sure");
}

TEST_F(RunFolderTest, AnExistingRunIsReplacedOnlyWhenThatIsAskedFor) {
  const RunFolder folder = made_run("run");
  fs::create_directories(folder.seed(4));
  expect_invalid([&] { RunFolder::create(in("run"), ExistingRun::kRefuse); }, "--force");
  EXPECT_TRUE(fs::exists(folder.seed(4)));
  write_file(folder.path() / "notes.txt", "mine");
  const RunFolder again = RunFolder::create(in("run"), ExistingRun::kReplace);
  expect_invalid([&] { again.clear(ExistingRun::kRefuse); }, "--force");
  again.clear(ExistingRun::kReplace);
  EXPECT_FALSE(fs::exists(again.seed(4)));
  EXPECT_TRUE(fs::exists(folder.path() / "notes.txt"));
  EXPECT_NO_THROW(RunFolder::open(in("run")));  // a run at every moment
}

TEST_F(RunFolderTest, AFolderThatIsNoRunIsNeverReplaced) {
  fs::create_directories(in("mine"));
  write_file(in("mine") / "thesis.tex", "years of work");
  for (const ExistingRun existing : {ExistingRun::kRefuse, ExistingRun::kReplace}) {
    expect_invalid([&] { RunFolder::create(in("mine"), existing); }, "not a run");
  }
  EXPECT_TRUE(fs::exists(in("mine") / "thesis.tex"));
  write_file(in("file"), "x");
  expect_invalid([&] { RunFolder::create(in("file"), ExistingRun::kReplace); }, "not a folder");
}

TEST_F(RunFolderTest, AFolderInWhichARunHadHardlyBegunIsNotInTheWay) {
  fs::create_directories(in("begun"));
  for (const char* name : {"lock", "config.toml", "run.json.17-0.partial"}) {
    write_file(in("begun") / name, "");
    EXPECT_NO_THROW(RunFolder::create(in("begun"), ExistingRun::kRefuse)) << name;
  }
  RunFolder::create(in("begun"), ExistingRun::kRefuse).clear(ExistingRun::kRefuse);
  EXPECT_FALSE(fs::exists(in("begun") / "run.json.17-0.partial"));
  write_file(in("begun") / "thesis.tex", "years of work");
  expect_invalid([&] { RunFolder::create(in("begun"), ExistingRun::kReplace); }, "not a run");
  fs::create_directories(in("mine"));
  write_file(in("mine") / "config.toml", "written by hand");
  expect_invalid([&] { RunFolder::create(in("mine"), ExistingRun::kReplace); }, "not a run");
}

TEST_F(RunFolderTest, LinksInARunFolderAreRefused) {
  const RunFolder folder = made_run("run");
  fs::create_directories(folder.seed(0));
  fs::create_directories(in("outside"));
  fs::create_directory_symlink(in("run"), in("alias"));
  EXPECT_NO_THROW(RunFolder::open(in("alias")));  // the user named it
  for (const char* name : {"seed-1", "figures", "seed-0/metrics.jsonl"}) {
    fs::create_symlink(in("outside"), folder.path() / name);
    expect_invalid([&] { RunFolder::open(in("run")); }, "is a link");
    expect_invalid([&] { RunFolder::create(in("run"), ExistingRun::kReplace); }, "is a link");
    fs::remove(folder.path() / name);
  }
}

TEST(FreeRunFolder, IsAlwaysRightInTheFolderOfRuns) {
  for (const std::string& name :
       {std::string(".."), std::string("."), std::string(), std::string("../../x"),
        std::string("/etc"), std::string("..\0", 3), std::string("a\nb")}) {
    const fs::path path = free_run_folder(name);
    EXPECT_EQ(path.parent_path(), "runs") << path;
    EXPECT_EQ(path.lexically_normal(), path);
    EXPECT_EQ(path.string().find('\0'), std::string::npos);
  }
  EXPECT_EQ(free_run_folder("paper/exploration"), "runs/paper-exploration");
}

TEST_F(RunFolderTest, OnlyTheFolderOfARunIsOpened) {
  expect_invalid([&] { RunFolder::open(in("nowhere")); }, "there is no run folder");
  fs::create_directories(in("empty"));
  expect_invalid([&] { RunFolder::open(in("empty")); }, "not a run folder");
  EXPECT_NO_THROW(RunFolder::open(made_run("run").path()));
}

TEST_F(RunFolderTest, SeedsAreListedInOrderAndOtherNamesAreNot) {
  const RunFolder folder = made_run("run");
  for (const char* name : {"seed-10", "seed-2", "seed-x", "seed-", "other", "seed-3x"}) {
    fs::create_directories(folder.path() / name);
  }
  EXPECT_EQ(folder.seeds(), (std::vector<std::uint64_t>{2, 10}));
}

// flock is per open file: a second process, like a second open of the same file, has to wait.
TEST_F(RunFolderTest, ASecondWriterIsRefused) {
  const RunFolder folder = made_run("run");
  {
    const FolderLock lock(folder.path());
    expect_invalid([&] { FolderLock second(folder.path()); }, "in use");
  }
  EXPECT_NO_THROW(FolderLock third(folder.path()));
}

TEST_F(RunFolderTest, ADamagedCheckpointIsNoticedAndTheOneBeforeItIsUsed) {
  EXPECT_EQ(read_checkpoint(in("")), std::nullopt);
  write_checkpoint(in(""), "first");
  EXPECT_EQ(read_checkpoint(in("")), "first");
  write_checkpoint(in(""), "second");
  EXPECT_EQ(read_checkpoint(in("")), "second");
  const std::string whole = read_text(in("checkpoint"));
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    write_file(in("checkpoint"), whole.substr(0, cut));
    EXPECT_EQ(read_checkpoint(in("")), "first") << cut;
    std::string flipped = whole;
    flipped[cut] = static_cast<char>(flipped[cut] ^ 4);
    write_file(in("checkpoint"), flipped);
    EXPECT_EQ(read_checkpoint(in("")), "first") << cut;
  }
  fs::remove(in("checkpoint"));  // killed between the two renames
  EXPECT_EQ(read_checkpoint(in("")), "first");
}

// Whatever was written after the last checkpoint is cut off.
TEST_F(RunFolderTest, ARecorderGoesOnFromItsLastCheckpoint) {
  const fs::path folder = in("seed-0");
  {
    SeedRecorder recorder(folder, {.tensorboard = true});
    EXPECT_FALSE(recorder.resumed_state());
    recorder.add(metrics_of(1), 0.25);
    recorder.add(metrics_of(2), 0.5);
    recorder.checkpoint("{\"a\":1}");
    recorder.add(metrics_of(3), 0.75);
    recorder.checkpoint("{\"a\":2}");
    write_file(folder / "checkpoint", "damaged");
    write_file(folder / "policy.json.77-0.partial", "half");
  }
  {
    SeedRecorder recorder(folder, {.tensorboard = true});
    EXPECT_EQ(*recorder.resumed_state(), "{\"a\":1}");
    EXPECT_EQ(recorder.resumed_seconds(), 0.5);
    EXPECT_FALSE(fs::exists(folder / "policy.json.77-0.partial"));
    recorder.add(metrics_of(3), 9);
    recorder.checkpoint("{\"a\":2}");
    recorder.finish();
  }
  EXPECT_EQ(read_text(folder / "metrics.jsonl"),
            to_line(metrics_of(1)) + to_line(metrics_of(2)) + to_line(metrics_of(3)));
  EXPECT_FALSE(fs::exists(folder / "checkpoint.previous"));
}

TEST_F(RunFolderTest, ACheckpointThatDoesNotFitItsFilesIsRefused) {
  const fs::path folder = in("seed-0");
  {
    SeedRecorder recorder(folder, {});
    recorder.add(metrics_of(1), 0.25);
    recorder.checkpoint("{}");
  }
  write_file(folder / "timing.jsonl", "");
  EXPECT_THAT([&] { SeedRecorder recorder(folder, {}); }, refuses("its checkpoint says 1"));
  write_file(folder / "timing.jsonl", "{\"iteration\":1,\"seconds\":0.25}\n");
  write_file(folder / "metrics.jsonl", "");
  EXPECT_THROW(SeedRecorder(folder, {}), FileError);
}

TEST_F(RunFolderTest, AFolderThatCannotBeMadeIsSaid) {
  write_file(in("file"), "x");
  EXPECT_THROW(SeedRecorder(in("file") / "seed-0", {}), FileError);
  EXPECT_THROW(RunFolder::create(in("file") / "run", ExistingRun::kRefuse), FileError);
}

RunRecord sample_run() {
  RunRecord run;
  run.name = "a \"name\" <b>";
  run.description = "d";
  run.version = "v";
  run.method = "m";
  run.utility = "u";
  run.ambiguity = "Xi";
  run.states = 2;
  run.actions = 1;
  run.discount = 0.9;
  run.nature_rows = 1;
  run.nature_columns = 2;
  run.nature_centre = (Vector(2) << 0.1, -3).finished();
  run.action_names = {"go"};
  run.grid = GridRecord{.rows = 1, .columns = 3, .cell_of_state = {0, 2}, .marks = "S#G"};
  run.warnings = {"careful"};
  run.notes = {"noted"};
  return run;
}

SeedFiles sample_seed() {
  SeedFiles files;
  files.record.seed = 5;
  files.record.status = "iteration limit";
  files.record.policy = Matrix::Ones(2, 1);
  files.record.occupancy = Matrix::Constant(2, 1, 0.5);
  files.record.nominal = 1.0 / 3;
  files.record.worst_case = {.value = 0.7,
                             .kind = AnswerKind::kBestFound,
                             .gap = kInfinity,
                             .method = "search",
                             .nature = Vector::Constant(2, 0.25)};
  files.record.notes = {"a note"};
  files.record.adversary = {.last = Vector{{1, 2}}, .drawn = Vector{{3, 1.0 / 3}}};
  files.parameters = Vector::Constant(2, 1.0 / 7);
  files.drawn_parameters = Vector::Zero(2);
  files.drawn_policy = Matrix::Ones(2, 1);
  return files;
}

TEST_F(RunFolderTest, ARunReadsBackAsItWasWritten) {
  const RunFolder folder = made_run("run");
  write_about(folder, sample_run());
  {
    SeedRecorder recorder(folder.seed(5), {});
    recorder.add(metrics_of(1), 0.25);
    recorder.checkpoint("{}");
  }
  EXPECT_FALSE(is_finished(folder.seed(5)));
  EXPECT_EQ(read_run(folder).seeds.at(0).status, "not finished");
  write_seed(folder.seed(5), seed_texts(sample_seed()));
  EXPECT_TRUE(is_finished(folder.seed(5)));
  std::ofstream(folder.seed(5) / "metrics.jsonl", std::ios::app) << "{\"iterat";  // cut off
  const RunRecord run = read_run(folder);
  EXPECT_EQ(run.name, sample_run().name);
  EXPECT_EQ(run.nature_centre, sample_run().nature_centre);
  EXPECT_EQ(run.grid->marks, "S#G");
  EXPECT_EQ(run.grid->cell_of_state, (std::vector<int>{0, 2}));
  EXPECT_EQ(run.warnings, sample_run().warnings);
  EXPECT_EQ(run.config, "name = \"x\"\n");
  const SeedRecord& seed = run.seeds.at(0);
  EXPECT_EQ(seed.metrics.size(), 1u);
  EXPECT_EQ(seed.seconds, (std::vector<double>{0.25}));
  EXPECT_EQ(seed.nominal, 1.0 / 3);
  EXPECT_EQ(seed.worst_case.gap, kInfinity);
  EXPECT_EQ(seed.worst_case.kind, AnswerKind::kBestFound);
  EXPECT_EQ(seed.policy, Matrix::Ones(2, 1));
  EXPECT_EQ(read_policy(folder.seed(5)), Matrix::Ones(2, 1));
}

TEST_F(RunFolderTest, TheAdversarysAnswersReadBackAsTheyWereWritten) {
  const RunFolder folder = made_run("run");
  write_about(folder, sample_run());
  fs::create_directories(folder.seed(5));
  SeedFiles files = sample_seed();
  write_seed(folder.seed(5), seed_texts(files));
  SeedRecord seed = read_run(folder).seeds.at(0);
  EXPECT_EQ(seed.adversary.last, Vector({{1, 2}}));
  EXPECT_EQ(seed.adversary.drawn, Vector({{3, 1.0 / 3}}));
  EXPECT_EQ(seed.adversary.average.size(), 0);
  EXPECT_TRUE(seed.adversary.mixture.members.empty());
  EXPECT_EQ(seed.multipliers.size(), 0);
  files.record.adversary.average = Vector{{0.1, 0.2}};
  files.record.adversary.mixture = {.weights = Vector{{0.25, 0.75}},
                                    .members = {Vector{{1, 0}}, Vector{{0, 0.1}}}};
  files.record.multipliers = Vector{{12.5}};
  write_seed(folder.seed(5), seed_texts(files));
  seed = read_run(folder).seeds.at(0);
  EXPECT_EQ(seed.adversary.average, Vector({{0.1, 0.2}}));
  EXPECT_EQ(seed.adversary.mixture.weights, Vector({{0.25, 0.75}}));
  EXPECT_EQ(seed.adversary.mixture.members.at(1), Vector({{0, 0.1}}));
  EXPECT_EQ(seed.multipliers, Vector({{12.5}}));
  // Folders of earlier versions have none of this.
  write_file(folder.seed(5) / "result.json",
             R"({"seed": 5, "status": "s", "solved": true, "finished": true, "notes": []})");
  EXPECT_EQ(read_run(folder).seeds.at(0).adversary.last.size(), 0);
  const auto with_mixture = [&](const std::string& mixture) {
    write_file(folder.seed(5) / "result.json",
               R"({"seed": 5, "status": "s", "solved": true, "finished": true, "notes": [],
                   "adversary": {"last": [], "drawn": [], "mixture": )" +
                   mixture + "}}");
    return [&] { read_run(folder); };
  };
  expect_invalid(with_mixture(R"({"weights": [1], "members": []})"), "\"members\" has 0 rows");
  expect_invalid(with_mixture(R"({"weights": [1]})"), "\"members\" is missing");
}

TEST_F(RunFolderTest, ACertificateReadsBackAsItWasWritten) {
  const RunFolder folder = made_run("run");
  fs::create_directories(folder.seed(5));
  CertificateRecord certificate{
      .lower_bound = -1.0 / 3,
      .best_known = 0.1,
      .gap_asked = 1e-7,
      .method = "m",
      .witness = {
          .pieces = {{.weight = 0.3, .nature = Vector{{1, 2}}, .occupancy = {}, .direction = {}},
                     {.weight = 0.7,
                      .nature = Vector{{0.1, 1e-300}},
                      .occupancy = Matrix{{0.5}, {0.25}},
                      .direction = Vector{{-1.0 / 7}}}},
          .potential = Vector{{1.0 / 9, -5e17}},
          .shortfall = -0.0}};
  write_certificate(folder.seed(5), certificate, "{}");
  EXPECT_TRUE(fs::exists(folder.seed(5) / "problem.json"));
  const CertificateRecord read = read_certificate(folder.seed(5));
  EXPECT_EQ(to_text(read), to_text(certificate));
  EXPECT_EQ(read.gap_asked, 1e-7);
  EXPECT_EQ(read.witness.potential, certificate.witness.potential);
  EXPECT_EQ(read.witness.pieces.at(1).occupancy, certificate.witness.pieces[1].occupancy);
  EXPECT_EQ(read.witness.pieces.at(1).direction, certificate.witness.pieces[1].direction);
  EXPECT_EQ(read.witness.pieces.at(0).direction.size(), 0);
  write_file(folder.seed(5) / "certificate.json",
             R"({"lower_bound": 1, "best_known": 2, "method": "of an earlier version"})");
  EXPECT_FALSE(read_certificate(folder.seed(5)).witness.exists());
  EXPECT_TRUE(std::isnan(read_certificate(folder.seed(5)).gap_asked));
  fs::remove(folder.seed(5) / "certificate.json");
  EXPECT_ANY_THROW(read_certificate(folder.seed(5)));
}

TEST_F(RunFolderTest, ASeedMayHaveAWorldOfItsOwn) {
  const RunFolder folder = made_run("run");
  RunRecord run = sample_run();
  run.own_instances = true;
  write_about(folder, run);
  fs::create_directories(folder.seed(5));
  SeedFiles files = sample_seed();
  files.record.world = run;
  files.record.world->states = 1;
  files.record.world->nature_centre = Vector::Constant(2, 7);
  files.record.world->grid =
      GridRecord{.rows = 2, .columns = 1, .cell_of_state = {1}, .marks = "#S"};
  write_seed(folder.seed(5), seed_texts(files));
  EXPECT_TRUE(has_own_instances(folder));
  const RunRecord read = read_run(folder);
  EXPECT_EQ(read.states, run.states);
  const WorldRecord& world = world_of(read, read.seeds.at(0));
  EXPECT_EQ(world.states, 1);
  EXPECT_EQ(world.nature_centre, Vector::Constant(2, 7));
  EXPECT_EQ(world.grid->marks, "#S");
  write_file(folder.seed(5) / "world.json", "{\"states\": -1}");
  expect_invalid([&] { read_run(folder); }, "world.json: \"states\" is -1");
}

TEST_F(RunFolderTest, AnInterruptedSeedIsNotFinished) {
  const RunFolder folder = made_run("run");
  fs::create_directories(folder.seed(5));
  SeedFiles files = sample_seed();
  files.finished = false;
  write_seed(folder.seed(5), seed_texts(files));
  EXPECT_FALSE(is_finished(folder.seed(5)));
}

TEST_F(RunFolderTest, ADamagedFileIsNamedWithItsLine) {
  const RunFolder folder = made_run("run");
  write_about(folder, sample_run());
  fs::create_directories(folder.seed(5));
  write_seed(folder.seed(5), seed_texts(sample_seed()));
  write_file(folder.seed(5) / "metrics.jsonl", to_line(metrics_of(1)) + "nonsense\n");
  expect_invalid([&] { read_run(folder); }, "metrics.jsonl:2: not JSON");
  fs::remove(folder.seed(5) / "metrics.jsonl");
  write_file(folder.seed(5) / "worst_case.json", "{\"value\":1}");
  expect_invalid([&] { read_run(folder); }, "worst_case.json: \"kind\" is missing");
  write_file(folder.about(), "[]");
  expect_invalid([&] { read_run(folder); }, "run.json");
}

TEST_F(RunFolderTest, AGridThatReachesBeyondItsCellsIsRefused) {
  const RunFolder folder = made_run("run");
  RunRecord run = sample_run();
  run.grid->cell_of_state = {0, 3};
  write_about(folder, run);
  expect_invalid([&] { read_run(folder); }, "cell below 3");
  run.grid->cell_of_state = {0, 2};
  run.grid->marks = "S";
  write_about(folder, run);
  expect_invalid([&] { read_run(folder); }, "marks");
}

TEST_F(RunFolderTest, AGridOfSidesOrCellsThatAreNoCountsIsRefused) {
  const RunFolder folder = made_run("run");
  Json json;
  const auto refuse = [&](const std::string& part) {
    write_file(folder.about(), json.dump());
    expect_invalid([&] { read_run(folder); }, part);
  };
  write_about(folder, sample_run());
  json = parse_json(read_text(folder.about()));
  json["grid"]["cell_of_state"] = {0, 0.5};
  refuse("cell below 3");
  json["grid"]["rows"] = (std::int64_t{1} << 32) + 1;  // 1 as a 32-bit number
  refuse("\"rows\" of the grid is 4294967297, must be 1 to 32768");
  json["grid"]["rows"] = std::uint64_t{1} << 63;
  refuse("must be an integer below 2^63");
}

TEST(JsonValues, DepthIsBounded) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(parse_json(nested(64)).is_array());
  EXPECT_TRUE(parse_json("\"" + nested(100) + "\\\"[\"").is_string());
  expect_invalid([&] { parse_json(nested(65)); }, "nested deeper than 64 levels");
  expect_invalid([&] { parse_json(nested(1'000'000)); }, "nested deeper than 64 levels");
}

TEST(JsonValues, MembersOfAnObjectAreBounded) {
  std::string text = "{\"0\":0";
  for (int i = 1; i < 200'000; ++i) text += fmt::format(",\"{}\":0", i);
  expect_invalid([&] { parse_json(text + "}"); }, "an object of more than 10000 members");
}

}  // namespace
}  // namespace rgu
