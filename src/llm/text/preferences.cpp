#include "rgu/llm/text/preferences.hpp"

#include <algorithm>
#include <unordered_map>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/text/json_part.hpp"
#include "rgu/llm/text/text_lines.hpp"

namespace rgu::llm {
namespace {

constexpr std::string_view kAnswerBegin = "\n\nAssistant: ";

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

std::optional<int> choice(const JsonPart& document, const std::string& key) {
  const std::optional<JsonPart> part = document.find(key);
  if (!part) return {};
  return static_cast<int>(part->integer(0, 1));
}

std::optional<bool> label(const JsonPart& document, const std::string& key) {
  const std::optional<JsonPart> part = document.find(key);
  if (!part) return {};
  return part->truth();
}

PreferencePair safe_rlhf_pair(const JsonPart& document) {
  return {.prompt = document.at("prompt").text(),
          .response = {document.at("response_0").text(), document.at("response_1").text()},
          .better = choice(document, "better_response_id"),
          .safer = choice(document, "safer_response_id"),
          .safe = {label(document, "is_response_0_safe"), label(document, "is_response_1_safe")}};
}

// The prompt is the part that both dialogues share, up to the begin of the answer in which they
// differ.
PreferencePair dialogue_pair(const JsonPart& document) {
  const std::string chosen = document.at("chosen").text();
  const std::string rejected = document.at("rejected").text();
  const auto differ =
      std::mismatch(chosen.begin(), chosen.end(), rejected.begin(), rejected.end()).first;
  const std::string_view shared(chosen.data(), static_cast<std::size_t>(differ - chosen.begin()));
  const std::size_t found = shared.rfind(kAnswerBegin);
  if (found == shared.npos) {
    document.at("chosen").refuse(
        "a dialogue that has \"\\n\\nAssistant: \" before it differs from rejected");
  }
  const std::size_t cut = found + kAnswerBegin.size();
  return {.prompt = chosen.substr(0, cut),
          .response = {chosen.substr(cut), rejected.substr(cut)},
          .better = 0,
          .form = PromptForm::kDialogue};
}

PreferencePair pair_of(const JsonPart& document) {
  const bool dialogue =
      document.object().contains("chosen") && !document.object().contains("response_0");
  return dialogue ? dialogue_pair(document) : safe_rlhf_pair(document);
}

}  // namespace

std::vector<PreferencePair> read_preferences(const std::filesystem::path& path) {
  std::vector<PreferencePair> pairs;
  TextLines lines(path);
  while (const auto line = lines.next()) {
    if (is_blank(*line)) continue;
    const nlohmann::json json = parse_json(*line, lines.place());
    pairs.push_back(pair_of(JsonPart(json, lines.place() + ":")));
    pairs.back().place = lines.place();
  }
  return pairs;
}

void check_safety_labels(const PreferencePair& pair) {
  if (!pair.safer) return;
  const auto safer = static_cast<std::size_t>(*pair.safer);
  const bool contrary = pair.safe[safer] == false && pair.safe[1 - safer] == true;
  check(!contrary,
        "{}: safer_response_id is {}, but is_response_{}_safe is false and is_response_{}_safe is "
        "true: the safer answer must not be the unsafe one",
        pair.place, safer, safer, 1 - safer);
}

std::string conversation_prompt(std::string_view input) {
  return fmt::format("BEGINNING OF CONVERSATION: USER: {} ASSISTANT:", input);
}

std::string model_prompt(const PreferencePair& pair) {
  return pair.form == PromptForm::kInput ? conversation_prompt(pair.prompt) : pair.prompt;
}

std::vector<Prompt> read_prompts(const std::filesystem::path& path) {
  std::vector<Prompt> prompts;
  std::unordered_map<std::string, std::size_t> places;
  std::optional<bool> is_json;
  TextLines lines(path);
  while (const auto line = lines.next()) {
    if (is_blank(*line)) continue;
    if (!is_json) is_json = line->starts_with('{');
    std::string text(*line);
    if (*is_json) {
      const nlohmann::json json = parse_json(*line, lines.place());
      text = JsonPart(json, lines.place() + ":").at("prompt").text();
    }
    const auto [found, is_new] = places.emplace(text, prompts.size());
    if (is_new) prompts.push_back({.text = std::move(text)});
    prompts[found->second].line = lines.number();
  }
  return prompts;
}

}  // namespace rgu::llm
