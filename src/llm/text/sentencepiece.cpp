#include "rgu/llm/text/sentencepiece.hpp"

#include <iterator>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/text/protobuf.hpp"
#include "rgu/llm/text/token_range.hpp"

namespace rgu::llm {
namespace {

// What the file says beside the pieces; the defaults are those of its format.
struct Specification {
  std::int64_t model_type = 1;
  bool byte_fallback = false;
  bool space_as_suffix = false;
  std::string bos = "<s>";
  std::string eos = "</s>";
  std::string pad = "<pad>";
  std::string normalizer = {};
  bool has_character_map = false;
  bool add_dummy_prefix = true;
  bool remove_extra_spaces = true;
  bool escape_spaces = true;
};

PieceKind kind_numbered(std::int64_t type, const std::string& file, std::size_t id) {
  switch (type) {
    case 1:
      return PieceKind::kNormal;
    case 2:
      return PieceKind::kUnknown;
    case 3:
      return PieceKind::kControl;
    case 6:
      return PieceKind::kByte;
    default:
      break;
  }
  const std::string_view name = type == 4 ? " (user-defined)" : type == 5 ? " (unused)" : "";
  throw InvalidInput(fmt::format(
      "{}: piece {} is of type {}{}, must be 1 (normal), 2 (unknown), 3 (control) or 6 (byte) here",
      file, id, type, name));
}

ScoredPiece read_piece(std::string_view message, const std::string& file, std::size_t id) {
  ScoredPiece piece;
  ProtobufReader reader(message, file);
  while (const auto field = reader.next()) {
    if (field->number == 1) piece.text = field->text(file + ": the text of a piece");
    if (field->number == 2) piece.score = field->number32(file + ": the score of a piece");
    if (field->number == 3) {
      piece.kind = kind_numbered(field->integer(file + ": the type of a piece"), file, id);
    }
  }
  return piece;
}

void read_trainer(std::string_view message, const std::string& file, Specification& specification) {
  ProtobufReader reader(message, file);
  const std::string what = file + ": trainer_spec";
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 3:
        specification.model_type = field->integer(what + ".model_type");
        break;
      case 24:
        specification.space_as_suffix = field->integer(what + ".treat_whitespace_as_suffix") != 0;
        break;
      case 35:
        specification.byte_fallback = field->integer(what + ".byte_fallback") != 0;
        break;
      case 46:
        specification.bos = field->text(what + ".bos_piece");
        break;
      case 47:
        specification.eos = field->text(what + ".eos_piece");
        break;
      case 48:
        specification.pad = field->text(what + ".pad_piece");
        break;
      default:
        break;
    }
  }
}

void read_normalizer(std::string_view message, const std::string& file,
                     Specification& specification) {
  ProtobufReader reader(message, file);
  const std::string what = file + ": normalizer_spec";
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        specification.normalizer = field->text(what + ".name");
        break;
      case 2:
        specification.has_character_map = !field->text(what + ".precompiled_charsmap").empty();
        break;
      case 3:
        specification.add_dummy_prefix = field->integer(what + ".add_dummy_prefix") != 0;
        break;
      case 4:
        specification.remove_extra_spaces = field->integer(what + ".remove_extra_whitespaces") != 0;
        break;
      case 5:
        specification.escape_spaces = field->integer(what + ".escape_whitespaces") != 0;
        break;
      default:
        break;
    }
  }
}

void check_denormalizer(std::string_view message, const std::string& file) {
  Specification denormalizer;
  read_normalizer(message, file, denormalizer);
  check(!denormalizer.has_character_map,
        "{}: denormalizer_spec has a character map, must have none here", file);
}

std::string_view model_name(std::int64_t type) {
  constexpr std::string_view kNames[] = {"UNIGRAM", "BPE", "WORD", "CHAR"};
  return type >= 1 && type <= 4 ? kNames[type - 1] : "unknown";
}

void check_supported(const Specification& specification, const std::string& file) {
  check(specification.model_type == 2, "{}: the model is of type {} ({}), must be 2 (BPE) here",
        file, specification.model_type, model_name(specification.model_type));
  const bool identity =
      !specification.has_character_map &&
      (specification.normalizer.empty() || specification.normalizer == "identity");
  check(identity, "{}: the normaliser is {}, must be identity here", file,
        in_quotes(specification.normalizer));
  check(!specification.remove_extra_spaces,
        "{}: remove_extra_whitespaces is true, must be false here", file);
  check(specification.escape_spaces, "{}: escape_whitespaces is false, must be true here", file);
  check(!specification.space_as_suffix,
        "{}: treat_whitespace_as_suffix is true, must be false here", file);
}

std::optional<TokenId> id_of(const PieceModel& model, std::string_view text, PieceKind kind) {
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    if (model.pieces[id].kind == kind && model.pieces[id].text == text) {
      return static_cast<TokenId>(id);
    }
  }
  return {};
}

TokenId unknown_id(const PieceModel& model, const std::string& file) {
  std::optional<TokenId> unknown;
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    if (model.pieces[id].kind != PieceKind::kUnknown) continue;
    check(!unknown, "{}: pieces {} and {} are both of type unknown, must be one", file,
          unknown.value_or(0), id);
    unknown = static_cast<TokenId>(id);
  }
  check(unknown.has_value(), "{}: no piece is of type unknown, must be one", file);
  return *unknown;
}

void check_unique(const PieceModel& model, const std::string& file) {
  std::unordered_map<std::string_view, std::size_t> ids;
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    const auto [found, is_new] = ids.emplace(model.pieces[id].text, id);
    check(is_new, "{}: pieces {} and {} are both {}, must differ", file, found->second, id,
          in_quotes(found->first));
  }
}

}  // namespace

PieceModel sentencepiece_model(std::string_view bytes, const std::string& file) {
  PieceModel model;
  Specification specification;
  ProtobufReader reader(bytes, file);
  while (const auto field = reader.next()) {
    if (field->number == 1) {
      const std::size_t id = model.pieces.size();
      check(id < static_cast<std::size_t>(kLargestVocabulary), "{}: more than {} pieces", file, id);
      model.pieces.push_back(read_piece(field->text(file + ": a piece"), file, id));
    }
    if (field->number == 2) read_trainer(field->text(file + ": trainer_spec"), file, specification);
    if (field->number == 3)
      read_normalizer(field->text(file + ": normalizer_spec"), file, specification);
    if (field->number == 5) check_denormalizer(field->text(file + ": denormalizer_spec"), file);
  }
  check_supported(specification, file);
  check_unique(model, file);
  model.space = "\u2581";
  model.add_prefix_space = specification.add_dummy_prefix;
  model.byte_fallback = specification.byte_fallback;
  model.unknown = unknown_id(model, file);
  model.specials = {.bos = id_of(model, specification.bos, PieceKind::kControl),
                    .eos = id_of(model, specification.eos, PieceKind::kControl),
                    .pad = id_of(model, specification.pad, PieceKind::kControl)};
  return model;
}

void add_control_pieces(PieceModel& model, const std::map<TokenId, std::string>& added,
                        const std::string& file) {
  for (const auto& [id, text] : added) {
    check(id >= 0 && id < kLargestVocabulary, "{}: added token {} has id {}, must be 0 to {}", file,
          in_quotes(text), id, kLargestVocabulary - 1);
    const auto index = static_cast<std::size_t>(id);
    if (index < model.pieces.size() && model.pieces[index].text == text) continue;
    check(index >= model.pieces.size() || model.pieces[index].kind == PieceKind::kAbsent,
          "{}: added token {} has id {}, which {} has already", file, in_quotes(text), id,
          in_quotes(index < model.pieces.size() ? model.pieces[index].text : ""));
    if (index >= model.pieces.size()) {
      model.pieces.resize(index + 1, {.kind = PieceKind::kAbsent});
    }
    model.pieces[index] = {.text = text, .kind = PieceKind::kControl};
  }
}

}  // namespace rgu::llm
