// RecordScanner: cuts delimited text into records and cells, in one pass and without copying. Never fails: a quote that makes
// no sense becomes text and is counted.
//
// Thread safety: belongs to one thread.
// Ownership: borrows the bytes; cells borrow from them or from the scanner, until the next call.
#ifndef CONCLAVE_LIB_GUEST_INGEST_RECORD_SCANNER_H_
#define CONCLAVE_LIB_GUEST_INGEST_RECORD_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace conclave::guest {

struct Dialect {
  char delimiter = ',';
  char quote = '"';         // '\0': quotes are text
  char newline = '\n';      // '\r' only for files that have no '\n'; "\r\n" is '\n' with the '\r' dropped
  bool skip_space = false;  // spaces after a delimiter belong to it
};

struct Cell {
  std::string_view text;
  bool quoted = false;
};

// What went wrong with quotes in the current record.
struct RecordFaults {
  bool unclosed_quote = false;  // an opening quote was taken as text, because its closing quote could not be found
  bool stray_quote = false;     // a quote inside a quoted cell was taken as text
};

class RecordScanner {
 public:
  RecordScanner(std::string_view bytes, const Dialect& dialect);

  // Cells a record is cut into; what follows stays together in one more.
  static constexpr size_t kMostCells = 65'536;

  // Reads one record into `cells` (at least one); false at the end.
  bool Next(std::vector<Cell>* cells);

  const RecordFaults& faults() const { return faults_; }
  // Bytes read so far.
  size_t position() const { return static_cast<size_t>(at_ - begin_); }

  // Line ends seen outside quotes.
  uint64_t lf() const { return lf_; }
  uint64_t crlf() const { return crlf_; }
  uint64_t cr() const { return cr_; }

 private:
  struct Unescaped {
    size_t cell;
    size_t offset;
    size_t size;
  };

  const char* FindEnd(const char* from);
  void LoadBlock(const char* from);
  const char* ReadQuoted(const char* open, std::vector<Cell>* cells);
  bool IsEnd(const char* at) const;

  const char* begin_;
  const char* end_;
  const char* at_;
  Dialect dialect_;
  RecordFaults faults_;
  // Delimiters and line ends of the 64 bytes from block_.
  const char* block_ = nullptr;
  uint64_t mask_ = 0;
  // Bytes read in vain behind quotes that had no end; bounds the work on hostile input.
  uint64_t wasted_ = 0;
  std::string scratch_;
  std::vector<Unescaped> unescaped_;
  uint64_t lf_ = 0;
  uint64_t crlf_ = 0;
  uint64_t cr_ = 0;
};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_RECORD_SCANNER_H_
