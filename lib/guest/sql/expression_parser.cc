#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/guest/sql/statement_parser.h"

namespace conclave::guest {
namespace {

// SQLite's precedence, loosest first.
enum Precedence { kOr = 1, kAnd, kNot, kEquality, kOrdering, kBits, kSum, kProduct, kConcat };

struct OperatorRank {
  std::string_view text;
  int rank;
};

constexpr OperatorRank kInfix[] = {{"=", kEquality},  {"<>", kEquality}, {"!=", kEquality}, {"==", kEquality}, {"<", kOrdering},
                                   {"<=", kOrdering}, {">", kOrdering},  {">=", kOrdering}, {"&", kBits},      {"|", kBits},
                                   {"<<", kBits},     {">>", kBits},     {"+", kSum},       {"-", kSum},       {"*", kProduct},
                                   {"/", kProduct},   {"%", kProduct},   {"||", kConcat}};

}  // namespace

ExpressionPtr Parser::Make(ExpressionKind kind, size_t offset) {
  auto node = std::make_unique<Expression>();
  node->kind = kind;
  node->offset = offset;
  node->word = offset;
  return node;
}

// Sets the end and the depth of a node whose last token was just taken.
ExpressionPtr Parser::Finish(ExpressionPtr node) {
  if (failed()) return nullptr;
  node->end = LastEnd();
  node->own_end = node->end;
  if (node->word_end == 0) node->word_end = node->end;
  auto contain = [&](const ExpressionPtr& child) {
    if (child) node->depth = std::max(node->depth, child->depth + 1);
  };
  for (const ExpressionPtr& operand : node->operands) contain(operand);
  for (const OrderTerm& term : node->order) contain(term.expression);
  contain(node->filter);
  if (node->window) {
    for (const ExpressionPtr& one : node->window->partition) contain(one);
    for (const OrderTerm& term : node->window->order) contain(term.expression);
  }
  if (node->select) node->depth = std::max(node->depth, node->select->depth + 1);
  deepest_ = std::max(deepest_, node->depth);
  if (node->depth > kExpressionDepth) {
    TooDeep();
    return nullptr;
  }
  return node;
}

int Parser::InfixPrecedence() const {
  const Token& token = Now();
  if (token.kind == TokenKind::kOperator) {
    for (const OperatorRank& one : kInfix) {
      if (one.text == token.text) return one.rank;
    }
    return 0;
  }
  if (token.kind != TokenKind::kWord) return 0;
  if (token.upper == "OR") return kOr;
  if (token.upper == "AND") return kAnd;
  static constexpr std::string_view kWords[] = {"IS", "IN", "LIKE", "ILIKE", "GLOB", "BETWEEN", "ISNULL", "NOTNULL"};
  if (std::find(std::begin(kWords), std::end(kWords), token.upper) != std::end(kWords)) return kEquality;
  if (token.upper == "NOT") {
    static constexpr std::string_view kAfterNot[] = {"IN", "LIKE", "ILIKE", "GLOB", "BETWEEN", "NULL"};
    if (std::find(std::begin(kAfterNot), std::end(kAfterNot), Now(1).upper) != std::end(kAfterNot)) return kEquality;
  }
  return 0;
}

ExpressionPtr Parser::ParseExpression(int precedence) {
  Level level(this);
  if (failed()) return nullptr;
  ExpressionPtr left = ParsePrefix();
  while (!failed()) {
    const int rank = InfixPrecedence();
    if (rank == 0 || rank <= precedence) return left;
    left = ParseInfix(std::move(left), rank);
  }
  return nullptr;
}

ExpressionPtr Parser::ParseInfix(ExpressionPtr left, int precedence) {
  if (Now().kind == TokenKind::kWord && precedence == kEquality) return ParseComparisonWord(std::move(left));
  if (IsOperator("==")) {
    Fail(Now().offset, "== is not in the common dialect: write =");
    return nullptr;
  }
  ExpressionPtr node = Make(ExpressionKind::kBinary, left->offset);
  node->word = Now().offset;
  node->word_end = Now().end;
  node->name = Now().kind == TokenKind::kWord ? Now().upper : Now().text;
  if (node->name == "!=") node->name = "<>";
  Advance();
  ExpressionPtr right = ParseExpression(precedence);
  if (failed()) return nullptr;
  node->operands.push_back(std::move(left));
  node->operands.push_back(std::move(right));
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseComparisonWord(ExpressionPtr left) {
  const size_t word = Now().offset;
  if (IsWord("IS")) return ParseIs(std::move(left));
  if (IsWord("ISNULL") || IsWord("NOTNULL") || (IsWord("NOT") && IsWord("NULL", 1))) {
    ExpressionPtr node = Make(ExpressionKind::kIsNull, left->offset);
    node->negated = !IsWord("ISNULL");
    if (IsWord("NOT")) Advance();
    Advance();
    node->operands.push_back(std::move(left));
    return Finish(std::move(node));
  }
  const bool negated = TakeWord("NOT");
  if (IsWord("IN")) return ParseIn(std::move(left), negated, word);
  ExpressionPtr node = Make(IsWord("BETWEEN") ? ExpressionKind::kBetween : ExpressionKind::kLike, left->offset);
  node->negated = negated;
  node->word = Now().offset;
  node->word_end = Now().end;
  node->name = Now().upper;
  Advance();
  node->operands.push_back(std::move(left));
  ExpressionPtr second = ParseExpression(kEquality);
  if (failed()) return nullptr;
  node->operands.push_back(std::move(second));
  if (node->kind == ExpressionKind::kBetween ? (NeedWord("AND"), true) : TakeWord("ESCAPE")) {
    ExpressionPtr third = ParseExpression(kEquality);
    if (failed()) return nullptr;
    node->operands.push_back(std::move(third));
  }
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseIs(ExpressionPtr left) {
  const size_t word = Now().offset;
  const size_t offset = left->offset;
  Advance();
  const bool negated = TakeWord("NOT");
  if (IsWord("DISTINCT")) {
    Advance();
    NeedWord("FROM");
    ExpressionPtr node = Make(ExpressionKind::kBinary, offset);
    node->word = word;
    node->name = negated ? "IS NOT DISTINCT FROM" : "IS DISTINCT FROM";
    node->word_end = LastEnd();
    ExpressionPtr right = ParseExpression(kEquality);
    if (failed()) return nullptr;
    node->operands.push_back(std::move(left));
    node->operands.push_back(std::move(right));
    return Finish(std::move(node));
  }
  if (!IsWord("NULL") && !IsWord("TRUE") && !IsWord("FALSE")) {
    Fail(word, "IS compares with NULL, TRUE or FALSE only: write = or IS NOT DISTINCT FROM");
    return nullptr;
  }
  ExpressionPtr node = Make(IsWord("NULL") ? ExpressionKind::kIsNull : ExpressionKind::kIsBoolean, offset);
  node->word = word;
  node->name = Now().upper;
  node->negated = negated;
  Advance();
  node->operands.push_back(std::move(left));
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseIn(ExpressionPtr left, bool negated, size_t word) {
  ExpressionPtr node = Make(ExpressionKind::kIn, left->offset);
  node->word = word;
  node->negated = negated;
  NeedWord("IN");
  node->word_end = LastEnd();
  node->operands.push_back(std::move(left));
  NeedOperator("(");
  if (IsWord("SELECT") || IsWord("WITH") || IsWord("VALUES")) {
    node->select = ParseSelect();
  } else if (IsOperator(")")) {
    Fail(Now().offset, "IN () holds no values");
  } else {
    for (ExpressionPtr& one : ParseList()) node->operands.push_back(std::move(one));
  }
  NeedOperator(")");
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParsePrefix() {
  const size_t offset = Now().offset;
  if (IsWord("NOT") && !IsWord("EXISTS", 1)) {
    ExpressionPtr node = Make(ExpressionKind::kUnary, offset);
    node->name = "NOT";
    Advance();
    ExpressionPtr operand = ParseExpression(kNot);
    if (failed()) return nullptr;
    node->operands.push_back(std::move(operand));
    return Finish(std::move(node));
  }
  if (IsOperator("-") || IsOperator("+") || IsOperator("~")) {
    ExpressionPtr node = Make(ExpressionKind::kUnary, offset);
    node->name = Now().text;
    Advance();
    ExpressionPtr operand = ParseExpression(kConcat);
    if (failed()) return nullptr;
    node->operands.push_back(std::move(operand));
    return Finish(std::move(node));
  }
  ExpressionPtr node = ParsePrimary();
  while (!failed() && IsOperator("::")) {
    ExpressionPtr cast = Make(ExpressionKind::kCast, node->offset);
    cast->word = Now().offset;
    cast->name = "::";
    Advance();
    cast->cast_type = ParseTypeName();
    cast->word_end = LastEnd();
    cast->operands.push_back(std::move(node));
    node = Finish(std::move(cast));
  }
  return node;
}

ExpressionPtr Parser::ParsePrimary() {
  const Token& token = Now();
  switch (token.kind) {
    case TokenKind::kInteger:
    case TokenKind::kReal: return ParseNumber();
    case TokenKind::kString: {
      ExpressionPtr node = Make(ExpressionKind::kString, token.offset);
      node->name = token.text;
      Advance();
      return Finish(std::move(node));
    }
    case TokenKind::kQuotedName: return IsOperator("(", 1) ? ParseCall() : ParseColumn();
    case TokenKind::kWord: return ParseWordPrimary();
    case TokenKind::kOperator:
      if (token.text == "(") return ParseParenthesis();
      break;
    case TokenKind::kEnd: break;
  }
  FailHere();
  return nullptr;
}

ExpressionPtr Parser::ParseNumber() {
  const Token& token = Now();
  ExpressionPtr node = Make(token.kind == TokenKind::kInteger ? ExpressionKind::kInteger : ExpressionKind::kReal, token.offset);
  node->name = token.text;
  if (token.kind == TokenKind::kInteger) {
    const size_t zeros = std::min(token.text.find_first_not_of('0'), token.text.size() - 1);
    const std::string digits = token.text.substr(zeros);
    if (digits.size() > 19 || (digits.size() == 19 && digits > "9223372036854775807")) {
      Fail(token.offset, absl::StrCat("the integer ", Excerpt(token.text, 40), " does not fit in 64 bits"));
      return nullptr;
    }
  }
  Advance();
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseParenthesis() {
  const size_t offset = Now().offset;
  Advance();
  ExpressionPtr node;
  if (IsWord("SELECT") || IsWord("WITH") || IsWord("VALUES")) {
    node = Make(ExpressionKind::kSubquery, offset);
    node->select = ParseSelect();
    if (!failed()) node = Finish(std::move(node));
  } else {
    node = ParseExpression();
    if (!failed() && IsOperator(",")) {
      Fail(offset, "row values such as (a, b) are not in the common dialect: compare the columns one by one");
    }
  }
  NeedOperator(")");
  if (failed()) return nullptr;
  node->parenthesised = true;
  node->offset = offset;
  node->end = LastEnd();
  return node;
}

ExpressionPtr Parser::ParseWordPrimary() {
  const size_t offset = Now().offset;
  if (IsWord("NULL") || IsWord("TRUE") || IsWord("FALSE")) {
    ExpressionPtr node = Make(IsWord("NULL") ? ExpressionKind::kNull : ExpressionKind::kBoolean, offset);
    node->name = Now().upper;
    Advance();
    return Finish(std::move(node));
  }
  if (IsWord("CASE")) return ParseCase();
  if ((IsWord("CAST") || IsWord("TRY_CAST")) && IsOperator("(", 1)) return ParseCast();
  if (IsWord("EXTRACT") && IsOperator("(", 1)) return ParseExtract();
  if ((IsWord("DATE") || IsWord("TIMESTAMP")) && Now(1).kind == TokenKind::kString) {
    ExpressionPtr node = Make(ExpressionKind::kTemporal, offset);
    node->cast_type = Now().upper;
    Advance();
    node->name = Now().text;
    Advance();
    return Finish(std::move(node));
  }
  if (IsWord("INTERVAL") && (Now(1).kind == TokenKind::kString || Now(1).kind == TokenKind::kInteger || IsOperator("(", 1))) {
    return ParseInterval();
  }
  if (IsWord("EXISTS") || (IsWord("NOT") && IsWord("EXISTS", 1))) {
    ExpressionPtr node = Make(ExpressionKind::kExists, offset);
    node->negated = TakeWord("NOT");
    Advance();
    NeedOperator("(");
    if (!failed()) node->select = ParseSelect();
    NeedOperator(")");
    return Finish(std::move(node));
  }
  if (IsOperator("(", 1) &&
      (!IsReservedWord(Now().upper) || IsWord("LEFT") || IsWord("RIGHT") || IsWord("GLOB") || IsWord("LIKE"))) {
    return ParseCall();
  }
  return ParseColumn();
}

ExpressionPtr Parser::ParseCase() {
  ExpressionPtr node = Make(ExpressionKind::kCase, Now().offset);
  Advance();
  if (!IsWord("WHEN")) {
    node->has_base = true;
    ExpressionPtr base = ParseExpression();
    if (failed()) return nullptr;
    node->operands.push_back(std::move(base));
  }
  if (!IsWord("WHEN")) FailHere();
  while (!failed() && TakeWord("WHEN")) {
    ExpressionPtr when = ParseExpression();
    NeedWord("THEN");
    ExpressionPtr then = ParseExpression();
    if (failed()) return nullptr;
    node->operands.push_back(std::move(when));
    node->operands.push_back(std::move(then));
  }
  if (TakeWord("ELSE")) {
    node->has_else = true;
    ExpressionPtr otherwise = ParseExpression();
    if (failed()) return nullptr;
    node->operands.push_back(std::move(otherwise));
  }
  NeedWord("END");
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseColumn() {
  ExpressionPtr node = Make(ExpressionKind::kColumn, Now().offset);
  node->quoted = Now().kind == TokenKind::kQuotedName;
  node->name = NeedName("column");
  if (!failed() && TakeOperator(".")) {
    node->qualifier = std::move(node->name);
    node->word = Now().offset;
    node->name = NeedName("column");
    if (!failed() && IsOperator(".")) Fail(node->offset, "names have at most two parts here: table.column");
  }
  return Finish(std::move(node));
}

}  // namespace conclave::guest
