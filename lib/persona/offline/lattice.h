// Lattice: everything the words of a question can mean, word by word, before any grammar.
//
// Thread safety: immutable.
// Ownership: owns its words; borrows the catalog and the profile below it.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_LATTICE_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_LATTICE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "lib/persona/offline/catalog.h"
#include "lib/persona/offline/lexicon.h"
#include "lib/persona/offline/words.h"

namespace conclave::offline {

enum class EdgeKind { kKeyword, kColumn, kValue, kNumber, kMeasured, kOrdinal, kDate, kRows, kLiteral };

// One meaning of `length` words.
struct Edge {
  EdgeKind kind = EdgeKind::kKeyword;
  size_t length = 1;
  const Phrase* phrase = nullptr;             // kKeyword
  const v1::ColumnProfile* column = nullptr;  // kColumn, kValue
  Fit fit = Fit::kExact;                      // kColumn, kValue
  std::string text;  // kValue: the value; kOrdinal, kDate: the lexeme; kNumber, kMeasured, kLiteral: as written (numerals.h;
                     // any word can be a literal)
  std::string unit;  // kMeasured, a number with a sign beside it: "percent", "$"
  std::string assumption;  // to be printed when this meaning is used
  // kValue: the column that the same words name, as in the file or but for case. Such words are that column; the value is meant
  // only where its own column is named with it.
  const v1::ColumnProfile* shadowed_by = nullptr;
};

class Lattice {
 public:
  Lattice(std::vector<Word> words, const Catalog& catalog);

  size_t size() const { return words_.size(); }
  const std::vector<Word>& words() const { return words_; }
  const std::vector<Edge>& at(size_t position) const { return edges_[position]; }
  bool IsStop(size_t position) const { return stop_[position]; }

  // True when the word can be nothing but a literal: no keyword and no stop word.
  bool IsFree(size_t position) const;

  // Words that mean nothing here in any way.
  std::vector<std::string> UnknownWords() const;

  // The words from `from` up to, not including, `to`, as written.
  std::string Text(size_t from, size_t to) const;

 private:
  void AddNames(size_t at, size_t length, const Catalog& catalog);
  void AddKeywords(size_t at, size_t length);
  void AddLiterals(size_t at);
  void DropInside(size_t at, size_t length);
  void Resolve();

  std::vector<Word> words_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<bool> stop_;
};

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_LATTICE_H_
