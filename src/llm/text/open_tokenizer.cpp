#include <map>

#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/text/byte_level_tokenizer.hpp"
#include "rgu/llm/text/json_part.hpp"
#include "rgu/llm/text/llama2c_tokenizer.hpp"
#include "rgu/llm/text/sentencepiece.hpp"
#include "rgu/llm/text/token_range.hpp"
#include "rgu/llm/text/tokenizer.hpp"
#include "rgu/llm/text/tokenizer_json.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

// What the files beside a tokenizer say.
struct Surroundings {
  std::map<std::string, std::string> names =
      {};  // "bos_token", "eos_token", "pad_token" -> content
  std::map<TokenId, std::string> added = {};
  bool add_bos = true;  // SentencePiece only: the other format says it itself
  bool add_eos = false;
};

constexpr const char* kRoles[] = {"bos_token", "eos_token", "pad_token"};

// A special token is written as its content or as an object that has it.
void read_names(const JsonPart& document, Surroundings& surroundings) {
  for (const std::string role : kRoles) {
    const std::optional<JsonPart> token = document.find(role);
    if (!token) continue;
    const std::string name =
        token->value().is_object() ? token->at("content").text() : token->text();
    surroundings.names[role] = name;
  }
}

TokenId id_in_text(const std::string& digits, const std::string& place) {
  check(!digits.empty() && digits.size() <= 9 &&
            digits.find_first_not_of("0123456789") == digits.npos,
        "{} has the id {}, must be digits", place, in_quotes(digits));
  return static_cast<TokenId>(std::stol(digits));
}

// "added_tokens_decoder": {"32000": {"content": "<pad>", ...}}
void read_added_decoder(const JsonPart& document, Surroundings& surroundings) {
  const std::optional<JsonPart> tokens = document.find("added_tokens_decoder");
  if (!tokens) return;
  for (auto entry = tokens->object().begin(); entry != tokens->object().end(); ++entry) {
    const TokenId id = id_in_text(entry.key(), tokens->place());
    surroundings.added[id] = tokens->at(entry.key()).at("content").text();
  }
}

void read_config(const JsonPart& document, Surroundings& surroundings) {
  read_names(document, surroundings);
  read_added_decoder(document, surroundings);
  surroundings.add_bos = document.truth_or("add_bos_token", true);
  surroundings.add_eos = document.truth_or("add_eos_token", false);
}

// added_tokens.json: {"<pad>": 32000}
void read_added(const JsonPart& document, Surroundings& surroundings) {
  for (auto entry = document.object().begin(); entry != document.object().end(); ++entry) {
    const std::int64_t id = document.at(entry.key()).integer(0, kLargestVocabulary - 1);
    surroundings.added[static_cast<TokenId>(id)] = entry.key();
  }
}

Surroundings read_surroundings(const fs::path& folder) {
  Surroundings surroundings;
  const auto read_if_there = [&](const char* name, auto read) {
    const fs::path path = folder / name;
    if (!fs::exists(path)) return;
    const nlohmann::json json = parse_json(read_text(path), path.string());
    read(JsonPart(json, path.string() + ":"), surroundings);
  };
  read_if_there("special_tokens_map.json", read_names);
  read_if_there("tokenizer_config.json", read_config);
  read_if_there("added_tokens.json", read_added);
  return surroundings;
}

// The first of the usual names that `id_of` knows.
template <class IdOf>
std::optional<TokenId> usual_token(IdOf id_of, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const std::optional<TokenId> id = id_of(name)) return id;
  }
  return {};
}

template <class IdOf>
SpecialTokens specials_named(const Surroundings& surroundings, const std::string& file, IdOf id_of,
                             SpecialTokens otherwise) {
  std::optional<TokenId>* const slots[] = {&otherwise.bos, &otherwise.eos, &otherwise.pad};
  for (std::size_t i = 0; i < std::size(kRoles); ++i) {
    const auto named = surroundings.names.find(kRoles[i]);
    if (named == surroundings.names.end()) continue;
    *slots[i] = id_of(named->second);
    check(slots[i]->has_value(), "{}: the {} is {}, which the tokenizer does not have", file,
          kRoles[i], in_quotes(named->second));
  }
  return otherwise;
}

std::unique_ptr<Tokenizer> open_json(const nlohmann::json& json, const std::string& file,
                                     const Surroundings& surroundings) {
  ByteLevelModel model = byte_level_model(json, file);
  const auto id_of = [&](const std::string& content) -> std::optional<TokenId> {
    for (std::size_t id = 0; id < model.pieces.size(); ++id) {
      if (model.pieces[id] == content) return static_cast<TokenId>(id);
    }
    return {};
  };
  const auto special_id_of = [&](const std::string& content) -> std::optional<TokenId> {
    for (const AddedToken& token : model.added) {
      if (token.special && token.content == content) return token.id;
    }
    return {};
  };
  const SpecialTokens usual = {
      .bos = usual_token(special_id_of, {"<|endoftext|>", "<s>"}),
      .eos = usual_token(special_id_of, {"<|endoftext|>", "</s>"}),
      .pad = usual_token(special_id_of, {"<|padding|>", "<|pad|>", "<pad>"})};
  model.specials = specials_named(surroundings, file, id_of, usual);
  return std::make_unique<ByteLevelTokenizer>(std::move(model));
}

std::unique_ptr<Tokenizer> open_sentencepiece(const fs::path& path,
                                              const Surroundings& surroundings) {
  const std::string file = path.string();
  PieceModel model = sentencepiece_model(read_text(path), file);
  add_control_pieces(model, surroundings.added, file);
  model.add_bos = surroundings.add_bos;
  model.add_eos = surroundings.add_eos;
  const auto id_of = [&](const std::string& text) -> std::optional<TokenId> {
    for (std::size_t id = 0; id < model.pieces.size(); ++id) {
      if (model.pieces[id].text == text) return static_cast<TokenId>(id);
    }
    return {};
  };
  if (!model.specials.pad && !surroundings.added.empty()) model.specials.pad = id_of("<pad>");
  model.specials = specials_named(surroundings, file, id_of, model.specials);
  return std::make_unique<PieceTokenizer>(std::move(model), file);
}

std::unique_ptr<Tokenizer> open_llama2c(const fs::path& path) {
  const std::string file = path.string();
  return std::make_unique<PieceTokenizer>(llama2c_model(read_text(path), file), file);
}

std::unique_ptr<Tokenizer> open_folder(const fs::path& folder) {
  const fs::path json_path = folder / "tokenizer.json";
  const fs::path model_path = folder / "tokenizer.model";
  const fs::path llama2c_path = folder / "tokenizer.bin";
  const bool has_model = fs::exists(model_path);
  const bool has_json = fs::exists(json_path);
  check(has_model || has_json || fs::exists(llama2c_path),
        "{} has neither tokenizer.json nor tokenizer.model nor tokenizer.bin", folder.string());
  if (!has_model && !has_json) return open_llama2c(llama2c_path);
  const Surroundings surroundings = read_surroundings(folder);
  if (has_json) {
    const nlohmann::json json = parse_json(read_text(json_path), json_path.string());
    if (!has_model || is_byte_level(json)) return open_json(json, json_path.string(), surroundings);
  }
  return open_sentencepiece(model_path, surroundings);
}

}  // namespace

std::unique_ptr<Tokenizer> open_tokenizer(const std::filesystem::path& path) {
  if (fs::is_directory(path)) return open_folder(path);
  const std::string file = path.string();
  if (path.extension() == ".json") return open_json(parse_json(read_text(path), file), file, {});
  if (path.extension() == ".model") return open_sentencepiece(path, {});
  check(path.extension() == ".bin", "tokenizer {} must be a folder or end in .json, .model or .bin",
        file);
  return open_llama2c(path);
}

std::string text_of_ids(const Tokenizer& tokenizer, std::span<const TokenId> ids) {
  std::vector<TokenId> known(ids.begin(), ids.end());
  std::erase_if(known, [&](TokenId id) { return id >= tokenizer.size(); });
  return tokenizer.decode(known, Specials::kSkip);
}

std::string continuation_text(const Tokenizer& tokenizer, std::span<const TokenId> prompt,
                              std::span<const TokenId> answer) {
  std::vector<TokenId> both(prompt.begin(), prompt.end());
  both.insert(both.end(), answer.begin(), answer.end());
  const std::string whole = text_of_ids(tokenizer, both);
  const std::string before = text_of_ids(tokenizer, prompt);
  // A character may have begun in the prompt.
  return whole.starts_with(before) ? whole.substr(before.size()) : text_of_ids(tokenizer, answer);
}

}  // namespace rgu::llm
