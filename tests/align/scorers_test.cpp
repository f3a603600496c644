// Scorers that need no LibTorch: words, lexicons, linear classifiers and commands.
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "rgu/align/command_scorer.hpp"
#include "rgu/align/lexicon_scorer.hpp"
#include "rgu/align/linear_scorer.hpp"
#include "rgu/align/text_scorer.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/rng.hpp"

namespace rgu::align {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

// A file of this test's own, removed at its end.
class TestFile {
 public:
  explicit TestFile(const std::string& text) {
    static int number = 0;
    path_ =
        fs::path(::testing::TempDir()) / fmt::format("rgu_scorers_{}_{}.txt", ::getpid(), ++number);
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TestFile() { fs::remove(path_); }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<double> scores_of(Scorer& scorer, const std::vector<std::string>& texts,
                              const std::string& prompt = {}) {
  std::vector<Answer> answers;
  for (const std::string& text : texts) answers.push_back({.prompt = prompt, .text = text});
  return scorer.scores(answers);
}

auto refuses(const std::string& part) { return ThrowsMessage<InvalidInput>(HasSubstr(part)); }

// --- words

TEST(Words, AreLowerCaseRunsOfWordCharacters) {
  EXPECT_EQ(Words("Don't  STOP_it, 2nd\ttime!").joined(), "don t stop_it 2nd time");
  EXPECT_EQ(Words("ÄÖ ΣΑΣ Дом 日本").joined(), "äö σασ дом 日本");
  EXPECT_EQ(Words("").size(), 0U);
  EXPECT_EQ(Words(" ... !").size(), 0U);
}

TEST(Words, DoNotDependOnHowACharacterIsComposed) {
  EXPECT_EQ(Words("Cafe\u0301").joined(), Words("CAF\u00c9").joined());
}

TEST(Words, ArePartedByBytesThatAreNotUtf8) {
  EXPECT_EQ(Words("ab\xff"
                  "cd")
                .joined(),
            "ab cd");
}

TEST(Words, GiveTheirPhrases) {
  const Words words("one two three");
  EXPECT_EQ(words.size(), 3U);
  EXPECT_EQ(words.phrase(0, 1), "one");
  EXPECT_EQ(words.phrase(1, 2), "two three");
  EXPECT_EQ(words.phrase(0, 3), words.joined());
}

// --- lexicon

constexpr const char* kLexicon =
    "# of this test\n"
    "default -1\n"
    "\n"
    "2\tthank you   # a phrase\n"
    "+0.5 Thank\r\n"
    "-3e0   don't\n"
    "0.25\ta a\n";

TEST(LexiconScorer, AddsTheWeightsOfWhatOccurs) {
  const TestFile file(kLexicon);
  LexiconScorer scorer(file.path());
  EXPECT_THAT(scores_of(scorer,
                        {
                            "Thank you, THANK YOU! Thank them.",  // 2 * 2 + 3 * 0.5
                            "I don't; I DON T.",                  // 2 * -3
                            "a a a",                              // overlapping: 2 * 0.25
                            "thank\nyou",                         // 2 + 0.5
                            "nothing of that", "",                // the default
                            "you thank",                          // 0.5
                        }),
              ElementsAre(5.5, -6, 0.5, 2.5, -1, -1, 0.5));
  EXPECT_THAT(scorer.about(), HasSubstr("4 phrases"));
}

TEST(LexiconScorer, DoesNotReadThePrompt) {
  const TestFile file("1 word");
  LexiconScorer scorer(file.path());
  EXPECT_THAT(scores_of(scorer, {"word", "none"}, "word word"), ElementsAre(1, 0));
}

TEST(LexiconScorer, RefusesFilesByTheirLine) {
  const auto reading = [](const std::string& text) {
    return [text] {
      const TestFile file(text);
      LexiconScorer scorer(file.path());
    };
  };
  EXPECT_THAT(reading("1 a\nx y\n"), refuses(":2: a line begins with 'x'"));
  EXPECT_THAT(reading("1 a\n1.5.2 y\n"), refuses("'1.5.2'"));
  EXPECT_THAT(reading("nan word\n"), refuses(":1: the weight is 'nan', must be a finite number"));
  EXPECT_THAT(reading("-inf word\n"), refuses("'-inf'"));
  EXPECT_THAT(reading("1e999 word\n"), refuses("'1e999'"));
  EXPECT_THAT(reading("0x10 word\n"), refuses("'0x10'"));
  EXPECT_THAT(reading("1 a\n\n2 A!\n"), refuses(":3: 'a' has a weight already, in line 1"));
  EXPECT_THAT(reading("1 ...\n"), refuses("no word"));
  EXPECT_THAT(reading("1\n"), refuses("no word"));
  EXPECT_THAT(reading("1 #tag\n"), refuses("no word"));
  EXPECT_THAT(reading("default 1\ndefault 2\n1 a"), refuses(":2: default is set already"));
  EXPECT_THAT(reading("default much\n1 a"), refuses(":1: default is 'much'"));
  EXPECT_THAT(reading("default\n1 a"), refuses("must be one word"));
  EXPECT_THAT(reading("bias 1\n1 a"), refuses("'bias'"));  // of the other file
  EXPECT_THAT(reading("1 a\xff\n"), refuses(":1: not UTF-8"));
  EXPECT_THAT(reading("# nothing\n"), refuses("no weight"));
  EXPECT_THAT(reading(""), refuses("no weight"));
  std::string longest = "1";
  for (int i = 0; i < 65; ++i) longest += " w";
  EXPECT_THAT(reading(longest), refuses("65 words, must have at most 64"));
  EXPECT_THAT([] { LexiconScorer("/no/such/file"); }, refuses("/no/such/file"));
  EXPECT_THAT([] { LexiconScorer(::testing::TempDir()); }, refuses("regular file"));
}

TEST(LexiconScorer, ReadsOrRefusesEveryDamagedFile) {
  Rng rng(1);
  int read = 0;
  int refused = 0;
  for (int trial = 0; trial < 600; ++trial) {
    std::string text = kLexicon;
    for (std::uint64_t changes = 1 + rng.below(3); changes > 0; --changes) {
      text[rng.below(text.size())] = static_cast<char>(rng.below(256));
    }
    const TestFile file(text);
    try {
      LexiconScorer scorer(file.path());
      for (const double score : scores_of(scorer, {text, "thank you"})) {
        EXPECT_TRUE(std::isfinite(score));
      }
      ++read;
    } catch (const InvalidInput& error) {
      EXPECT_THAT(error.what(), HasSubstr("rgu_scorers_"));
      ++refused;
    }
  }
  EXPECT_GT(read, 50);
  EXPECT_GT(refused, 50);
}

// --- linear classifier

TEST(LinearScorer, IsBiasAndWeightedCounts) {
  const TestFile file("bias 0.5\n2 good\n-1\tbad\n-4 not good\n");
  LinearScorer scorer(file.path());
  EXPECT_THAT(scores_of(scorer, {"", "good, good; bad", "Not good"}, "bad bad"),
              ElementsAre(0.5, 3.5, -1.5));
}

TEST(LinearScorer, MayCountPresenceOnlyAndReadThePromptToo) {
  const TestFile file(
      "features binary\ninput prompt+answer\nbias 0.5\n2 good\n-1 bad\n-4 not good\n");
  LinearScorer scorer(file.path());
  // The pair may begin in the prompt; without a space between them they are one word.
  EXPECT_THAT(scores_of(scorer, {"good good", "bad"}, "It is not "), ElementsAre(-1.5, -0.5));
  EXPECT_THAT(scores_of(scorer, {"good"}, "It is not"), ElementsAre(0.5));
  EXPECT_THAT(scorer.about(), AllOf(HasSubstr("binary"), HasSubstr("prompt+answer")));
}

TEST(LinearScorer, RefusesFilesByTheirLine) {
  const auto reading = [](const std::string& text) {
    return [text] {
      const TestFile file(text);
      LinearScorer scorer(file.path());
    };
  };
  EXPECT_THAT(reading("1 a b c\n"), refuses(":1: 'a b c' has 3 words, must have at most 2"));
  EXPECT_THAT(reading("1 a\nfeatures tfidf\n"), refuses(":2: features is 'tfidf'"));
  EXPECT_THAT(reading("1 a\ninput prompt\n"), refuses("answer, prompt+answer"));
  EXPECT_THAT(reading("1 a\nbias 1 2\n"), refuses("one word"));
  EXPECT_THAT(reading("default 1\n1 a\n"), refuses("bias, features, input"));
  EXPECT_THAT(reading("bias 1\n"), refuses("no weight"));
}

// --- command

// A program in Python; `case` is the object of a line.
class Program {
 public:
  explicit Program(const std::string& code)
      : file_("import json, os, signal, sys, time\n" + code) {}
  static Program each_line(const std::string& statement) {
    return Program("for line in sys.stdin:\n    case = json.loads(line)\n    " + statement + "\n");
  }
  CommandScorerConfig config(double timeout = 60) const {
    return {.command = {"python3", file_.path().string()}, .timeout_seconds = timeout};
  }

 private:
  TestFile file_;
};

constexpr const char* kLength = "print(len(case['answer']), flush=True)";

TEST(CommandScorer, GivesWhatTheProgramSaysInOrder) {
  const Program program = Program::each_line(
      "print(json.dumps({'score': len(case['answer']) + case['finished'] / 2, 'why': case}), "
      "flush=True)");
  CommandScorer scorer(program.config());
  const std::vector<Answer> answers = {{.prompt = "p", .text = "four", .finished = false},
                                       {.prompt = "p", .text = ""},
                                       {.prompt = "p", .text = "a\nb\"\\\u2028"}};
  EXPECT_THAT(scorer.scores(answers), ElementsAre(4, 0.5, 6.5));
  EXPECT_THAT(scorer.scores({}), SizeIs(0));
  EXPECT_THAT(scorer.scores(std::span(answers).first(1)), ElementsAre(4));
}

TEST(CommandScorer, GivesTextsAsTheyAreWithBadBytesReplaced) {
  const std::string text = "日本 \xff\xc3 é";
  const Program program = Program::each_line(
      "print(int(case['prompt'] == 'pr\\u00fcf' and case['answer'].startswith('\\u65e5\\u672c ') "
      "and case['answer'].endswith(' \\u00e9') and '\\ufffd' in case['answer']), flush=True)");
  CommandScorer scorer(program.config());
  EXPECT_THAT(scores_of(scorer, {text, "other"}, "prüf"), ElementsAre(1, 0));
}

std::vector<std::string> large_batch() {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 5000; ++i) texts.emplace_back(2000 + i % 97, 'x');
  return texts;
}

void expect_lengths(Scorer& scorer) {
  const std::vector<std::string> texts = large_batch();
  const std::vector<double> scores = scores_of(scorer, texts);
  ASSERT_EQ(scores.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(scores[i], static_cast<double>(texts[i].size()));
  }
}

TEST(CommandScorer, TakesLargeBatchesHoweverTheProgramBuffers) {
  const Program at_once = Program::each_line(kLength);
  const Program after_all(
      "cases = [json.loads(sys.stdin.readline()) for _ in range(5000)]\n"
      "for case in cases: print(len(case['answer']))\n");
  // Many more bytes come back than a pipe holds while as many are still to be given.
  const Program wordy = Program::each_line(
      "print(json.dumps({'score': len(case['answer']), 'why': case['answer']}), flush=True)");
  for (const Program* program : {&at_once, &after_all, &wordy}) {
    CommandScorer scorer(program->config());
    expect_lengths(scorer);
  }
}

TEST(CommandScorer, RefusesAProgramThatIsNotThere) {
  const auto starting = [](std::vector<std::string> command) {
    return [command] { CommandScorer scorer({.command = command}); };
  };
  EXPECT_THAT(starting({"/no/such/program"}), refuses("cannot start '/no/such/program'"));
  EXPECT_THAT(starting({"rgu-no-such-program"}), refuses("cannot start"));
  EXPECT_THAT(starting({::testing::TempDir()}), refuses("cannot start"));
  EXPECT_THAT(starting({}), refuses("without a program"));
  EXPECT_THAT(starting({""}), refuses("without a program"));
  EXPECT_THAT([] { CommandScorer scorer({.command = {"cat"}, .timeout_seconds = 0}); },
              refuses("timeout_seconds"));
}

TEST(CommandScorer, SaysHowTheProgramEndedAndWhatIsMissing) {
  const Program exits("sys.stdin.readline(); print(1); print(2, flush=True); sys.exit(3)\n");
  CommandScorer exiting(exits.config());
  EXPECT_THAT(
      [&] {
        scores_of(exiting, {"a", "b", "c", "d", "e"});
      },
      refuses("exited with status 3: 3 of 5 scores are missing"));
  const Program dies = Program::each_line("os.kill(os.getpid(), signal.SIGKILL)");
  CommandScorer dying(dies.config());
  EXPECT_THAT(
      [&] {
        scores_of(dying, {"a", "b"});
      },
      refuses("was ended by signal 9 (Killed): 2 of 2 scores are missing"));
  EXPECT_THAT([&] { scores_of(dying, {"a"}); }, refuses("has failed before"));
}

TEST(CommandScorer, OutlivesAProgramThatEndsWhileItIsGivenMuch) {
  CommandScorer scorer({.command = {"true"}});
  EXPECT_THAT([&] { scores_of(scorer, large_batch()); },
              refuses("exited with status 0: 5000 of 5000 scores are missing"));
  const Program dies = Program::each_line("sys.exit(7)");
  CommandScorer dying(dies.config());
  EXPECT_THAT([&] { scores_of(dying, large_batch()); }, refuses("exited with status 7"));
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGPIPE), 0);
}

TEST(CommandScorer, DoesNotWaitForTheChildrenOfAProgramThatHasEnded) {
  CommandScorer scorer(
      {.command = {"sh", "-c", "sleep 3 2>/dev/null & exit 4"}, .timeout_seconds = 60});
  EXPECT_THAT([&] { scores_of(scorer, {"a"}); }, refuses("exited with status 4"));
}

TEST(CommandScorer, RefusesLinesThatAreNoFiniteNumber) {
  const auto answering = [](const std::string& line) {
    return [line] {
      const std::string shell = "while read -r _; do printf '%s\\n' '" + line + "'; done";
      CommandScorer scorer({.command = {"sh", "-c", shell}, .timeout_seconds = 60});
      scores_of(scorer, {"a", "b"});
    };
  };
  EXPECT_THAT(answering("what?"),
              refuses("wrote 'what?' for answer 1 of 2, must be a finite number"));
  EXPECT_THAT(answering("NaN"), refuses("'NaN'"));
  EXPECT_THAT(answering("-Infinity"), refuses("'-Infinity'"));
  EXPECT_THAT(answering("1e999"), refuses("'1e999'"));
  EXPECT_THAT(answering("{\"score\": NaN}"), refuses("NaN"));
  EXPECT_THAT(answering("{\"score\": null}"), refuses("null"));
  EXPECT_THAT(answering("{\"scores\": 1}"), refuses("scores"));
  EXPECT_THAT(answering("[1]"), refuses("'[1]'"));
  EXPECT_THAT(answering("\"1\""), refuses("must be a finite number"));
  EXPECT_THAT(answering("true"), refuses("'true'"));
  EXPECT_THAT(answering(""), refuses("wrote '' for answer 1"));
  EXPECT_THAT(answering("1 2"), refuses("'1 2'"));
}

TEST(CommandScorer, RefusesAMegabyteBeforeTheFirstAnswerIsRead) {
  const Program one_line("sys.stdout.write('x' * 3000000); sys.stdout.flush()\n" +
                         std::string("for line in sys.stdin: print(1, flush=True)\n"));
  const Program lines("sys.stdout.write('loading\\n' * 200000); sys.stdout.flush()\n" +
                      std::string("for line in sys.stdin: print(1, flush=True)\n"));
  CommandScorer first(one_line.config());
  EXPECT_THAT([&] { expect_lengths(first); }, refuses("xxx..."));
  CommandScorer second(lines.config());
  EXPECT_THAT([&] { expect_lengths(second); }, refuses("wrote 'loading'"));
}

TEST(CommandScorer, RefusesMoreLinesThanAnswers) {
  const Program program = Program::each_line("print('1\\n2', flush=True)");
  CommandScorer scorer(program.config());
  EXPECT_THAT([&] { scores_of(scorer, {"a"}); },
              refuses("wrote '2' after the scores of all 1 answers"));
}

TEST(CommandScorer, RefusesAProgramThatTakesTooLong) {
  const Program program =
      Program::each_line("print(1, flush=True) if case['answer'] else time.sleep(100)");
  CommandScorer scorer(program.config(0.8));
  EXPECT_THAT([&] { scores_of(scorer, {"a", "", "c"}); }, refuses("of 3 scores in 0.8 seconds"));
}

TEST(CommandScorer, EndsTheProgramByTheEndOfItsInput) {
  const TestFile ended("");
  fs::remove(ended.path());
  {
    // What it writes at the end, more than a pipe holds, does not keep it.
    const Program program(std::string("for line in sys.stdin: ") + "print(1, flush=True)\n" +
                          "print('x' * 200000, flush=True)\nopen('" + ended.path().string() +
                          "', 'w').close()\n");
    CommandScorer scorer(program.config());
    EXPECT_THAT(scores_of(scorer, {"a"}), ElementsAre(1));
  }
  EXPECT_TRUE(fs::exists(ended.path()));
}

TEST(CommandScorer, EndsAProgramThatDoesNotEndItself) {
  const TestFile number("");
  {
    const Program program("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nopen('" +
                          number.path().string() +
                          "', 'w').write(str(os.getpid()))\nsys.stdin.readline()\n" +
                          "print(1, flush=True)\nwhile True: time.sleep(10)\n");
    CommandScorer scorer(program.config());
    EXPECT_THAT(scores_of(scorer, {"a"}), ElementsAre(1));
  }
  pid_t process = 0;
  std::ifstream(number.path()) >> process;
  ASSERT_GT(process, 0);
  EXPECT_EQ(::kill(process, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(CommandScorer, DoesNotNeedStandardStreamsOfOurOwn) {
  const Program program = Program::each_line(kLength);
  const int input = ::dup(STDIN_FILENO);
  const int output = ::dup(STDOUT_FILENO);
  ::close(STDIN_FILENO);
  ::close(STDOUT_FILENO);
  std::vector<double> scores;
  {
    CommandScorer scorer(program.config());
    scores = scores_of(scorer, {"four", "a"});
  }
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::close(input);
  ::close(output);
  EXPECT_THAT(scores, ElementsAre(4, 1));
}

// --- made from configurations

TEST(TextScorer, ScalesShiftsAndNamesItsErrors) {
  const TestFile file("2 good\n-1e308 bad\n");
  const std::unique_ptr<Scorer> scorer = make_text_scorer(
      {.name = "tone", .kind = LexiconScorerConfig{file.path()}, .scale = -3, .shift = 0.5},
      "reward");
  EXPECT_THAT(scores_of(*scorer, {"good", ""}), ElementsAre(DoubleEq(-5.5), DoubleEq(0.5)));
  EXPECT_THAT(
      [&] {
        scores_of(*scorer, {"good", "bad"});
      },
      refuses("reward \"tone\": the score of answer 2 of 2 is inf"));
  EXPECT_THAT(scorer->about(), HasSubstr("2 phrases"));
  EXPECT_THAT(
      [] { make_text_scorer({.name = "n", .kind = LinearScorerConfig{"/no/file"}}, "cost"); },
      refuses("cost \"n\": cannot read /no/file"));
  EXPECT_THAT([] { make_text_scorer({.name = "m", .kind = ModelScorerConfig{}}, "cost"); },
              refuses("LibTorch"));
  EXPECT_THAT(
      [&] {
        make_text_scorer({.name = "s", .kind = LexiconScorerConfig{file.path()}, .scale = HUGE_VAL},
                         "cost");
      },
      refuses("cost \"s\": scale"));
}

TEST(TextScorer, StartsAProgramOnlyWithConsent) {
  const ScorerConfig config{.name = "judge",
                            .kind = CommandScorerConfig{.command = {"sed", "-u", "s/.*/7/"}}};
  EXPECT_THAT([&] { make_text_scorer(config, "cost"); },
              refuses("cost \"judge\": the config asks to run the program 'sed -u s/.*/7/'; give "
                      "--allow-commands if you trust it"));
  const std::unique_ptr<Scorer> scorer = make_text_scorer(config, "cost", Commands::kAllow);
  EXPECT_THAT(scores_of(*scorer, {"a", "b"}), ElementsAre(7, 7));
}

TEST(TextScorer, RefusesAnotherNumberOfScoresThanAnswers) {
  struct Short final : Scorer {
    std::vector<double> scores(std::span<const Answer>) override { return {1}; }
  };
  const std::unique_ptr<Scorer> scorer =
      named_scorer({.name = "x"}, "cost", [] { return std::make_unique<Short>(); });
  EXPECT_THAT(scores_of(*scorer, {"a"}), ElementsAre(1));
  EXPECT_THAT(
      [&] {
        scores_of(*scorer, {"a", "b"});
      },
      refuses("cost \"x\": 1 scores of 2 answers"));
}

}  // namespace
}  // namespace rgu::align
