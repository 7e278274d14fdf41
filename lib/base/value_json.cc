#include "lib/base/value_json.h"

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"

namespace conclave {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Removes leading digits from `text` and returns how many there were.
size_t TakeDigits(std::string_view* text) {
  size_t count = 0;
  while (count < text->size() && IsDigit((*text)[count])) ++count;
  text->remove_prefix(count);
  return count;
}

// Removes exactly `digits` digits from the front; -1 when they are not there.
int TakeNumber(std::string_view* text, size_t digits) {
  if (text->size() < digits) return -1;
  int value = 0;
  for (size_t i = 0; i < digits; ++i) {
    if (!IsDigit((*text)[i])) return -1;
    value = value * 10 + ((*text)[i] - '0');
  }
  text->remove_prefix(digits);
  return value;
}

bool TakeChar(std::string_view* text, char c) {
  if (text->empty() || text->front() != c) return false;
  text->remove_prefix(1);
  return true;
}

bool TakeIntegerPart(std::string_view* text) {
  TakeChar(text, '-');
  if (TakeChar(text, '0')) return text->empty() || !IsDigit(text->front());
  return TakeDigits(text) > 0;
}

int DaysOfMonth(int year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

// Weeks of an ISO year: 53 when it starts on a Thursday, or on a Wednesday in a leap year.
int WeeksOfYear(int year) {
  auto last_weekday = [](int y) { return (y + y / 4 - y / 100 + y / 400) % 7; };
  return last_weekday(year) == 4 || last_weekday(year - 1) == 3 ? 53 : 52;
}

// "T10:00:00", an optional fraction, and an optional zone.
bool IsTimeOfDay(std::string_view text) {
  if (!TakeChar(&text, 'T')) return false;
  const int hour = TakeNumber(&text, 2);
  if (hour < 0 || hour > 23 || !TakeChar(&text, ':')) return false;
  const int minute = TakeNumber(&text, 2);
  if (minute < 0 || minute > 59 || !TakeChar(&text, ':')) return false;
  const int second = TakeNumber(&text, 2);
  if (second < 0 || second > 59) return false;
  if (TakeChar(&text, '.')) {
    const size_t digits = TakeDigits(&text);
    if (digits == 0 || digits > 9) return false;
  }
  if (text.empty() || text == "Z") return true;
  if (!TakeChar(&text, '+') && !TakeChar(&text, '-')) return false;
  const int zone_hour = TakeNumber(&text, 2);
  if (zone_hour < 0 || zone_hour > 23 || !TakeChar(&text, ':')) return false;
  const int zone_minute = TakeNumber(&text, 2);
  return zone_minute >= 0 && zone_minute <= 59 && text.empty();
}

class Decoder {
 public:
  explicit Decoder(const ValueBounds& bounds) : bounds_(bounds) {}

  absl::Status Decode(const Json& json, int depth, v1::Value* value) {
    if (depth > bounds_.depth) return Beyond("nested deeper than", bounds_.depth, "levels");
    if (++values_ > bounds_.values) return Beyond("more than", bounds_.values, "values");
    switch (json.type()) {
      case Json::Type::kNull: value->set_null(true); return absl::OkStatus();
      case Json::Type::kBoolean: value->set_boolean(json.boolean()); return absl::OkStatus();
      case Json::Type::kNumber: return Number(json.lexeme(), value);
      case Json::Type::kString: return Text(json.string(), value->mutable_text());
      case Json::Type::kArray: return List(json, depth, value->mutable_list());
      case Json::Type::kObject: return Object(json, depth, value);
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status Wrong(const std::string& message) { return absl::InvalidArgumentError(message); }
  template <typename Bound>
  static absl::Status Beyond(const char* what, Bound bound, const char* unit) {
    return absl::ResourceExhaustedError(absl::StrCat(what, " ", bound, " ", unit));
  }

  // Puts `place` before the message of a failed status, so that the outermost place comes first.
  static absl::Status At(const std::string& place, const absl::Status& status) {
    const std::string message(status.message());
    return absl::Status(status.code(), absl::StrCat(place, message.empty() || message[0] == '[' ? "" : ": ", message));
  }

  absl::Status Spend(size_t bytes) {
    bytes_ += bytes;
    return bytes_ > bounds_.bytes ? Beyond("more than", bounds_.bytes, "bytes of text") : absl::OkStatus();
  }

  absl::Status Text(const std::string& text, std::string* out) {
    if (absl::Status spent = Spend(text.size()); !spent.ok()) return spent;
    if (!IsValidUtf8(text)) return Wrong(absl::StrCat("text is not valid UTF-8: \"", Excerpt(text, 40), "\""));
    *out = text;
    return absl::OkStatus();
  }

  absl::Status Number(const std::string& lexeme, v1::Value* value) {
    if (absl::Status spent = Spend(lexeme.size()); !spent.ok()) return spent;
    if (IsIntegerLexeme(lexeme)) {
      value->set_integer(lexeme);
    } else if (IsNumberLexeme(lexeme)) {
      value->set_number(lexeme);
    } else {
      return Wrong(absl::StrCat("\"", Excerpt(lexeme, 40), "\" is not a JSON number"));
    }
    return absl::OkStatus();
  }

  absl::Status List(const Json& json, int depth, v1::ValueList* list) {
    list->mutable_items()->Reserve(static_cast<int>(json.items().size()));
    for (size_t i = 0; i < json.items().size(); ++i) {
      absl::Status decoded = Decode(json.items()[i], depth + 1, list->add_items());
      if (!decoded.ok()) return At(absl::StrCat("[", i, "]"), decoded);
    }
    return absl::OkStatus();
  }

  absl::Status Object(const Json& json, int depth, v1::Value* value) {
    const std::string* tag = nullptr;
    for (const auto& [name, member] : json.members()) {
      if (!name.empty() && name[0] == '$') tag = &name;
    }
    if (tag == nullptr) return PlainMap(json, depth, value->mutable_map());
    if (json.members().size() != 1) {
      return Wrong(absl::StrCat("\"", Excerpt(*tag, 40), "\" must be the only member of its object"));
    }
    const Json& content = json.members()[0].second;
    if (*tag == "$table") return Table(content, depth, value->mutable_table());
    if (*tag == "$map") return PairMap(content, depth, value->mutable_map());
    if (*tag != "$int" && *tag != "$num" && *tag != "$date") {
      return Wrong(absl::StrCat("unknown tag \"", Excerpt(*tag, 40), "\"; known are $int, $num, $date, $table and $map"));
    }
    if (!content.is_string()) return Wrong(absl::StrCat("the content of ", *tag, " must be a string"));
    return TaggedLexeme(*tag, content.string(), value);
  }

  absl::Status TaggedLexeme(const std::string& tag, const std::string& lexeme, v1::Value* value) {
    if (absl::Status spent = Spend(lexeme.size()); !spent.ok()) return spent;
    const std::string shown = absl::StrCat("\"", Excerpt(lexeme, 40), "\"");
    if (tag == "$int") {
      if (!IsIntegerLexeme(lexeme)) return Wrong(absl::StrCat("$int ", shown, " is not a decimal integer"));
      value->set_integer(lexeme);
    } else if (tag == "$num") {
      if (!IsNumberLexeme(lexeme)) return Wrong(absl::StrCat("$num ", shown, " is not a decimal number, nan, inf or -inf"));
      value->set_number(lexeme);
    } else {
      if (!IsDateLexeme(lexeme)) return Wrong(absl::StrCat("$date ", shown, " is not an ISO 8601 date that exists"));
      value->set_date(lexeme);
    }
    return absl::OkStatus();
  }

  absl::Status PlainMap(const Json& json, int depth, v1::ValueMap* map) {
    for (const auto& [name, member] : json.members()) {
      if (++values_ > bounds_.values) return Beyond("more than", bounds_.values, "values");
      v1::ValueMap::Entry* entry = map->add_entries();
      absl::Status decoded = Text(name, entry->mutable_key()->mutable_text());
      if (decoded.ok()) decoded = Decode(member, depth + 1, entry->mutable_value());
      if (!decoded.ok()) return At(absl::StrCat("[\"", Excerpt(name, 40), "\"]"), decoded);
    }
    return absl::OkStatus();
  }

  absl::Status PairMap(const Json& json, int depth, v1::ValueMap* map) {
    if (!json.is_array()) return Wrong("the content of $map must be an array of [key, value] pairs");
    for (size_t i = 0; i < json.items().size(); ++i) {
      const Json& pair = json.items()[i];
      const std::string place = absl::StrCat("[", i, "]");
      if (!pair.is_array() || pair.items().size() != 2) return At(place, Wrong("an entry of $map must be [key, value]"));
      v1::ValueMap::Entry* entry = map->add_entries();
      absl::Status decoded = Decode(pair.items()[0], depth + 1, entry->mutable_key());
      if (decoded.ok()) decoded = Decode(pair.items()[1], depth + 1, entry->mutable_value());
      if (!decoded.ok()) return At(place, decoded);
    }
    return absl::OkStatus();
  }

  absl::Status Table(const Json& json, int depth, v1::ValueTable* table) {
    const Json* columns = json.Find("columns");
    const Json* rows = json.Find("rows");
    if (columns == nullptr || !columns->is_array() || rows == nullptr || !rows->is_array() || json.members().size() != 2) {
      return Wrong("the content of $table must be an object of exactly two arrays, columns and rows");
    }
    if (columns->items().size() > bounds_.columns) return Beyond("a table of more than", bounds_.columns, "columns");
    if (rows->items().size() > bounds_.rows) return Beyond("a table of more than", bounds_.rows, "rows");
    for (size_t i = 0; i < columns->items().size(); ++i) {
      const std::string place = absl::StrCat("[columns][", i, "]");
      if (!columns->items()[i].is_string()) return At(place, Wrong("a column name must be a string"));
      absl::Status decoded = Text(columns->items()[i].string(), table->add_columns());
      if (!decoded.ok()) return At(place, decoded);
    }
    table->mutable_rows()->Reserve(static_cast<int>(rows->items().size()));
    for (size_t i = 0; i < rows->items().size(); ++i) {
      absl::Status decoded = Row(rows->items()[i], columns->items().size(), depth, table->add_rows());
      if (!decoded.ok()) return At(absl::StrCat("[rows][", i, "]"), decoded);
    }
    return absl::OkStatus();
  }

  absl::Status Row(const Json& json, size_t columns, int depth, v1::ValueTable::Row* row) {
    if (!json.is_array()) return Wrong("a row must be an array");
    if (json.items().size() != columns) {
      return Wrong(absl::StrCat("a row of ", json.items().size(), " cells in a table of ", columns, " columns"));
    }
    row->mutable_cells()->Reserve(static_cast<int>(columns));
    for (size_t i = 0; i < columns; ++i) {
      absl::Status decoded = Decode(json.items()[i], depth + 1, row->add_cells());
      if (!decoded.ok()) return At(absl::StrCat("[", i, "]"), decoded);
    }
    return absl::OkStatus();
  }

  const ValueBounds& bounds_;
  size_t values_ = 0;
  size_t bytes_ = 0;
};

// True when JSON readers, ours included, take `lexeme` for a finite number that is no integer.
bool IsPlainJsonNumber(const std::string& lexeme) {
  if (lexeme.find_first_of(".eE") == std::string::npos) return false;
  double parsed = 0;
  const char* end = lexeme.data() + lexeme.size();
  const auto result = std::from_chars(lexeme.data(), end, parsed);
  return result.ec == std::errc() && result.ptr == end && std::isfinite(parsed) && IsNumberLexeme(lexeme);
}

Json Tagged(const char* tag, Json content) { return Json::Object({{tag, std::move(content)}}); }

Json EncodeMap(const v1::ValueMap& map) {
  Json pairs = Json::Array();
  for (const v1::ValueMap::Entry& entry : map.entries()) {
    pairs.Append(Json::Array({EncodeValue(entry.key()), EncodeValue(entry.value())}));
  }
  return Tagged("$map", std::move(pairs));
}

Json EncodeTable(const v1::ValueTable& table) {
  Json columns = Json::Array();
  for (const std::string& name : table.columns()) columns.Append(Json::String(name));
  Json rows = Json::Array();
  for (const v1::ValueTable::Row& row : table.rows()) {
    Json cells = Json::Array();
    for (const v1::Value& cell : row.cells()) cells.Append(EncodeValue(cell));
    rows.Append(std::move(cells));
  }
  return Tagged("$table", Json::Object({{"columns", std::move(columns)}, {"rows", std::move(rows)}}));
}

}  // namespace

bool IsIntegerLexeme(std::string_view text) { return TakeIntegerPart(&text) && text.empty(); }

bool IsNumberLexeme(std::string_view text) {
  if (text == "nan" || text == "inf" || text == "-inf") return true;
  if (!TakeIntegerPart(&text)) return false;
  if (TakeChar(&text, '.') && TakeDigits(&text) == 0) return false;
  if (TakeChar(&text, 'e') || TakeChar(&text, 'E')) {
    if (!TakeChar(&text, '-')) TakeChar(&text, '+');
    if (TakeDigits(&text) == 0) return false;
  }
  return text.empty();
}

bool IsDateLexeme(std::string_view text) {
  const int year = TakeNumber(&text, 4);
  if (year < 1) return false;
  if (text.empty()) return true;
  if (!TakeChar(&text, '-')) return false;
  if (TakeChar(&text, 'Q')) {
    const int quarter = TakeNumber(&text, 1);
    return quarter >= 1 && quarter <= 4 && text.empty();
  }
  if (TakeChar(&text, 'W')) {
    const int week = TakeNumber(&text, 2);
    return week >= 1 && week <= WeeksOfYear(year) && text.empty();
  }
  const int month = TakeNumber(&text, 2);
  if (month < 1 || month > 12) return false;
  if (text.empty()) return true;
  if (!TakeChar(&text, '-')) return false;
  const int day = TakeNumber(&text, 2);
  if (day < 1 || day > DaysOfMonth(year, month)) return false;
  return text.empty() || IsTimeOfDay(text);
}

absl::Status DecodeValue(const Json& json, v1::Value* value, const ValueBounds& bounds) {
  return Decoder(bounds).Decode(json, 1, value);
}

Json EncodeValue(const v1::Value& value) {
  static constexpr size_t kExactInMostReaders = 18;  // fits 64 bits with its sign
  switch (value.kind_case()) {
    case v1::Value::kBoolean: return Json::Boolean(value.boolean());
    case v1::Value::kInteger:
      if (value.integer().size() > kExactInMostReaders || !IsIntegerLexeme(value.integer()) || value.integer() == "-0") {
        return Tagged("$int", Json::String(value.integer()));
      }
      return Json::Number(value.integer());
    case v1::Value::kNumber:
      if (!IsPlainJsonNumber(value.number())) return Tagged("$num", Json::String(value.number()));
      return Json::Number(value.number());
    case v1::Value::kText: return Json::String(value.text());
    case v1::Value::kDate: return Tagged("$date", Json::String(value.date()));
    case v1::Value::kList: {
      Json items = Json::Array();
      for (const v1::Value& item : value.list().items()) items.Append(EncodeValue(item));
      return items;
    }
    case v1::Value::kMap: return EncodeMap(value.map());
    case v1::Value::kTable: return EncodeTable(value.table());
    case v1::Value::kNull:
    case v1::Value::KIND_NOT_SET: break;
  }
  return Json();
}

}  // namespace conclave
