// Edits: small changes to a statement, gathered while it is checked and applied at once. Lines keep their numbers.
//
// Thread safety: belongs to one thread.
// Ownership: owns the texts; offsets refer to the statement as written.
#ifndef CONCLAVE_LIB_GUEST_SQL_STATEMENT_EDITS_H_
#define CONCLAVE_LIB_GUEST_SQL_STATEMENT_EDITS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace conclave::guest {

class StatementEdits {
 public:
  // Puts `before` and `after` around the bytes [begin, end). Of two wraps of the same bytes the later is the outer one.
  void Wrap(size_t begin, size_t end, std::string before, std::string after);

  // Puts `text` behind the byte before `end`, outside what was put there before.
  void Append(size_t end, std::string text);

  // Replaces [begin, end), in which no other edit may lie.
  void Replace(size_t begin, size_t end, std::string text);

  // The number of edits so far, and back to it: for parts that are checked twice.
  size_t Mark() const { return edits_.size(); }
  void Rewind(size_t mark) { edits_.resize(mark); }

  std::string Apply(std::string_view statement) const;

 private:
  enum class Place { kAfter, kBefore, kReplace };  // in the order in which they are written at one byte
  struct Edit {
    size_t begin;
    size_t end;
    Place place;
    std::string text;
  };
  std::vector<Edit> edits_;
};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_STATEMENT_EDITS_H_
