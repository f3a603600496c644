#include "rgu/align/training/answer_batch.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "rgu/align/training/together.hpp"

namespace rgu::align {
namespace {

// Rank `rank` of a job that never talks.
class Silent final : public Ranks {
 public:
  Silent(int rank, int size) : rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int neighbours() const override { return size_; }
  void broadcast(std::span<std::byte>) override {}
  void sum(std::span<double>) override {}
  void sum(std::span<float>) override {}
  void largest(std::span<double>) override {}
  std::vector<std::string> gather(std::string_view own) override { return {std::string(own)}; }
  void send(std::span<const std::byte>, int) override {}
  void receive(std::span<std::byte>, int) override {}
  void post(const Letter&, int) override {}
  std::optional<Letter> mail() override { return {}; }
  Letter next_letter() override { return {}; }

 private:
  int rank_;
  int size_;
};

TEST(AnswerMessages, KeepEveryBitAndAnyText) {
  const TokenisedPrompt prompt{.input = "a", .text = "a", .tokens = {1}};
  AnswerBatch first{.prompts = {&prompt, &prompt}, .texts = {"", "half of \xc3"}};
  first.sequences = {{.tokens = {}, .log_probabilities = {}, .stopped = true},
                     {.tokens = {0, 50303}, .log_probabilities = {-0.1f, -1e-30f}}};
  first.scores = {.rewards = Matrix(2, 2), .costs = Matrix(2, 0)};
  first.scores.rewards << 0.1, -0.0, 1.0 / 3, 5e-324;
  AnswerBatch second{.prompts = {&prompt}, .texts = {std::string("\0\n", 2)}};
  second.sequences = {{.tokens = {7}, .log_probabilities = {0}, .stopped = true}};
  second.scores = {.rewards = Matrix::Constant(1, 2, 1e300), .costs = Matrix(1, 0)};

  const std::array messages = {message_of(first), message_of({}), message_of(second)};
  const AnswerBatch both = joined({&prompt, &prompt, &prompt}, messages);
  ASSERT_EQ(both.sequences.size(), 3u);
  EXPECT_EQ(both.texts, (std::vector<std::string>{"", "half of \xc3", std::string("\0\n", 2)}));
  EXPECT_EQ(both.sequences[1].tokens, first.sequences[1].tokens);
  EXPECT_EQ(both.sequences[1].log_probabilities, first.sequences[1].log_probabilities);
  EXPECT_EQ(both.finished(), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(both.scores.rewards.topRows(2), first.scores.rewards);
  EXPECT_TRUE(std::signbit(both.scores.rewards(0, 1)));
  EXPECT_EQ(both.scores.rewards.row(2), second.scores.rewards.row(0));
  EXPECT_EQ(both.scores.costs.rows(), 3);
}

TEST(Shares, AreTheWholeListInOrderAndOfLikeSize) {
  for (const Index count : {0, 1, 3, 8, 129}) {
    Index next = 0;
    for (int rank = 0; rank < 4; ++rank) {
      const Share share = own_share(Silent(rank, 4), count);
      EXPECT_EQ(share.first, next);
      EXPECT_TRUE(share.count == count / 4 || share.count == count / 4 + 1);
      next += share.count;
    }
    EXPECT_EQ(next, count);
  }
}

TEST(Gathered, TurnsTheErrorOfATaskIntoOneOfTheJob) {
  Silent ranks(0, 2);
  EXPECT_EQ(gathered(ranks, [] { return std::string("x"); }), std::vector<std::string>{"x"});
  EXPECT_THROW(gathered(ranks, []() -> std::string { throw InvalidInput("bad"); }),
               SharedComplaint);
  EXPECT_THROW(gathered(ranks, []() -> std::string { throw Interrupted(); }), Interrupted);
  const auto task = []() -> std::string { throw InvalidInput("bad"); };
  try {
    gathered(alone(), task);
    FAIL();
  } catch (const SharedComplaint&) {
    FAIL() << "alone there is no job";
  } catch (const InvalidInput&) {
  }
}

}  // namespace
}  // namespace rgu::align
