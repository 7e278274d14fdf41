#include "lib/guest/sql/statement_parser.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/text.h"

namespace conclave::guest {

bool IsReservedWord(std::string_view upper) {
  static constexpr std::string_view kReserved[] = {
      "ALL",      "AND",     "AS",    "BETWEEN",    "BY",     "CASE",    "CAST",        "COLLATE",   "CROSS",
      "DISTINCT", "ELSE",    "END",   "ESCAPE",     "EXCEPT", "EXISTS",  "FALSE",       "FILTER",    "FROM",
      "FULL",     "GLOB",    "GROUP", "HAVING",     "ILIKE",  "IN",      "INNER",       "INTERSECT", "IS",
      "ISNULL",   "JOIN",    "LEFT",  "LIKE",       "LIMIT",  "NATURAL", "NOT",         "NOTNULL",   "NULL",
      "OFFSET",   "ON",      "OR",    "ORDER",      "OUTER",  "OVER",    "QUALIFY",     "REGEXP",    "RIGHT",
      "SELECT",   "SIMILAR", "THEN",  "TRUE",       "UNION",  "USING",   "VALUES",      "WHEN",      "WHERE",
      "WINDOW",   "WITH",    "ASOF",  "POSITIONAL", "PIVOT",  "UNPIVOT", "TABLESAMPLE", "INDEXED",   "TRY_CAST"};
  return std::find(std::begin(kReserved), std::end(kReserved), upper) != std::end(kReserved);
}

bool Parser::TakeWord(std::string_view upper) {
  if (!IsWord(upper)) return false;
  Advance();
  return true;
}

bool Parser::TakeOperator(std::string_view text) {
  if (!IsOperator(text)) return false;
  Advance();
  return true;
}

void Parser::NeedWord(std::string_view upper) {
  if (!TakeWord(upper)) FailHere();
}

void Parser::NeedOperator(std::string_view text) {
  if (!TakeOperator(text)) FailHere();
}

void Parser::Fail(size_t offset, std::string message) {
  if (!fault_) fault_ = StatementFault{std::move(message), offset};
}

void Parser::FailHere() {
  const Token& token = Now();
  if (token.kind == TokenKind::kEnd) return Fail(token.offset, "incomplete statement: it ends too early");
  const std::string shown = Excerpt(token.text, 40);
  std::string way_out;
  static constexpr std::pair<std::string_view, std::string_view> kWaysOut[] = {
      {"QUALIFY", ": filter on the window function in an outer SELECT instead of QUALIFY"},
      {"SIMILAR", ": use regexp_matches(text, pattern)"},
      {"REGEXP", ": use regexp_matches(text, pattern)"},
      {"MATCH", ": use LIKE or regexp_matches(text, pattern)"},
      {"COLLATE", ": compare lower(x) with lower(y) instead of COLLATE"},
      {"WITHIN", ": use quantile_cont(x, 0.5) or quantile_disc(x, 0.5)"},
      {"PIVOT", ": use CASE inside aggregates"},
      {"TABLESAMPLE", ": samples are not offered"},
      {"//", ": for a whole quotient write trunc(1.0 * a / b)"},
      {"**", ": use power(a, b)"},
      {"^", ": use power(a, b)"},
      {"->", ": JSON operators are not offered"},
      {"->>", ": JSON operators are not offered"},
      {"EXCLUDE", ": name the columns"},
      {"==", ": write ="}};
  for (const auto& [word, way] : kWaysOut) {
    if (token.upper == word || (token.kind == TokenKind::kOperator && token.text == word)) way_out = std::string(way);
  }
  if (way_out.empty() && token.kind == TokenKind::kWord && IsReservedWord(token.upper)) {
    way_out = absl::StrCat(" (a column of this name is written \"", shown, "\")");
  }
  Fail(token.offset, absl::StrCat("near \"", shown, "\": not in the common dialect", way_out));
}

void Parser::TooDeep() {
  Fail(Now().offset, absl::StrCat("nested deeper than ", kExpressionDepth, " levels: split it into common tables (WITH)"));
}

bool Parser::IsName(size_t ahead) const {
  const Token& token = Now(ahead);
  return token.kind == TokenKind::kQuotedName || (token.kind == TokenKind::kWord && !IsReservedWord(token.upper));
}

std::string Parser::NeedName(std::string_view what) {
  if (IsName()) {
    std::string name = Now().text;
    Advance();
    return name;
  }
  if (Now().kind == TokenKind::kString) {
    Fail(Now().offset, absl::StrCat("'", Excerpt(Now().text, 40), "' is text; the name of a ", std::string(what),
                                    " is written \"", Excerpt(Now().text, 40), "\""));
  }
  FailHere();
  return "";
}

// An alias, with or without AS; "" when there is none.
std::string Parser::TakeAlias() {
  if (TakeWord("AS")) return NeedName("column or table");
  if (!IsName()) return "";
  std::string name = Now().text;
  Advance();
  return name;
}

ParsedStatement Parser::Parse() {
  ParsedStatement parsed;
  const Token& first = Now();
  if (first.kind == TokenKind::kEnd) {
    Fail(0, "empty statement: write one SELECT");
  } else if (!IsWord("SELECT") && !IsWord("WITH") && !IsWord("VALUES") && !IsOperator("(")) {
    Fail(first.offset,
         absl::StrCat("\"", Excerpt(first.text, 40), "\" is not allowed: only one SELECT or WITH ... SELECT is run"));
  }
  std::unique_ptr<Select> select = failed() ? nullptr : ParseSelect();
  if (!failed() && Now().kind != TokenKind::kEnd) FailHere();
  if (fault_) {
    parsed.fault = fault_;
  } else {
    parsed.select = std::move(select);
  }
  return parsed;
}

std::unique_ptr<Select> Parser::ParseSelect() {
  Level level(this);
  if (failed()) return nullptr;
  auto select = std::make_unique<Select>();
  select->offset = Now().offset;
  const int outer = std::exchange(deepest_, 0);
  if (TakeWord("WITH")) ParseWith(select.get());
  do {
    ParseCore(&select->cores.emplace_back());
    if (select->cores.size() > 100) Fail(Now().offset, "more than 100 SELECTs in one UNION");
    if (failed()) return nullptr;
    if (IsWord("UNION") || IsWord("EXCEPT") || IsWord("INTERSECT")) {
      const bool is_union = IsWord("UNION");
      Advance();
      if (IsWord("ALL") && !is_union) FailHere();
      TakeWord("ALL");
      continue;
    }
    break;
  } while (!failed());
  if (TakeWord("ORDER")) {
    NeedWord("BY");
    select->order_by = ParseOrderTerms();
  }
  if (IsWord("LIMIT")) {
    select->limit_offset = Now().offset;
    Advance();
    select->limit = ParseExpression();
    if (TakeWord("OFFSET")) {
      select->skip = ParseExpression();
    } else if (IsOperator(",")) {
      Fail(Now().offset, "LIMIT takes one number: write LIMIT n OFFSET m");
    }
  }
  select->depth = deepest_ + 1;
  deepest_ = std::max(outer, select->depth);
  if (deepest_ > kExpressionDepth) TooDeep();
  return select;
}

void Parser::ParseWith(Select* select) {
  select->recursive = TakeWord("RECURSIVE");
  do {
    CommonTable table;
    table.offset = Now().offset;
    table.name = NeedName("common table");
    if (TakeOperator("(")) {
      do {
        table.columns.push_back(NeedName("column"));
      } while (!failed() && TakeOperator(","));
      NeedOperator(")");
    }
    NeedWord("AS");
    if (TakeWord("NOT")) {
      NeedWord("MATERIALIZED");
    } else {
      TakeWord("MATERIALIZED");
    }
    NeedOperator("(");
    if (failed()) return;
    table.select = ParseSelect();
    NeedOperator(")");
    select->with.push_back(std::move(table));
  } while (!failed() && TakeOperator(","));
}

void Parser::ParseCore(SelectCore* core) {
  core->offset = Now().offset;
  if (TakeWord("VALUES")) return ParseValues(core);
  if (IsOperator("(")) {
    return Fail(Now().offset, "a SELECT in parentheses cannot stand here: use SELECT * FROM (SELECT ...)");
  }
  NeedWord("SELECT");
  if (TakeWord("DISTINCT")) {
    core->distinct = true;
    if (IsWord("ON")) return Fail(Now().offset, "DISTINCT ON is not in the common dialect: use row_number() OVER (...) = 1");
  } else {
    TakeWord("ALL");
  }
  ParseResultColumns(core);
  if (TakeWord("FROM")) ParseFrom(core);
  if (TakeWord("WHERE")) core->where = ParseExpression();
  if (TakeWord("GROUP")) {
    NeedWord("BY");
    if (IsWord("ALL") && !failed()) return Fail(Now().offset, "GROUP BY ALL is not in the common dialect: name the columns");
    core->group_by = ParseList();
  }
  if (TakeWord("HAVING")) core->having = ParseExpression();
  if (TakeWord("WINDOW")) {
    do {
      std::string name = absl::AsciiStrToLower(NeedName("window"));
      NeedWord("AS");
      NeedOperator("(");
      if (failed()) return;
      core->windows.emplace_back(std::move(name), ParseWindow());
    } while (!failed() && TakeOperator(","));
  }
}

void Parser::ParseValues(SelectCore* core) {
  do {
    NeedOperator("(");
    if (failed()) return;
    core->values.push_back(ParseList());
    NeedOperator(")");
  } while (!failed() && TakeOperator(","));
}

void Parser::ParseResultColumns(SelectCore* core) {
  do {
    ResultColumn column;
    column.offset = Now().offset;
    if (TakeOperator("*")) {
    } else if (IsName() && IsOperator(".", 1) && IsOperator("*", 2)) {
      column.star_table = Now().text;
      at_ += 3;
    } else {
      column.expression = ParseExpression();
      if (failed()) return;
      column.alias = TakeAlias();
    }
    core->columns.push_back(std::move(column));
    if (core->columns.size() > 2000) Fail(Now().offset, "more than 2,000 columns");
  } while (!failed() && TakeOperator(","));
}

void Parser::ParseFrom(SelectCore* core) {
  core->from.push_back(ParseFromItem(core));
  while (!failed()) {
    FromItem joined;
    if (TakeOperator(",")) {
      core->from.push_back(ParseFromItem(core));
      continue;
    }
    if (!ParseJoin(&joined)) return;
    FromItem item = ParseFromItem(core);
    item.natural = joined.natural;
    if (TakeWord("ON")) {
      item.on = ParseExpression();
    } else if (IsWord("USING")) {
      Advance();
      item.shared_offset = Now().offset;
      NeedOperator("(");
      do {
        item.shared.push_back(NeedName("column"));
      } while (!failed() && TakeOperator(","));
      NeedOperator(")");
    }
    core->from.push_back(std::move(item));
    if (core->from.size() > 32) Fail(Now().offset, "more than 32 tables in one FROM");
  }
}

// Takes the words of a join; false when there is none.
bool Parser::ParseJoin(FromItem* next) {
  const size_t begin = at_;
  next->natural = TakeWord("NATURAL");
  if (TakeWord("CROSS") || TakeWord("INNER")) {
  } else if (TakeWord("LEFT") || TakeWord("RIGHT") || TakeWord("FULL")) {
    TakeWord("OUTER");
  }
  if (TakeWord("JOIN")) return true;
  if (at_ != begin) FailHere();
  return false;
}

FromItem Parser::ParseFromItem(SelectCore* core) {
  Level level(this);
  FromItem item;
  if (failed()) return item;
  item.offset = Now().offset;
  if (TakeOperator("(")) {
    if (!IsWord("SELECT") && !IsWord("WITH") && !IsWord("VALUES")) {
      Fail(Now().offset, "joins in parentheses are not in the common dialect: write the joins one after the other");
      return item;
    }
    item.subquery = ParseSelect();
    NeedOperator(")");
  } else {
    item.table = NeedName("table");
    if (IsOperator(".")) {
      Fail(item.offset, absl::StrCat("tables have no schema here: write the table's name alone, without \"",
                                     Excerpt(item.table, 40), ".\""));
    } else if (IsOperator("(")) {
      Fail(item.offset, absl::StrCat("the table function ", Excerpt(item.table, 40),
                                     "() is not offered: only the given tables can be read"));
    }
  }
  if (!failed()) item.alias = TakeAlias();
  if (!failed() && !item.alias.empty() && IsOperator("(")) FailHere();
  (void)core;
  return item;
}

// After the opening parenthesis, up to and including the closing one.
Window Parser::ParseWindow() {
  Window window;
  if (IsName() && !IsWord("PARTITION") && !IsWord("ROWS") && !IsWord("RANGE") && !IsWord("GROUPS")) {
    window.base = absl::AsciiStrToLower(NeedName("window"));
  }
  if (TakeWord("PARTITION")) {
    NeedWord("BY");
    window.partition = ParseList();
  }
  if (TakeWord("ORDER")) {
    NeedWord("BY");
    window.order = ParseOrderTerms();
  }
  if (IsWord("ROWS") || IsWord("RANGE") || IsWord("GROUPS")) SkipFrame();
  NeedOperator(")");
  return window;
}

// A frame holds words and constant bounds only; SQLite checks its grammar.
void Parser::SkipFrame() {
  while (!failed() && !IsOperator(")")) {
    const Token& token = Now();
    if (token.kind != TokenKind::kWord && token.kind != TokenKind::kInteger && token.kind != TokenKind::kReal)
      return FailHere();
    Advance();
  }
}

std::vector<OrderTerm> Parser::ParseOrderTerms() {
  std::vector<OrderTerm> terms;
  do {
    if (IsWord("ALL")) FailHere();
    OrderTerm term;
    term.expression = ParseExpression();
    if (TakeWord("DESC")) {
      term.descending = true;
    } else {
      TakeWord("ASC");
    }
    term.end = LastEnd();
    if (TakeWord("NULLS")) {
      term.nulls_stated = true;
      if (!TakeWord("FIRST")) NeedWord("LAST");
    }
    if (failed()) return {};
    terms.push_back(std::move(term));
  } while (TakeOperator(","));
  return terms;
}

std::vector<ExpressionPtr> Parser::ParseList() {
  std::vector<ExpressionPtr> list;
  do {
    ExpressionPtr one = ParseExpression();
    if (failed()) return {};
    list.push_back(std::move(one));
    if (list.size() > 10'000) Fail(Now().offset, "a list of more than 10,000 values");
  } while (!failed() && TakeOperator(","));
  return list;
}

ParsedStatement ParseStatement(std::string_view statement) {
  TokenizedStatement tokenized = Tokenize(statement);
  if (tokenized.fault) {
    ParsedStatement refused;
    refused.fault = tokenized.fault;
    return refused;
  }
  return Parser(std::move(tokenized.tokens)).Parse();
}

}  // namespace conclave::guest
