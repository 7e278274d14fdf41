#include "lib/guest/recount/plain_records.h"

#include <iconv.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/base/text.h"

namespace conclave::guest {
namespace {

constexpr size_t kBlock = 1 << 20;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

absl::StatusOr<size_t> ReadBlock(int fd, char* buffer, size_t size) {
  while (true) {
    const ssize_t count = ::read(fd, buffer, size);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) return ErrnoStatus(errno, "reading the file again");
  }
}

// Some files begin with more than one mark.
std::string_view AfterMarks(std::string_view block) {
  while (block.substr(0, kByteOrderMark.size()) == kByteOrderMark) block.remove_prefix(kByteOrderMark.size());
  return block;
}

// A file that is UTF-8 already.
class RawBlocks : public Utf8Blocks {
 public:
  explicit RawBlocks(int fd) : fd_(fd), buffer_(kBlock, '\0') {}

  absl::StatusOr<std::string_view> Next() override {
    absl::StatusOr<size_t> count = ReadBlock(fd_, buffer_.data(), buffer_.size());
    if (!count.ok()) return count.status();
    std::string_view block(buffer_.data(), *count);
    if (first_) block = AfterMarks(block);
    first_ = false;
    return block;
  }

 private:
  int fd_;
  std::string buffer_;
  bool first_ = true;
};

// A file in another encoding.
class ConvertedBlocks : public Utf8Blocks {
 public:
  ConvertedBlocks(int fd, iconv_t conversion) : fd_(fd), conversion_(conversion), buffer_(kBlock, '\0') {}
  ~ConvertedBlocks() override { ::iconv_close(conversion_); }

  absl::StatusOr<std::string_view> Next() override {
    out_.clear();
    while (out_.empty()) {
      absl::StatusOr<size_t> count = ReadBlock(fd_, buffer_.data() + kept_, buffer_.size() - kept_);
      if (!count.ok()) return count.status();
      if (*count == 0) {
        if (kept_ > 0) out_ += kReplacement;  // a character cut short by the end of the file
        kept_ = 0;
        break;
      }
      Convert(kept_ + *count);
    }
    std::string_view block(out_);
    if (first_) block = AfterMarks(block);
    first_ = first_ && out_.empty();
    return block;
  }

 private:
  void Convert(size_t size) {
    char* in = buffer_.data();
    size_t left = size;
    while (left > 0) {
      char chunk[4096];
      char* to = chunk;
      size_t room = sizeof chunk;
      const size_t result = ::iconv(conversion_, &in, &left, &to, &room);
      out_.append(chunk, sizeof chunk - room);
      if (result != static_cast<size_t>(-1) || errno == E2BIG) continue;
      if (errno == EINVAL) break;  // a character continues in the next block
      out_ += kReplacement;
      ++in;
      --left;
    }
    kept_ = left;
    std::string rest(in, left);
    rest.copy(buffer_.data(), left);
  }

  int fd_;
  iconv_t conversion_;
  std::string buffer_;
  size_t kept_ = 0;
  std::string out_;
  bool first_ = true;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Utf8Blocks>> Utf8Blocks::Open(int fd, const std::string& encoding) {
  if (::lseek(fd, 0, SEEK_SET) < 0) return ErrnoStatus(errno, "going back to the start of the file");
  if (encoding == "utf-8" || encoding == "utf-8-sig") return std::make_unique<RawBlocks>(fd);
  const iconv_t conversion = ::iconv_open("UTF-8", encoding.c_str());
  if (conversion == reinterpret_cast<iconv_t>(-1)) {
    return absl::InvalidArgumentError(absl::StrCat("unknown encoding \"", Excerpt(encoding, 40), "\""));
  }
  return std::make_unique<ConvertedBlocks>(fd, conversion);
}

absl::StatusOr<PlainRecords> PlainRecords::Open(int fd, const PlainDialect& dialect) {
  absl::StatusOr<std::unique_ptr<Utf8Blocks>> blocks = Utf8Blocks::Open(fd, dialect.encoding);
  if (!blocks.ok()) return blocks.status();
  PlainRecords records(*std::move(blocks), dialect);
  records.SkipSeparatorLine();
  records.SkipLines();
  if (!records.status_.ok()) return records.status_;
  return records;
}

// "sep=" and one character, quoted or not, as spreadsheets write it. The file's first block holds the whole line.
void PlainRecords::SkipSeparatorLine() {
  Peek();
  std::string_view line = block_.substr(0, 16);
  const bool quoted = !line.empty() && line.front() == '"';
  if (quoted) line.remove_prefix(1);
  if (!absl::EqualsIgnoreCase(std::string(line.substr(0, 4)), "sep=") || line.size() < 6) return;
  line.remove_prefix(5);
  if (quoted && line.front() != '"') return;
  if (quoted) line.remove_prefix(1);
  if (!line.empty() && (line.front() == '\n' || line.front() == '\r')) ++dialect_.lines_to_skip;
}

void PlainRecords::SkipLines() {
  for (int line = 0; line < dialect_.lines_to_skip;) {
    bool blank = true;
    int character = Character();
    for (; character >= 0 && !EndsRecord(character); character = Character()) blank &= character == ' ' || character == '\t';
    if (!blank) ++line;
    if (character < 0) return;
  }
}

bool PlainRecords::IsBlankSoFar() const {
  return count_ == 1 && !cells_[0].quoted && cells_[0].text.find_first_not_of(" \t") == std::string::npos;
}

int PlainRecords::Peek() {
  if (block_.empty() && status_.ok()) {
    absl::StatusOr<std::string_view> next = blocks_->Next();
    if (next.ok()) block_ = *next;
    status_ = next.status();
  }
  return block_.empty() ? -1 : static_cast<unsigned char>(block_.front());
}

int PlainRecords::Character() {
  const int character = Peek();
  if (character >= 0) block_.remove_prefix(1);
  return character;
}

// Consumes the line feed of a CR LF pair.
bool PlainRecords::EndsRecord(int character) {
  if (character == '\n') return true;
  if (character != '\r') return false;
  if (dialect_.cr_ends) return true;
  const int next = Peek();
  if (next == '\n') block_.remove_prefix(1);
  return next == '\n' || next == -1;
}

PlainCell& PlainRecords::Open() {
  if (count_ == cells_.size()) cells_.emplace_back();
  PlainCell& cell = cells_[count_++];
  cell.text.clear();
  cell.quoted = false;
  return cell;
}

void PlainRecords::TakeRun(std::string_view stops, PlainCell* cell) {
  size_t run = 0;
  while (run < block_.size() && stops.find(block_[run]) == std::string_view::npos) ++run;
  cell->text.append(block_.substr(0, run));
  block_.remove_prefix(run);
}

absl::StatusOr<bool> PlainRecords::Next() {
  const char stops[] = {'\n', '\r', dialect_.delimiter};
  const std::string_view plain_stops(stops, dialect_.one_column ? 2 : 3);
  count_ = 0;
  blank_lines_ = 0;
  PlainCell* cell = &Open();
  State state = State::kCellStart;
  while (true) {
    if (state == State::kPlain) TakeRun(plain_stops, cell);
    if (state == State::kQuoted) TakeRun(std::string_view(&dialect_.quote, 1), cell);
    const int c = Character();
    if (!status_.ok()) return status_;
    if (c < 0) return !IsBlankSoFar();
    if (state == State::kQuoted) {
      if (c == static_cast<unsigned char>(dialect_.quote)) {
        state = State::kQuoteInQuoted;
      } else {
        cell->text.push_back(static_cast<char>(c));
      }
      continue;
    }
    if (state == State::kQuoteInQuoted && c == static_cast<unsigned char>(dialect_.quote)) {
      cell->text.push_back(static_cast<char>(c));
      state = State::kQuoted;
      continue;
    }
    if (IsDelimiter(c)) {
      cell = &Open();
      state = State::kCellStart;
      continue;
    }
    if (EndsRecord(c)) {
      if (!IsBlankSoFar()) return true;
      ++blank_lines_;
      cell->text.clear();
      state = State::kCellStart;
      continue;
    }
    if (state == State::kCellStart && dialect_.quote != '\0' && c == static_cast<unsigned char>(dialect_.quote)) {
      cell->text.clear();  // spaces before the quote
      cell->quoted = true;
      state = State::kQuoted;
      continue;
    }
    cell->text.push_back(static_cast<char>(c));
    if (c != ' ') state = State::kPlain;
  }
}

}  // namespace conclave::guest
