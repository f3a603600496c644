// What the describe functions share.
#pragma once

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/fields.hpp"

namespace rgu {

// Each is defined in the file of its own table.
void describe(FieldVisitor& visit, ModelConfig& config);
void describe(FieldVisitor& visit, PolicyConfig& config);
void describe(FieldVisitor& visit, UtilityConfig& config);
void describe(FieldVisitor& visit, AmbiguityConfig& config);
void describe(FieldVisitor& visit, GradientConfig& config);
void describe(FieldVisitor& visit, SolverConfig& config);
void describe(FieldVisitor& visit, StoppingConfig& config);
void describe(FieldVisitor& visit, OutputConfig& config);

template <class Variant, std::size_t... I>
void set_alternative(Variant& variant, std::size_t index, std::index_sequence<I...>) {
  ((I == index ? void(variant.template emplace<I>()) : void()), ...);
}

// A variant whose alternatives are the kinds, in the same order. `describe_one` visits the keys of
// an alternative.
template <class... Alternatives, std::size_t N, class DescribeOne>
void describe_kinds(FieldVisitor& visit, const Key& key, std::variant<Alternatives...>& variant,
                    const std::array<Kind, N>& kinds, DescribeOne describe_one) {
  static_assert(N == sizeof...(Alternatives),
                "one line in the table of kinds for each alternative");
  visit.choose(key, kinds, variant.index(), [&](FieldVisitor& inner, std::size_t index) {
    if (index != variant.index()) {
      set_alternative(variant, index, std::index_sequence_for<Alternatives...>());
    }
    std::visit([&](auto& alternative) { describe_one(inner, alternative); }, variant);
  });
}

// An enum whose values 0, 1, .. are the kinds.
template <class Enum, std::size_t N>
void describe_enum(FieldVisitor& visit, const Key& key, Enum& value,
                   const std::array<Kind, N>& kinds) {
  visit.choose(key, kinds, static_cast<std::size_t>(value),
               [&](FieldVisitor&, std::size_t index) { value = static_cast<Enum>(index); });
}

template <class Entry, class DescribeOne>
void describe_list(FieldVisitor& visit, const Key& key, std::vector<Entry>& list,
                   DescribeOne describe_one) {
  visit.tables(key, list.size(), [&](FieldVisitor& inner, std::size_t index) {
    if (index >= list.size()) list.resize(index + 1);
    describe_one(inner, list[index]);
  });
}

}  // namespace rgu
