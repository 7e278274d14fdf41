#include "lib/guest/ingest/column_writer.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/guest/ingest/refusal.h"

namespace conclave::guest {
namespace {

constexpr size_t kTopValues = 8;
constexpr size_t kProfileText = 200;

absl::Status WriteAt(int fd, std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && (errno == ENOSPC || errno == EDQUOT)) {
      return Refuse("DiskFull", "no space is left on the disk for the column store: free some, or choose another store folder");
    }
    if (written < 0) return ErrnoStatus(errno, "writing the column store");
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return absl::OkStatus();
}

Json Tagged(std::string_view tag, std::string text) {
  Json object = Json::Object();
  object.Set(std::string(tag), Json::String(std::move(text)));
  return object;
}

Json TopEntry(Json value, uint64_t count) {
  Json entry = Json::Object();
  entry.Set("value", std::move(value));
  entry.Set("count", Json::Integer(static_cast<int64_t>(count)));
  return entry;
}

absl::Status Changed() {
  return Refuse("InputChanged", "the file changed while it was read: run again when nothing writes to it");
}

}  // namespace

absl::Status PlacedOutput::Append(std::string_view bytes) {
  if (bytes.size() >= limit_) {
    if (absl::Status flushed = Flush(); !flushed.ok()) return flushed;
    if (bytes.size() > end_ - next_) return Changed();
    if (absl::Status written = WriteAt(fd_, bytes, next_); !written.ok()) return written;
    next_ += bytes.size();
    return absl::OkStatus();
  }
  if (buffer_.capacity() < limit_) buffer_.reserve(2 * limit_);
  buffer_.append(bytes);
  return buffer_.size() >= limit_ ? Flush() : absl::OkStatus();
}

absl::Status PlacedOutput::Flush() {
  if (buffer_.size() > end_ - next_) return Changed();
  if (absl::Status written = WriteAt(fd_, buffer_, next_); !written.ok()) return written;
  next_ += buffer_.size();
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status PlacedOutput::Finish() {
  if (absl::Status flushed = Flush(); !flushed.ok()) return flushed;
  buffer_ = {};
  return next_ == end_ ? absl::OkStatus() : Changed();
}

std::string RealLexeme(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  std::string lexeme(text, error == std::errc() ? end : text);
  if (lexeme.find_first_of(".e") == std::string::npos) lexeme += ".0";
  return lexeme;
}

std::string ProfileText(std::string_view text) {
  if (text.size() <= kProfileText) return std::string(text);
  size_t size = kProfileText;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return absl::StrCat(std::string(text.substr(0, size)), "...");
}

ColumnWriter::ColumnWriter(int fd, const ColumnRecord& record, const ColumnDecision& decision, const ColumnCensus& census,
                           uint64_t rows, size_t buffer, MemoryBudget* budget)
    : record_(record),
      decision_(decision),
      census_(census),
      validity_(fd, record.validity, std::max<size_t>(buffer / 8, 512)),
      values_(fd, record.values, buffer),
      offsets_(fd, record.offsets, buffer),
      bytes_(fd, record.bytes, buffer),
      counter_(budget) {
  if (record.type == StoredType::kInteger && census.least_integer() <= census.greatest_integer()) {
    counter_.ExpectRange(census.least_integer(), census.greatest_integer(), 1, rows);
  }
}

absl::Status ColumnWriter::MarkPresent(bool present) {
  if (record_.validity.size == 0) return present ? absl::OkStatus() : Changed();
  validity_byte_ = static_cast<uint8_t>(validity_byte_ | (present ? 1u : 0u) << (row_ % 8));
  if (row_ % 8 != 7) return absl::OkStatus();
  return validity_.Put(std::exchange(validity_byte_, uint8_t{0}));
}

absl::Status ColumnWriter::AddNull() {
  ++nulls_;
  if (absl::Status marked = MarkPresent(false); !marked.ok()) return marked;
  ++row_;
  switch (record_.type) {
    case StoredType::kReal: return values_.Put(std::numeric_limits<double>::quiet_NaN());
    case StoredType::kBoolean: return values_.Put(uint8_t{0});
    case StoredType::kText:
      return record_.layout == StoredLayout::kDictionary ? values_.Put(int32_t{-1}) : offsets_.Put(text_end_);
    default: return values_.Put(int64_t{0});
  }
}

absl::Status ColumnWriter::PutFixed(int64_t value) {
  least_ = any_ ? std::min(least_, value) : value;
  greatest_ = any_ ? std::max(greatest_, value) : value;
  any_ = true;
  counter_.Add(static_cast<uint64_t>(value));
  return values_.Put(value);
}

absl::Status ColumnWriter::AddText(const Cell& cell) {
  if (row_ == 0 && record_.layout == StoredLayout::kPlain) {
    if (absl::Status first = offsets_.Put(uint64_t{0}); !first.ok()) return first;
  }
  if (cell.text.empty() && !cell.quoted) return AddNull();
  if (decision_.missing_in_text && SaysMissing(cell.text)) return AddNull();
  if (absl::Status marked = MarkPresent(true); !marked.ok()) return marked;
  ++row_;
  if (record_.layout == StoredLayout::kDictionary) {
    const int32_t code = census_.texts().Find(cell.text);
    return code < 0 ? Changed() : values_.Put(code);
  }
  if (!any_ || cell.text < least_text_) least_text_ = std::string(cell.text);
  if (!any_ || cell.text > greatest_text_) greatest_text_ = std::string(cell.text);
  any_ = true;
  text_end_ += cell.text.size();
  if (absl::Status put = offsets_.Put(text_end_); !put.ok()) return put;
  return bytes_.Append(cell.text);
}

absl::Status ColumnWriter::Add(const Cell& cell) {
  if (record_.type == StoredType::kText) return AddText(cell);
  if (cell.text.empty()) return AddNull();
  if (record_.type == StoredType::kInteger) {
    int64_t integer = 0;
    if (!ReadPlainInteger(cell.text, &integer)) {
      const std::optional<int64_t> value = IntegerValue(Trimmed(cell.text), decision_.style);
      if (!value.has_value()) return AddNull();
      integer = *value;
    }
    if (absl::Status marked = MarkPresent(true); !marked.ok()) return marked;
    ++row_;
    return PutFixed(integer);
  }
  if (record_.type == StoredType::kReal) {
    const std::optional<double> value = RealValue(Trimmed(cell.text), decision_.style);
    if (!value.has_value()) return AddNull();
    if (absl::Status marked = MarkPresent(true); !marked.ok()) return marked;
    ++row_;
    const double real = *value == 0 ? 0.0 : *value;  // one zero
    least_real_ = any_ ? std::min(least_real_, real) : real;
    greatest_real_ = any_ ? std::max(greatest_real_, real) : real;
    any_ = true;
    counter_.Add(std::bit_cast<uint64_t>(real));
    return values_.Put(real);
  }
  if (record_.type == StoredType::kBoolean) {
    const CellShape shape = ReadCell(cell.text);
    if (shape.kind != CellKind::kTrueFalse && shape.kind != CellKind::kYesNo) return AddNull();
    if (absl::Status marked = MarkPresent(true); !marked.ok()) return marked;
    ++row_;
    least_ = any_ ? std::min<int64_t>(least_, shape.positive) : shape.positive;
    greatest_ = any_ ? std::max<int64_t>(greatest_, shape.positive) : shape.positive;
    any_ = true;
    counter_.Add(shape.positive ? 1 : 0);
    return values_.Put(static_cast<uint8_t>(shape.positive));
  }
  const std::optional<int64_t> moment = DateValue(Trimmed(cell.text), decision_.order);
  if (!moment.has_value()) return AddNull();
  if (absl::Status marked = MarkPresent(true); !marked.ok()) return marked;
  ++row_;
  return PutFixed(*moment);
}

absl::Status ColumnWriter::Finish() {
  if (nulls_ != record_.null_count) return Changed();
  if (row_ % 8 != 0 && record_.validity.size > 0) {
    if (absl::Status last = validity_.Put(validity_byte_); !last.ok()) return last;
  }
  if (row_ == 0 && record_.layout == StoredLayout::kPlain) {
    if (absl::Status first = offsets_.Put(uint64_t{0}); !first.ok()) return first;
  }
  if (record_.layout == StoredLayout::kDictionary) {
    const TextDictionary& texts = census_.texts();
    uint64_t end = 0;
    if (absl::Status first = offsets_.Put(end); !first.ok()) return first;
    for (size_t entry = 0; entry < texts.entries(); ++entry) {
      end += texts.Entry(entry).size();
      if (absl::Status put = offsets_.Put(end); !put.ok()) return put;
      if (absl::Status put = bytes_.Append(texts.Entry(entry)); !put.ok()) return put;
    }
  }
  for (PlacedOutput* output : {&validity_, &values_, &offsets_, &bytes_}) {
    if (absl::Status finished = output->Finish(); !finished.ok()) return finished;
  }
  return absl::OkStatus();
}

uint64_t ColumnWriter::distinct() const {
  return record_.type == StoredType::kText ? census_.texts().distinct() : counter_.distinct();
}

bool ColumnWriter::distinct_is_exact() const {
  return record_.type == StoredType::kText ? census_.texts().exact() : counter_.exact();
}

Json ColumnWriter::ValueOf(uint64_t bits) const {
  const int64_t value = static_cast<int64_t>(bits);
  switch (record_.type) {
    case StoredType::kInteger: return Json::Integer(value);
    case StoredType::kReal: return Json::Number(RealLexeme(std::bit_cast<double>(bits)));
    case StoredType::kBoolean: return Json::Boolean(value != 0);
    case StoredType::kDate: return Tagged("$date", DateText(value));
    case StoredType::kTimestamp: return Tagged("$date", TimestampText(value, false));
    case StoredType::kTimestampTz: return Tagged("$date", TimestampText(value, true));
    case StoredType::kText: break;
  }
  return {};
}

Json ColumnWriter::Least() const {
  if (record_.layout == StoredLayout::kDictionary) {
    return census_.texts().entries() == 0 ? Json() : Json::String(ProfileText(census_.texts().Entry(0)));
  }
  if (!any_) return {};
  if (record_.type == StoredType::kText) return Json::String(ProfileText(least_text_));
  return ValueOf(record_.type == StoredType::kReal ? std::bit_cast<uint64_t>(least_real_) : static_cast<uint64_t>(least_));
}

Json ColumnWriter::Greatest() const {
  if (record_.layout == StoredLayout::kDictionary) {
    const size_t entries = census_.texts().entries();
    return entries == 0 ? Json() : Json::String(ProfileText(census_.texts().Entry(entries - 1)));
  }
  if (!any_) return {};
  if (record_.type == StoredType::kText) return Json::String(ProfileText(greatest_text_));
  return ValueOf(record_.type == StoredType::kReal ? std::bit_cast<uint64_t>(greatest_real_)
                                                   : static_cast<uint64_t>(greatest_));
}

Json ColumnWriter::Top() const {
  std::vector<std::pair<uint64_t, uint64_t>> frequent;
  const TextDictionary* texts = record_.type == StoredType::kText ? &census_.texts() : nullptr;
  if (texts == nullptr) {
    frequent = counter_.Frequent(kTopValues);
  } else if (texts->keeping()) {
    for (size_t entry = 0; entry < texts->entries(); ++entry) frequent.emplace_back(entry, texts->Count(entry));
    const size_t kept = std::min(kTopValues, frequent.size());
    std::partial_sort(
        frequent.begin(), frequent.begin() + static_cast<ptrdiff_t>(kept), frequent.end(),
        [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
    frequent.resize(kept);
  }
  // Where no value repeats, none is frequent.
  if (!frequent.empty() && frequent[0].second == 1 && distinct() > kTopValues) frequent.clear();
  Json top = Json::Array();
  for (const auto& [value, count] : frequent) {
    top.Append(TopEntry(texts == nullptr ? ValueOf(value) : Json::String(ProfileText(texts->Entry(value))), count));
  }
  return top;
}

}  // namespace conclave::guest
