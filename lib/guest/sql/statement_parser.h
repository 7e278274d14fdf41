// Parser: tokens of one statement become a tree. The grammar of statements and of what stands in FROM is in
// statement_parser.cc, that of expressions in expression_parser.cc.
//
// Thread safety: one parser belongs to one thread.
// Ownership: the tree is the caller's; the tokens are the parser's.
#ifndef CONCLAVE_LIB_GUEST_SQL_STATEMENT_PARSER_H_
#define CONCLAVE_LIB_GUEST_SQL_STATEMENT_PARSER_H_

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/guest/sql/statement_tree.h"

namespace conclave::guest {

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  // After a fault every function returns null or nothing, so that callers need not look after each step.
  ParsedStatement Parse();

 private:
  // Counts levels while a function runs, so that hostile nesting ends as a fault and not on the stack.
  class Level {
   public:
    explicit Level(Parser* parser) : parser_(parser) {
      if (++parser_->depth_ > kExpressionDepth) parser_->TooDeep();
    }
    ~Level() { --parser_->depth_; }

   private:
    Parser* parser_;
  };

  const Token& Now(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool failed() const { return fault_.has_value(); }
  bool IsWord(std::string_view upper, size_t ahead = 0) const { return Now(ahead).upper == upper; }
  bool IsOperator(std::string_view text, size_t ahead = 0) const {
    return Now(ahead).kind == TokenKind::kOperator && Now(ahead).text == text;
  }
  bool TakeWord(std::string_view upper);
  bool TakeOperator(std::string_view text);
  void NeedWord(std::string_view upper);
  void NeedOperator(std::string_view text);
  void Advance() {
    if (at_ + 1 < tokens_.size()) ++at_;
  }
  size_t LastEnd() const { return at_ == 0 ? 0 : tokens_[at_ - 1].end; }
  void Fail(size_t offset, std::string message);
  void FailHere();
  void TooDeep();
  std::string NeedName(std::string_view what);
  bool IsName(size_t ahead = 0) const;
  std::string TakeAlias();

  // statement_parser.cc
  std::unique_ptr<Select> ParseSelect();
  void ParseWith(Select* select);
  void ParseCore(SelectCore* core);
  void ParseValues(SelectCore* core);
  void ParseResultColumns(SelectCore* core);
  void ParseFrom(SelectCore* core);
  FromItem ParseFromItem(SelectCore* core);
  bool ParseJoin(FromItem* next);
  Window ParseWindow();
  void SkipFrame();
  std::vector<OrderTerm> ParseOrderTerms();
  std::vector<ExpressionPtr> ParseList();

  // expression_parser.cc
  ExpressionPtr ParseExpression(int precedence = 0);
  ExpressionPtr ParsePrefix();
  ExpressionPtr ParsePrimary();
  ExpressionPtr ParseWordPrimary();
  ExpressionPtr ParseNumber();
  ExpressionPtr ParseParenthesis();
  ExpressionPtr ParseCase();
  ExpressionPtr ParseCast();
  ExpressionPtr ParseExtract();
  ExpressionPtr ParseInterval();
  ExpressionPtr ParseCall();
  void ParseCallTail(Expression* call);
  ExpressionPtr ParseColumn();
  ExpressionPtr ParseInfix(ExpressionPtr left, int precedence);
  ExpressionPtr ParseComparisonWord(ExpressionPtr left);
  ExpressionPtr ParseIs(ExpressionPtr left);
  ExpressionPtr ParseIn(ExpressionPtr left, bool negated, size_t word);
  std::string ParseTypeName();
  int InfixPrecedence() const;
  ExpressionPtr Make(ExpressionKind kind, size_t offset);
  ExpressionPtr Finish(ExpressionPtr node);

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;    // levels of functions that run
  int deepest_ = 0;  // deepest expression of the SELECT being parsed
  std::optional<StatementFault> fault_;
};

// Words that cannot stand unquoted as a name of a column, a table or an alias.
bool IsReservedWord(std::string_view upper);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_STATEMENT_PARSER_H_
