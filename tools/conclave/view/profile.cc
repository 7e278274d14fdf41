#include "tools/conclave/view/profile.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/text.h"
#include "tools/conclave/units.h"
#include "tools/conclave/view/answer.h"
#include "tools/conclave/view/layout.h"
#include "tools/conclave/view/text_table.h"

namespace conclave::cli {
namespace {

std::string ShowType(const v1::ColumnProfile& column) {
  std::string type = "unknown";
  switch (column.type()) {
    case v1::COLUMN_INTEGER: type = "integer"; break;
    case v1::COLUMN_REAL: type = "real"; break;
    case v1::COLUMN_BOOLEAN: type = "boolean"; break;
    case v1::COLUMN_TEXT: type = column.identifier() ? "text (id)" : "text"; break;
    case v1::COLUMN_DATE: type = "date"; break;
    case v1::COLUMN_TIMESTAMP: type = "timestamp"; break;
    case v1::COLUMN_TIMESTAMPTZ: type = "timestamp UTC"; break;
    default: break;
  }
  return column.unit().empty() ? type : absl::StrCat(type, " in ", Excerpt(column.unit(), 20));
}

std::string ShowCell(const v1::Value& value) { return Excerpt(ShowValue(value, std::nullopt, true), 20); }

std::string ShowRange(const v1::ColumnProfile& column) {
  if (!column.has_min() || !column.has_max()) return "";
  const std::string low = ShowCell(column.min()), high = ShowCell(column.max());
  return low == high ? low : absl::StrCat(low, " .. ", high);
}

// At most three, and no more than fit beside the other columns.
std::string ShowTop(const v1::ColumnProfile& column) {
  std::string text;
  for (int i = 0; i < std::min(column.top_size(), 3); ++i) {
    const v1::TopValue& top = column.top(i);
    if (top.count() < 2) break;  // a value that occurs once is an example, not a frequent value
    const std::string part = absl::StrCat(ShowCell(top.value()), " ×", ShowCount(top.count()));
    if (i > 0 && text.size() + part.size() > 48) break;
    absl::StrAppend(&text, i > 0 ? ", " : "", part);
  }
  return text;
}

// Marks by name where they have one that people use, so that they do not run into the text around them.
std::string ShowMark(const std::string& mark) {
  if (mark == ",") return "commas";
  if (mark == ";") return "semicolons";
  if (mark == "\t") return "tabs";
  if (mark == "|") return "bars";
  if (mark == "\"") return "double quotes";
  return mark == "'" ? "single quotes" : absl::StrCat("\"", Excerpt(mark, 20), "\"");
}

std::string ShowQuirk(const v1::Quirk& quirk) {
  std::string text = quirk.detail().empty() ? Excerpt(quirk.code(), 60) : Excerpt(quirk.detail(), 400);
  if (quirk.count() > 0) absl::StrAppend(&text, " (", ShowCount(quirk.count()), "×");
  if (quirk.count() > 0 && quirk.rows_size() > 0) {
    absl::StrAppend(&text, ", row ", absl::StrJoin(quirk.rows(), ", "), quirk.count() > quirk.rows_size() ? ", ..." : "");
  }
  return quirk.count() > 0 ? text + ")" : text;
}

template <typename Quirks>
std::string RenderQuirks(std::string_view subject, const Quirks& quirks, const Paint& paint, int width) {
  std::string text;
  for (const v1::Quirk& quirk : quirks) {
    const std::string name = Excerpt(quirk.column().empty() ? std::string(subject) : quirk.column(), 60);
    text += Paragraph((quirk.notable() ? paint.Doubtful("! " + name) : "  " + name) + ": ", ShowQuirk(quirk), width);
  }
  return text;
}

std::string Heading(const v1::Profile& profile, const View& view) {
  const Paint paint(view.colour);
  std::string form = profile.format();
  if (!profile.encoding().empty()) absl::StrAppend(&form, ", ", profile.encoding());
  if (!profile.delimiter().empty()) absl::StrAppend(&form, ", ", ShowMark(profile.delimiter()));
  if (!profile.quote().empty()) absl::StrAppend(&form, ", ", ShowMark(profile.quote()));
  if (!profile.newline().empty()) absl::StrAppend(&form, ", ", profile.newline());
  absl::StrAppend(&form, profile.has_header() ? ", with header" : ", no header");
  return Paragraph(paint.Bold(Excerpt(profile.name(), 80)) + "  ",
                   absl::StrCat(Excerpt(profile.source(), 200), ", ", Counted(profile.rows(), "row", "rows"), ", ",
                                Counted(profile.columns_size(), "column", "columns"), ", ", ShowBytes(profile.bytes())),
                   view.width) +
         Paragraph("", Excerpt(form, 200), view.width);
}

}  // namespace

std::string RenderProfile(const v1::Profile& profile, const View& view) {
  const Paint paint(view.colour);
  TextTable table({{"column"}, {"type"}, {"nulls", Align::kRight}, {"distinct", Align::kRight}, {"range"}, {"frequent"}}, 80);
  std::string quirks;
  for (const v1::ColumnProfile& column : profile.columns()) {
    table.Add({Excerpt(column.name(), 40), ShowType(column), ShowCount(column.nulls()),
               absl::StrCat(column.distinct_is_exact() ? "" : "≥ ", ShowCount(column.distinct())), ShowRange(column),
               ShowTop(column)});
    quirks += RenderQuirks(column.name(), column.quirks(), paint, view.width);
  }
  quirks += RenderQuirks("file", profile.quirks(), paint, view.width);
  return Heading(profile, view) + "\n" + table.Render(paint, view.width) + (quirks.empty() ? "" : "\n" + quirks);
}

}  // namespace conclave::cli
