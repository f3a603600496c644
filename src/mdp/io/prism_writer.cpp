#include "rgu/mdp/io/prism_file.hpp"
#include "rgu/mdp/io/written_world.hpp"

namespace rgu {
namespace {

std::filesystem::path beside(std::filesystem::path path, const char* extension) {
  return path.replace_extension(extension);
}

void write_counts(OutputFile& file, std::initializer_list<Index> counts) {
  bool first = true;
  for (const Index count : counts) {
    if (!first) file.text(" ");
    file.number(count);
    first = false;
  }
}

void write_entry(OutputFile& file, std::initializer_list<Index> ids, double value) {
  write_counts(file, ids);
  file.text(" ");
  file.number(value);
  file.text("\n");
}

void write_transitions(const std::filesystem::path& path, const FiniteMdp& mdp) {
  Index count = 0;
  for_each_transition(mdp, [&](Index, Index, Index, double) { ++count; });
  OutputFile file(path);
  write_counts(file, {mdp.states(), mdp.states() * mdp.actions(), count});
  file.text("\n");
  for_each_transition(mdp, [&](Index s, Index a, Index next, double probability) {
    write_entry(file, {s, a, next}, probability);
  });
  file.commit();
}

void write_transition_rewards(const std::filesystem::path& path, const FiniteMdp& mdp,
                              const Matrix& reward) {
  Index count = 0;
  for_each_transition(mdp, [&](Index s, Index a, Index, double) { count += reward(s, a) != 0; });
  OutputFile file(path);
  write_counts(file, {mdp.states(), mdp.states() * mdp.actions(), count});
  file.text("\n");
  for_each_transition(mdp, [&](Index s, Index a, Index next, double) {
    if (reward(s, a) != 0) write_entry(file, {s, a, next}, reward(s, a));
  });
  file.commit();
}

void write_state_rewards(const std::filesystem::path& path, const Vector& reward) {
  OutputFile file(path);
  write_counts(file, {reward.size(), (reward.array() != 0).count()});
  file.text("\n");
  for (Index s = 0; s < reward.size(); ++s) {
    if (reward(s) != 0) write_entry(file, {s}, reward(s));
  }
  file.commit();
}

bool depends_on_state_only(const Matrix& reward) {
  for (Index a = 1; a < reward.cols(); ++a) {
    if (reward.col(a) != reward.col(0)) return false;
  }
  return true;
}

void check_start(const Vector& start) {
  const double share = 1.0 / static_cast<double>((start.array() > 0).count());
  for (Index s = 0; s < start.size(); ++s) {
    check(
        start(s) == 0 || start(s) == share,
        "start probability s={} is {}, must be 0 or {} to be held by PRISM files, which know only "
        "a uniform start over a set of states",
        s, start(s), share);
  }
}

void write_labels(const std::filesystem::path& path, const Vector& start) {
  OutputFile file(path);
  file.text("0=\"init\" 1=\"deadlock\"\n");
  for (Index s = 0; s < start.size(); ++s) {
    if (start(s) == 0) continue;
    file.number(s);
    file.text(": 0\n");
  }
  file.commit();
}

}  // namespace

void write_prism(const std::filesystem::path& tra, const World& world,
                 const WriteOptions& options) {
  const FiniteMdp& mdp = world.mdp;
  const Matrix reward = written_reward(world, options);
  check_start(mdp.start());
  const Vector none_by_state = Vector::Zero(mdp.states());
  const Matrix none_by_transition = Matrix::Zero(mdp.states(), mdp.actions());
  const bool by_state = depends_on_state_only(reward);
  // All files are written every time: one left over from another model would be read with this one.
  write_state_rewards(beside(tra, ".srew"), by_state ? Vector(reward.col(0)) : none_by_state);
  write_transition_rewards(beside(tra, ".trew"), mdp, by_state ? none_by_transition : reward);
  write_labels(beside(tra, ".lab"), mdp.start());
  write_transitions(tra, mdp);
}

}  // namespace rgu
