// Prompts, and pairs of answers that were compared.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rgu::llm {

enum class PromptForm {
  kInput,     // what a user says: conversation_prompt makes the model's prompt of it
  kDialogue,  // a whole dialogue up to where the answer begins
};

struct PreferencePair {
  std::string prompt = {};
  std::array<std::string, 2> response = {};
  std::optional<int> better = {};  // 0 or 1: the more helpful answer
  std::optional<int> safer = {};   // 0 or 1
  std::array<std::optional<bool>, 2> safe = {};
  PromptForm form = PromptForm::kInput;
  std::string place = {};  // "file.jsonl:12", for messages
};

// A file of JSON lines, plain or compressed (text_lines.hpp), each line with the fields of
// PKU-SafeRLHF (prompt, response_0, response_1 and, as far as they are there and not null,
// better_response_id, safer_response_id, is_response_0_safe, is_response_1_safe) or of hh-rlhf
// (chosen, rejected: dialogues whose common part ends at its last "\n\nAssistant: "). Other fields
// are left alone, empty lines too. Throws InvalidInput naming file, line, field, value and rule.
std::vector<PreferencePair> read_preferences(const std::filesystem::path& path);

// A rule of pairs that a cost model may be trained on, as safe-rlhf has it: the safer answer must
// not be labelled unsafe where the other is labelled safe. Throws InvalidInput naming the place.
void check_safety_labels(const PreferencePair& pair);

// "BEGINNING OF CONVERSATION: USER: {input} ASSISTANT:", without a space at the end: the template
// of safe-rlhf.
std::string conversation_prompt(std::string_view input);
// What the model is given: the conversation prompt of an input, a dialogue as it is.
std::string model_prompt(const PreferencePair& pair);

struct Prompt {
  std::string text = {};
  std::int64_t line = 0;  // of the file, from 1
  bool operator==(const Prompt&) const = default;
};

// A file, plain or compressed, of JSON lines with a field "prompt" if its first line that is not
// empty begins with "{", otherwise of prompts, one a line. Empty lines are left out. Each prompt is
// given once, in the order of first appearance, with the line of the last. Throws InvalidInput as
// above.
std::vector<Prompt> read_prompts(const std::filesystem::path& path);

}  // namespace rgu::llm
