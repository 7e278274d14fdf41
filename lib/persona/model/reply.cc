#include "lib/persona/model/reply.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/json.h"
#include "lib/base/text.h"

namespace conclave {
namespace {

constexpr size_t kSentenceBytes = 500;
constexpr size_t kAssumptions = 20;
constexpr size_t kCodeBytes = 200'000;

struct Block {
  std::string tag;  // lower case
  std::string body;
  bool closed = false;
};

struct Fence {
  char mark = 0;
  size_t length = 0;
  std::string_view rest;  // after the marks
};

std::optional<Fence> FenceOf(std::string_view line) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (indent > 3 || indent == line.size()) return std::nullopt;
  const char mark = line[indent];
  if (mark != '`' && mark != '~') return std::nullopt;
  const size_t end = std::min(line.find_first_not_of(mark, indent), line.size());
  if (end - indent < 3) return std::nullopt;
  const std::string_view rest = line.substr(end);
  if (mark == '`' && rest.find('`') != std::string_view::npos) return std::nullopt;
  return Fence{mark, end - indent, rest};
}

std::string Trimmed(std::string_view text) { return std::string(absl::StripAsciiWhitespace(std::string(text))); }

std::vector<Block> BlocksOf(std::string_view text) {
  std::vector<Block> blocks;
  std::optional<Fence> open;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::optional<Fence> fence = FenceOf(line);
    if (!open) {
      if (!fence) continue;
      open = fence;
      const std::string tag = absl::AsciiStrToLower(Trimmed(fence->rest));
      blocks.push_back({tag.substr(0, tag.find_first_of(" \t{")), "", false});
    } else if (fence && fence->mark == open->mark && fence->length >= open->length && Trimmed(fence->rest).empty()) {
      blocks.back().closed = true;
      open.reset();
    } else {
      absl::StrAppend(&blocks.back().body, std::string(line), "\n");
    }
  }
  return blocks;
}

// What comes after the reasoning; nothing when the reasoning never ends.
std::string_view WithoutReasoning(std::string_view text) {
  if (const size_t end = text.rfind("</think>"); end != std::string_view::npos) return text.substr(end + 8);
  return text.substr(0, text.find("<think>"));
}

bool IsTagOf(v1::Language language, std::string_view tag) {
  constexpr std::string_view kSql[] = {"sql", "sqlite", "sqlite3", "duckdb"};
  constexpr std::string_view kPython[] = {"python", "python3", "py", "pandas"};
  const auto among = [&](const auto& tags) { return std::find(std::begin(tags), std::end(tags), tag) != std::end(tags); };
  return language == v1::SQL ? among(kSql) : among(kPython);
}

std::string Sentence(const Json* json) { return json == nullptr ? "" : Excerpt(Trimmed(json->StringOr("")), kSentenceBytes); }

void ReadHeader(const Block& block, ReadReply* read) {
  const absl::StatusOr<Json> header = ParseJson(block.body);
  if (!header.ok()) return;  // the program is what counts; without a header there is just less to show
  read->reading = Sentence(header->Find("reading"));
  read->decline = Sentence(header->Find("decline"));
  const Json* assumptions = header->Find("assumptions");
  if (assumptions == nullptr) return;
  for (const Json& item : assumptions->items()) {
    if (read->assumptions.size() == kAssumptions) break;
    if (std::string text = Sentence(&item); !text.empty()) read->assumptions.push_back(std::move(text));
  }
}

}  // namespace

absl::StatusOr<ReadReply> ReadModelReplyText(const ModelReply& reply, v1::Language language) {
  const std::string text = RepairUtf8(reply.text);
  const std::vector<Block> blocks = BlocksOf(WithoutReasoning(text));
  ReadReply read;
  const Block* program = nullptr;
  for (const Block& block : blocks) {
    if (block.tag == "json") {
      ReadHeader(block, &read);
    } else if (IsTagOf(language, block.tag)) {
      program = &block;
    } else if (block.tag.empty() && !Trimmed(block.body).empty() && (program == nullptr || program->tag.empty())) {
      program = &block;
    }
  }
  if (program == nullptr) {
    if (!read.decline.empty()) return read;
    return absl::AbortedError(absl::StrCat("the reply holds no program in ", language == v1::SQL ? "SQL" : "Python", ": \"",
                                           Excerpt(Trimmed(text), 80), "\""));
  }
  if (!program->closed && reply.truncated) return absl::AbortedError("the reply was cut off inside the program");
  if (program->body.size() > kCodeBytes) return absl::AbortedError("the program is longer than 200 kB");
  read.decline.clear();
  read.code = Trimmed(program->body);
  if (read.code.empty()) return absl::AbortedError("the program in the reply is empty");
  return read;
}

}  // namespace conclave
