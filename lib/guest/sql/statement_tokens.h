// Tokens of a SQL statement, split exactly as SQLite splits them, and places in the statement for messages.
//
// Thread safety: pure functions over values.
// Ownership: tokens own their text; offsets refer to the statement they were cut from.
#ifndef CONCLAVE_LIB_GUEST_SQL_STATEMENT_TOKENS_H_
#define CONCLAVE_LIB_GUEST_SQL_STATEMENT_TOKENS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conclave::guest {

// Longer statements are refused before anything else looks at them.
inline constexpr size_t kStatementBytes = 256u << 10;

// Why a statement is refused: what is wrong and the way out, and the byte where it stands.
struct StatementFault {
  std::string message;
  size_t offset = 0;
};

enum class TokenKind { kEnd, kWord, kQuotedName, kString, kInteger, kReal, kOperator };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  size_t offset = 0;
  size_t end = 0;     // one past the last byte
  std::string text;   // words as written, quoted names and strings without quotes, numbers and operators as written
  std::string upper;  // kWord: `text` in ASCII upper case
};

struct TokenizedStatement {
  std::vector<Token> tokens;  // ends with one kEnd token
  std::optional<StatementFault> fault;
};

// Splits one statement; a single trailing semicolon (with blanks and comments around it) is left out. Faults: NUL bytes,
// invalid UTF-8, more than kStatementBytes, a second statement, unterminated strings, parameters, names in backticks or
// brackets.
TokenizedStatement Tokenize(std::string_view statement);

// A place in a text, for people.
struct SourcePlace {
  int line = 1;      // 1-based
  std::string text;  // that line, cut to 200 bytes
};

SourcePlace Locate(std::string_view statement, size_t offset);

// Of `candidates`, the one nearest to `name` (ignoring case) when it is near enough to be what was meant, else "".
std::string NearestName(std::string_view name, const std::vector<std::string>& candidates);

// A name for people: in double quotes, cut to 60 bytes.
std::string ShownName(std::string_view name);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_STATEMENT_TOKENS_H_
