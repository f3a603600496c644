#include "rgu/llm/text/tokenizer_json.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/text/byte_level.hpp"
#include "rgu/llm/text/gpt2_split.hpp"
#include "rgu/llm/text/json_part.hpp"
#include "rgu/llm/text/token_range.hpp"

namespace rgu::llm {
namespace {

constexpr std::size_t kLongestAdded = 1024;  // bytes of an added token
constexpr std::size_t kMostAround = 1024;    // tokens before or after a text

// Ids by piece. The views are into the JSON document.
using Ids = std::unordered_map<std::string_view, TokenId>;

std::string type_of(const JsonPart& part) { return part.at("type").text(); }

// normalizer: null, NFC, or a sequence of them. NFC twice is NFC.
bool composes(const std::optional<JsonPart>& normalizer) {
  if (!normalizer) return false;
  const std::string type = type_of(*normalizer);
  if (type == "NFC") return true;
  if (type != "Sequence") normalizer->at("type").refuse("null, NFC or a Sequence of it here");
  bool found = false;
  for (const JsonPart& part : normalizer->at("normalizers").elements()) {
    if (type_of(part) != "NFC") part.at("type").refuse("NFC here");
    found = true;
  }
  return found;
}

// Whether GPT-2's pattern, and the only behaviour that keeps every piece.
void check_split(const JsonPart& split) {
  const JsonPart pattern = split.at("pattern");
  const std::optional<JsonPart> expression = pattern.find("Regex");
  if (!expression || expression->text() != kGpt2Pattern)
    pattern.refuse("GPT-2's split pattern here");
  if (split.at("behavior").text() != "Isolated") split.at("behavior").refuse("Isolated here");
  if (split.truth_or("invert", false)) split.at("invert").refuse("false here");
}

// pre_tokenizer: ByteLevel, or a sequence of at most one Split by the same pattern and then
// ByteLevel. Splitting twice is splitting once.
void read_pre_tokenizer(const JsonPart& part, ByteLevelModel& model) {
  std::vector<JsonPart> stages = {part};
  if (type_of(part) == "Sequence") stages = part.at("pretokenizers").elements();
  if (stages.empty()) part.refuse("ByteLevel, or a Sequence that ends in it, here");
  model.split = false;
  for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
    if (type_of(stages[i]) != "Split") stages[i].at("type").refuse("Split before ByteLevel here");
    check_split(stages[i]);
    model.split = true;
  }
  const JsonPart& last = stages.back();
  if (type_of(last) != "ByteLevel") last.at("type").refuse("ByteLevel here");
  model.add_prefix_space = last.truth_or("add_prefix_space", true);
  if (model.split && model.add_prefix_space) {
    last.at("add_prefix_space").refuse("false after a Split here");
  }
  model.split = model.split || last.truth_or("use_regex", true);
}

void check_decoder(const std::optional<JsonPart>& decoder) {
  if (!decoder) return;
  if (type_of(*decoder) != "ByteLevel") decoder->at("type").refuse("null or ByteLevel here");
}

void put_piece(ByteLevelModel& model, TokenId id, const std::string& piece, const JsonPart& where) {
  const auto index = static_cast<std::size_t>(id);
  if (model.pieces.size() <= index) model.pieces.resize(index + 1);
  const std::string& other = model.pieces[index];
  if (!other.empty() && other != piece) {
    throw InvalidInput(fmt::format("{}: {} and {} both have id {}, must differ", where.place(),
                                   in_quotes(other), in_quotes(piece), id));
  }
  model.pieces[index] = piece;
}

Ids read_vocabulary(const JsonPart& vocabulary, ByteLevelModel& model) {
  Ids ids;
  ids.reserve(vocabulary.object().size());
  const nlohmann::json& object = vocabulary.object();
  for (auto entry = object.begin(); entry != object.end(); ++entry) {
    const std::string& piece = entry.key();
    const nlohmann::json& id = entry.value();
    const bool right = id.is_number_integer() && id >= 0 && id < kLargestVocabulary;
    if (!right) {
      JsonPart(id, vocabulary.place() + " of " + in_quotes(piece))
          .integer(0, kLargestVocabulary - 1);
    }
    put_piece(model, id.get<TokenId>(), piece, vocabulary);
    ids.emplace(piece, id.get<TokenId>());
  }
  return ids;
}

// Bytes that valid UTF-8 can hold.
bool occurs_in_utf8(unsigned byte) { return byte != 0xC0 && byte != 0xC1 && byte < 0xF5; }

void read_byte_ids(const JsonPart& part, const Ids& ids, ByteLevelModel& model) {
  bool complete = true;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto found = ids.find(character_of_byte(static_cast<std::uint8_t>(byte)));
    model.byte_ids[byte] = found == ids.end() ? -1 : found->second;
    complete = complete && (found != ids.end() || !occurs_in_utf8(byte));
  }
  if (complete) return;  // nothing is ever unknown
  if (const auto unknown = part.find("unk_token")) {
    unknown->refuse("null where bytes are missing in the vocabulary");
  }
  if (part.truth_or("byte_fallback", false)) {
    part.at("byte_fallback").refuse("false where bytes are missing in the vocabulary");
  }
}

struct MergePair {
  std::string left;
  std::string right;
};

// "a b" or ["a", "b"].
MergePair merge_pair(const nlohmann::json& merge, const JsonPart& merges, std::size_t number) {
  const auto refuse = [&] {
    JsonPart(merge, fmt::format("{}[{}]", merges.place(), number))
        .refuse("\"a b\" or [\"a\", \"b\"]");
  };
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
    return {merge[0].get<std::string>(), merge[1].get<std::string>()};
  }
  if (!merge.is_string()) refuse();
  const std::string& text = merge.get_ref<const std::string&>();
  const std::size_t space = text.find(' ');
  if (space == text.npos || text.find(' ', space + 1) != text.npos) refuse();
  return {text.substr(0, space), text.substr(space + 1)};
}

void read_merges(const JsonPart& merges, const Ids& ids, ByteLevelModel& model) {
  model.merges = MergeTable(merges.array().size());
  std::size_t number = 0;
  const auto id_of = [&](const std::string& piece) {
    const auto found = ids.find(piece);
    if (found == ids.end()) {
      throw InvalidInput(fmt::format("{}[{}]: {} is not in the vocabulary", merges.place(), number,
                                     in_quotes(piece)));
    }
    return found->second;
  };
  check(merges.array().size() < static_cast<std::size_t>(kLargestVocabulary),
        "{} has {} merges, must have fewer than {}", merges.place(), merges.array().size(),
        kLargestVocabulary);
  for (const nlohmann::json& merge : merges.array()) {
    const MergePair pair = merge_pair(merge, merges, number);
    const TokenId left = id_of(pair.left);
    const TokenId right = id_of(pair.right);
    model.merges.put(
        left, right,
        {.rank = static_cast<std::int32_t>(number), .result = id_of(pair.left + pair.right)});
    ++number;
  }
}

void check_absent(const JsonPart& model, const std::string& key) {
  const std::optional<JsonPart> part = model.find(key);
  const bool absent = !part || part->value() == nlohmann::json("") || part->value() == 0;
  if (!absent) part->refuse("null here");
}

Ids read_model(const JsonPart& part, ByteLevelModel& model) {
  if (const auto type = part.find("type"); type && type->text() != "BPE") type->refuse("BPE here");
  check_absent(part, "dropout");
  check_absent(part, "continuing_subword_prefix");
  check_absent(part, "end_of_word_suffix");
  model.whole_words_first = part.truth_or("ignore_merges", false);
  Ids ids = read_vocabulary(part.at("vocab"), model);
  read_byte_ids(part, ids, model);
  read_merges(part.at("merges"), ids, model);
  return ids;
}

// Short: at each place of a text where one may begin, all of it may have to be compared.
std::string added_content(const JsonPart& part) {
  std::string content = part.at("content").text();
  check(content.size() <= kLongestAdded, "{}: the token {} has {} bytes, must have at most {}",
        part.place(), in_quotes(content), content.size(), kLongestAdded);
  return content;
}

AddedToken added_token(const JsonPart& part) {
  const bool special = part.truth_or("special", false);
  return {.content = added_content(part),
          .id = static_cast<TokenId>(part.at("id").integer(0, kLargestVocabulary - 1)),
          .special = special,
          .normalized = part.truth_or("normalized", !special),
          .single_word = part.truth_or("single_word", false),
          .lstrip = part.truth_or("lstrip", false),
          .rstrip = part.truth_or("rstrip", false)};
}

void read_added_tokens(const JsonPart& tokens, const Ids& ids, ByteLevelModel& model) {
  for (const JsonPart& part : tokens.elements()) {
    const AddedToken token = added_token(part);
    if (token.content.empty()) continue;
    const auto known = ids.find(token.content);
    check(known == ids.end() || known->second == token.id,
          "{}: {} has id {}, must have {} as in the vocabulary", part.place(),
          in_quotes(token.content), token.id, known == ids.end() ? -1 : known->second);
    put_piece(model, token.id, token.content, part);
    model.added.push_back(token);
  }
}

// The ids of a special token of a template: {"SpecialToken": {"id": "<s>"}} names an entry of
// special_tokens.
std::vector<TokenId> template_ids(const JsonPart& processor, const JsonPart& special,
                                  std::int64_t vocabulary) {
  std::vector<TokenId> ids;
  const JsonPart entry = processor.at("special_tokens").at(special.at("id").text());
  for (const JsonPart& id : entry.at("ids").elements()) {
    ids.push_back(static_cast<TokenId>(id.integer(0, vocabulary - 1)));
  }
  return ids;
}

void read_template(const JsonPart& processor, ByteLevelModel& model) {
  bool seen = false;  // the text itself
  for (const JsonPart& part : processor.at("single").elements()) {
    if (const auto special = part.find("SpecialToken")) {
      const auto ids = template_ids(processor, *special, std::ssize(model.pieces));
      std::vector<TokenId>& side = seen ? model.after : model.before;
      side.insert(side.end(), ids.begin(), ids.end());
      check(side.size() <= kMostAround,
            "{}.single puts {} tokens around a text, must be at most {}", processor.place(),
            side.size(), kMostAround);
    } else {
      if (seen || !part.find("Sequence")) part.refuse("a SpecialToken or the only Sequence");
      seen = true;
    }
  }
  check(seen, "{}.single has no Sequence, must have one", processor.place());
}

void read_post_processor(const JsonPart& part, ByteLevelModel& model) {
  const std::string type = type_of(part);
  if (type == "ByteLevel") return;  // about offsets only
  if (type == "TemplateProcessing") {
    check(model.before.empty() && model.after.empty(), "{} is a second template, must be one",
          part.place());
    return read_template(part, model);
  }
  if (type != "Sequence") {
    part.at("type").refuse("ByteLevel, TemplateProcessing or a Sequence of them here");
  }
  for (const JsonPart& processor : part.at("processors").elements()) {
    if (type_of(processor) == "Sequence")
      processor.at("type").refuse("no Sequence in a Sequence here");
    read_post_processor(processor, model);
  }
}

}  // namespace

bool is_byte_level(const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("pre_tokenizer")) return false;
  const nlohmann::json& part = json["pre_tokenizer"];
  if (!part.is_object()) return false;
  if (part.value("type", nlohmann::json()) == "ByteLevel") return true;
  const nlohmann::json stages = part.value("pretokenizers", nlohmann::json::array());
  return std::any_of(stages.begin(), stages.end(), [](const nlohmann::json& stage) {
    return stage.is_object() && stage.value("type", nlohmann::json()) == "ByteLevel";
  });
}

ByteLevelModel byte_level_model(const nlohmann::json& json, const std::string& file) {
  const JsonPart document(json, file + ":");
  ByteLevelModel model;
  model.compose = composes(document.find("normalizer"));
  const std::optional<JsonPart> pre_tokenizer = document.find("pre_tokenizer");
  check(pre_tokenizer.has_value(), "{}: pre_tokenizer is null, must be ByteLevel here", file);
  read_pre_tokenizer(*pre_tokenizer, model);
  check_decoder(document.find("decoder"));
  const Ids ids = read_model(document.at("model"), model);
  if (const auto tokens = document.find("added_tokens")) read_added_tokens(*tokens, ids, model);
  if (const auto processor = document.find("post_processor"))
    read_post_processor(*processor, model);
  return model;
}

}  // namespace rgu::llm
