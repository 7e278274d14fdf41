#include "lib/guest/sql/statement_tokens.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/edit_distance.h"
#include "lib/base/text.h"

namespace conclave::guest {
namespace {

bool IsWordByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80) != 0;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class Cutter {
 public:
  explicit Cutter(std::string_view statement) : text_(statement) {}

  TokenizedStatement Cut() {
    while (!fault_) {
      SkipBlanks();
      if (fault_ || at_ >= text_.size()) break;
      CutOne();
    }
    DropSemicolon();
    result_.tokens.push_back(Token{TokenKind::kEnd, text_.size(), text_.size(), "", ""});
    result_.fault = fault_;
    return std::move(result_);
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void Fail(size_t offset, std::string message) {
    if (!fault_) fault_ = StatementFault{std::move(message), offset};
  }

  void SkipBlanks() {
    while (at_ < text_.size()) {
      if (absl::ascii_isspace(static_cast<unsigned char>(text_[at_])) && text_[at_] != '\v') {
        ++at_;
      } else if (text_.substr(at_, 2) == "--") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return Fail(at_, "comment without an end: close it with */");
        at_ = end + 2;
      } else {
        return;
      }
    }
  }

  void Push(TokenKind kind, size_t begin, std::string text) {
    Token token{kind, begin, at_, std::move(text), ""};
    if (kind == TokenKind::kWord) token.upper = absl::AsciiStrToUpper(token.text);
    result_.tokens.push_back(std::move(token));
  }

  void CutOne() {
    const char c = Peek();
    if (c == '\'') return CutQuoted(TokenKind::kString, '\'', "text");
    if (c == '"') return CutQuoted(TokenKind::kQuotedName, '"', "name");
    if (c == '`' || c == '[')
      return Fail(at_, absl::StrCat("names are quoted with \"...\" here, not with ", std::string(1, c)));
    if ((c == 'x' || c == 'X') && Peek(1) == '\'') return Fail(at_, "binary literals are not in the common dialect");
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) return CutNumber();
    if (c == '?' || c == '@' || c == '#' || c == '$' || (c == ':' && Peek(1) != ':')) {
      return Fail(at_, "parameters cannot be used: write the value itself");
    }
    if (IsWordByte(c)) {
      const size_t begin = at_;
      while (at_ < text_.size() && IsWordByte(text_[at_])) ++at_;
      return Push(TokenKind::kWord, begin, std::string(text_.substr(begin, at_ - begin)));
    }
    CutOperator();
  }

  void CutQuoted(TokenKind kind, char quote, std::string_view what) {
    const size_t begin = at_++;
    std::string value;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] != quote) {
        value.push_back(text_[at_]);
      } else if (Peek(1) == quote) {
        value.push_back(quote);
        ++at_;
      } else {
        ++at_;
        if (kind == TokenKind::kQuotedName && value.empty()) return Fail(begin, "empty name \"\": text is written '...'");
        return Push(kind, begin, std::move(value));
      }
    }
    Fail(begin, absl::StrCat(std::string(what), " without a closing quote: ", Excerpt(text_.substr(begin), 40)));
  }

  void CutNumber() {
    const size_t begin = at_;
    bool real = false;
    while (IsDigit(Peek())) ++at_;
    if (Peek() == '.') {
      real = true;
      ++at_;
      while (IsDigit(Peek())) ++at_;
    }
    if ((Peek() == 'e' || Peek() == 'E') && (IsDigit(Peek(1)) || ((Peek(1) == '+' || Peek(1) == '-') && IsDigit(Peek(2))))) {
      real = true;
      at_ += 2;
      while (IsDigit(Peek())) ++at_;
    }
    if (at_ < text_.size() && IsWordByte(text_[at_])) {
      while (at_ < text_.size() && IsWordByte(text_[at_])) ++at_;
      return Fail(begin, absl::StrCat("unrecognized token: \"", Excerpt(text_.substr(begin, at_ - begin), 40), "\""));
    }
    Push(real ? TokenKind::kReal : TokenKind::kInteger, begin, std::string(text_.substr(begin, at_ - begin)));
  }

  void CutOperator() {
    static constexpr std::string_view kOperators[] = {
        "->>", "->", "||", "<<", ">>", "<=", ">=", "<>", "!=", "==", "::", "//", "**", "(", ")",
        ",",   ".",  ";",  "+",  "-",  "*",  "/",  "%",  "=",  "<",  ">",  "&",  "|",  "~", "^"};
    for (std::string_view one : kOperators) {
      if (text_.substr(at_, one.size()) == one) {
        const size_t begin = at_;
        at_ += one.size();
        return Push(TokenKind::kOperator, begin, std::string(one));
      }
    }
    Fail(at_, absl::StrCat("unrecognized token: \"", Excerpt(text_.substr(at_, 1), 8), "\""));
  }

  // One semicolon may end the statement; anything after it would be a second one.
  void DropSemicolon() {
    for (size_t i = 0; i < result_.tokens.size(); ++i) {
      if (result_.tokens[i].kind != TokenKind::kOperator || result_.tokens[i].text != ";") continue;
      if (i + 1 < result_.tokens.size()) {
        Fail(result_.tokens[i + 1].offset, "only one statement is run: put everything into one SELECT or WITH ... SELECT");
      }
      result_.tokens.resize(i);
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  TokenizedStatement result_;
  std::optional<StatementFault> fault_;
};

}  // namespace

TokenizedStatement Tokenize(std::string_view statement) {
  TokenizedStatement refused;
  refused.tokens.push_back(Token());
  if (statement.size() > kStatementBytes) {
    refused.fault = StatementFault{
        absl::StrCat("the statement has ", statement.size(), " bytes; at most ", kStatementBytes, " are accepted"), 0};
  } else if (const size_t nul = statement.find('\0'); nul != std::string_view::npos) {
    refused.fault = StatementFault{"the statement holds a NUL byte", nul};
  } else if (!IsValidUtf8(statement)) {
    refused.fault = StatementFault{"the statement is not valid UTF-8", 0};
  }
  return refused.fault ? refused : Cutter(statement).Cut();
}

SourcePlace Locate(std::string_view statement, size_t offset) {
  offset = std::min(offset, statement.size());
  const size_t before = offset == 0 ? std::string_view::npos : statement.rfind('\n', offset - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const size_t end = std::min(statement.find('\n', begin), statement.size());
  SourcePlace place;
  place.line =
      1 + static_cast<int>(std::count(statement.begin(), statement.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
  place.text = Excerpt(statement.substr(begin, end - begin), 200);
  return place;
}

std::string NearestName(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string wanted = absl::AsciiStrToLower(std::string(name.substr(0, 100)));
  std::string best;
  size_t best_distance = std::max<size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > 100) continue;
    const std::string folded = absl::AsciiStrToLower(candidate);
    size_t distance = EditDistance(wanted, folded);
    // "price" for "unit_price" and the other way round is a common slip that edit distance does not see.
    const bool contained = wanted.size() >= 3 && folded.size() >= 3 &&
                           (folded.find(wanted) != std::string::npos || wanted.find(folded) != std::string::npos);
    if (contained) distance = std::min<size_t>(distance, std::max<size_t>(1, wanted.size() / 3));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string ShownName(std::string_view name) { return absl::StrCat("\"", Excerpt(name, 60), "\""); }

}  // namespace conclave::guest
