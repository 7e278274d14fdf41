// What is written like a call: functions with all that may follow them, CAST, EXTRACT, INTERVAL.
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/guest/sql/statement_parser.h"

namespace conclave::guest {

ExpressionPtr Parser::ParseCast() {
  ExpressionPtr node = Make(ExpressionKind::kCast, Now().offset);
  node->name = Now().upper;
  node->word_end = Now().end;
  Advance();
  NeedOperator("(");
  ExpressionPtr operand = ParseExpression();
  if (failed()) return nullptr;
  node->operands.push_back(std::move(operand));
  node->arguments_end = Now().offset;  // where AS stands
  NeedWord("AS");
  node->cast_type = ParseTypeName();
  NeedOperator(")");
  return Finish(std::move(node));
}

// "DOUBLE PRECISION", "DECIMAL(10,2)", "VARCHAR": upper case, one blank between words.
std::string Parser::ParseTypeName() {
  std::string name;
  while (!failed() && Now().kind == TokenKind::kWord &&
         (name.empty() || IsWord("PRECISION") || IsWord("WITH") || IsWord("WITHOUT") || IsWord("TIME") || IsWord("ZONE"))) {
    absl::StrAppend(&name, name.empty() ? "" : " ", Now().upper);
    Advance();
  }
  if (name.empty()) FailHere();
  if (!failed() && TakeOperator("(")) {
    name += "(";
    while (!failed() && !IsOperator(")")) {
      if (Now().kind != TokenKind::kInteger && !IsOperator(",")) FailHere();
      name += Now().text;
      Advance();
    }
    NeedOperator(")");
    name += ")";
  }
  return name;
}

// EXTRACT(year FROM x) is kept as the call date_part('year', x); `star` says that it was written this way.
ExpressionPtr Parser::ParseExtract() {
  ExpressionPtr node = Make(ExpressionKind::kCall, Now().offset);
  node->name = "date_part";
  node->star = true;
  node->word_end = Now().end;
  Advance();
  NeedOperator("(");
  ExpressionPtr part = Make(ExpressionKind::kString, Now().offset);
  part->name = absl::AsciiStrToLower(Now().text);
  if (Now().kind != TokenKind::kWord && Now().kind != TokenKind::kString) FailHere();
  Advance();
  NeedWord("FROM");
  if (failed()) return nullptr;
  part = Finish(std::move(part));
  node->operands.push_back(std::move(part));
  ExpressionPtr value = ParseExpression();
  if (failed()) return nullptr;
  node->operands.push_back(std::move(value));
  node->arguments_end = LastEnd();
  node->close = Now().offset;
  NeedOperator(")");
  return Finish(std::move(node));
}

// INTERVAL 3 DAY, INTERVAL '3' DAY, INTERVAL '3 days', INTERVAL (3) DAY.
ExpressionPtr Parser::ParseInterval() {
  ExpressionPtr node = Make(ExpressionKind::kInterval, Now().offset);
  Advance();
  const bool parenthesis = TakeOperator("(");
  std::string count = Now().text;
  const size_t offset = Now().offset;
  if (Now().kind != TokenKind::kString && Now().kind != TokenKind::kInteger) {
    Fail(offset, "an interval has a constant count: INTERVAL 3 DAY");
    return nullptr;
  }
  Advance();
  if (parenthesis) NeedOperator(")");
  std::string unit;
  if (const size_t blank = count.find(' '); blank != std::string::npos) {
    unit = count.substr(blank + 1);
    count.resize(blank);
  } else if (Now().kind == TokenKind::kWord) {
    unit = Now().text;
    Advance();
  }
  node->name = absl::AsciiStrToLower(unit);
  ExpressionPtr number = Make(ExpressionKind::kInteger, offset);
  number->name = count;
  number = Finish(std::move(number));
  if (failed()) return nullptr;
  node->operands.push_back(std::move(number));
  return Finish(std::move(node));
}

ExpressionPtr Parser::ParseCall() {
  ExpressionPtr call = Make(ExpressionKind::kCall, Now().offset);
  call->name = absl::AsciiStrToLower(Now().text);
  call->word_end = Now().end;
  Advance();
  NeedOperator("(");
  if (TakeWord("DISTINCT")) {
    call->distinct = true;
  } else {
    TakeWord("ALL");
  }
  if (TakeOperator("*")) {
    call->star = true;
  } else if (!IsOperator(")")) {
    call->operands = ParseList();
  }
  if (failed()) return nullptr;
  call->arguments_end = LastEnd();
  if (TakeWord("ORDER")) {
    NeedWord("BY");
    call->order = ParseOrderTerms();
  }
  if (IsWord("IGNORE") || IsWord("RESPECT")) FailHere();
  call->close = Now().offset;
  NeedOperator(")");
  ParseCallTail(call.get());
  return Finish(std::move(call));
}

void Parser::ParseCallTail(Expression* call) {
  if (failed()) return;
  if (IsWord("WITHIN")) return FailHere();
  if (IsWord("FILTER") && IsOperator("(", 1)) {
    Advance();
    Advance();
    NeedWord("WHERE");
    call->filter = ParseExpression();
    NeedOperator(")");
  }
  if (failed() || !TakeWord("OVER")) return;
  call->window = std::make_unique<Window>();
  if (TakeOperator("(")) {
    *call->window = ParseWindow();
  } else {
    call->window->base = absl::AsciiStrToLower(NeedName("window"));
  }
}

}  // namespace conclave::guest
