#include "rgu/utility/tape.hpp"

#include <adolc/interfaces.h>
#include <adolc/taping.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "rgu/base/check.hpp"

namespace rgu {

namespace {

constexpr std::size_t kSmallStore = 4096;

}  // namespace

// The live tapes. Everything here, and every call of ADOL-C, happens under the mutex.
struct Tape::Slots {
  std::mutex mutex;
  std::array<Tape*, kLiveTapes> owner{};
  std::array<long, kLiveTapes> last_use{};
  long clock = 0;
  std::size_t store = kSmallStore;  // the room for live variables that ADOL-C is known to have made

  // Never destroyed, because a utility with static storage may outlive any static made after it.
  static Slots& all() {
    static Slots& slots = *new Slots;
    return slots;
  }

  static short tag(int slot) { return static_cast<short>(kFirstTag + slot); }

  // Forgets the tape. It is freed, not overwritten: on a tag in use ADOL-C keeps the old buffers
  // but believes the new sizes.
  void release(int slot) {
    const auto i = static_cast<std::size_t>(slot);
    if (owner[i] == nullptr) return;
    removeTape(tag(slot), ADOLC_REMOVE_COMPLETELY);
    owner[i]->slot_.reset();
    owner[i] = nullptr;
  }

  // Gives the slot that is free, or was used longest ago, to `tape`.
  void assign(Tape* tape) {
    const auto oldest = std::min_element(last_use.begin(), last_use.end()) - last_use.begin();
    const int slot = static_cast<int>(oldest);
    release(slot);
    owner[static_cast<std::size_t>(slot)] = tape;
    tape->slot_ = slot;
    touch(slot);
  }

  void touch(int slot) { last_use[static_cast<std::size_t>(slot)] = ++clock; }
  void forget(int slot) {
    release(slot);
    last_use[static_cast<std::size_t>(slot)] = 0;
  }
};

namespace {

using Statistics = std::array<std::size_t, STAT_SIZE>;

// ADOL-C writes a tape to a file in the working directory as soon as one of its buffers is full, so
// the buffers are made large enough beforehand. They are memory that is reserved, not used: pages
// that nothing is written to cost nothing.
struct Buffers {
  std::size_t operations = 0;
  std::size_t locations = 0;
  std::size_t values = 0;
  std::size_t taylors = 0;

  // For a recording that spends `spent` entries, where ADOL-C has made room for `store` live
  // variables. It makes room by doubling, so the recording itself needs at most `spent`.
  static Buffers for_recording(std::size_t spent, std::size_t store) {
    constexpr std::size_t kHeader = 4096;  // ADOL-C's own entries: start, end, statistics
    constexpr std::size_t kLocationsPerOperation = 4;
    const std::size_t operations = spent + kHeader;
    const std::size_t variables = std::max(spent, store);
    return {.operations = operations,
            .locations = kLocationsPerOperation * operations,
            .values = operations + variables,
            .taylors = operations + variables};
  }

  bool hold(const Statistics& used) const {
    return used[OP_FILE_ACCESS] == 0 && used[LOC_FILE_ACCESS] == 0 && used[VAL_FILE_ACCESS] == 0 &&
           used[TAY_STACK_SIZE] <= taylors;
  }
};

// Buffer sizes are 32-bit numbers in ADOL-C.
constexpr std::size_t kMostEntries = std::size_t{1} << 28;

// ADOL-C's store of live variables only grows, and every sweep over a tape copies a store of the
// size it had when the tape was recorded: after one large utility all small ones would be slow.
// Emptying it is possible while no variable lives. If one did, that of code outside the library,
// then the values on the tape include the whole store.
bool is_store_oversized(const Statistics& used, std::size_t spent) {
  const std::size_t store = used[NUM_MAX_LIVES];
  return store > std::max(kSmallStore, 4 * spent) && used[NUM_VALUES] < store;
}

// A change of the store's type makes it anew; the tapes that exist do not depend on it.
void empty_store() {
  setStoreManagerType(ADOLC_LOCATION_SINGLETONS);
  setStoreManagerType(ADOLC_LOCATION_BLOCKS);
}

// Between construction and destruction ADOL-C records, also if the program throws.
class Trace {
 public:
  Trace(short tag, const Buffers& buffers) {
    const auto size = [](std::size_t entries) { return static_cast<unsigned>(entries); };
    trace_on(tag, 0, size(buffers.operations), size(buffers.locations), size(buffers.values),
             size(buffers.taylors));
  }
  ~Trace() { trace_off(); }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
};

}  // namespace

Tape::~Tape() {
  Slots& slots = Slots::all();
  const std::lock_guard lock(slots.mutex);
  if (slot_) slots.forget(*slot_);
}

// Runs the program on active inputs: recorded if a Trace exists, else only counted.
double Tape::run(const Vector& at) const {
  std::vector<Active> inputs(static_cast<std::size_t>(inputs_));
  for (Index i = 0; i < inputs_; ++i) inputs[static_cast<std::size_t>(i)].value_ <<= at(i);
  Active result = program_(inputs.data());
  double value = 0;
  result.value_ >>= value;
  return value;
}

void Tape::record(const Vector& at) {
  disableBranchSwitchWarnings();  // a branch that switches is expected here, not a message
  Active::spent_ = 0;
  run(at);
  const std::size_t spent = Active::spent_;
  check(spent <= kMostEntries, "custom utility needs up to {} tape entries, must be at most {}",
        spent, kMostEntries);
  // Once, unless a larger utility or code outside the library has left ADOL-C with a large store.
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (!trace(at, spent)) continue;
    ++recordings_;
    return;
  }
  throw std::logic_error("a custom utility left more on its tape than was counted");
}

// Returns whether the recording is good; if not, what was wrong has been put right.
bool Tape::trace(const Vector& at, std::size_t spent) {
  Slots& slots = Slots::all();
  if (slot_) slots.forget(*slot_);
  const Buffers buffers = Buffers::for_recording(spent, slots.store);
  slots.assign(this);
  try {
    const Trace trace(Slots::tag(*slot_), buffers);
    run(at);
  } catch (...) {
    slots.forget(*slot_);
    throw;
  }
  Statistics used{};
  tapestats(Slots::tag(*slot_), used.data());
  if (is_store_oversized(used, spent)) {
    empty_store();
    slots.store = kSmallStore;
    return false;
  }
  slots.store = std::max(slots.store, used[NUM_MAX_LIVES]);
  return buffers.hold(used);
}

double Tape::differentiate(const Vector& at, Vector& gradient) {
  Slots& slots = Slots::all();
  const std::lock_guard lock(slots.mutex);
  if (!slot_) record(at);
  const int inputs = static_cast<int>(inputs_);
  double value = 0;
  // Negative where a comparison came out differently than on the tape.
  const auto forward = [&] {
    return zos_forward(Slots::tag(*slot_), 1, inputs, 1, at.data(), &value);
  };
  if (forward() < 0) {
    record(at);
    if (forward() < 0) throw std::logic_error("a new recording does not play where it was made");
  }
  slots.touch(*slot_);
  gradient.resize(inputs_);
  double one = 1;
  fos_reverse(Slots::tag(*slot_), 1, inputs, &one, gradient.data());
  return value;
}

}  // namespace rgu
