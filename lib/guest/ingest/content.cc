#include "lib/guest/ingest/content.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/guest/ingest/encoding.h"
#include "lib/guest/ingest/refusal.h"

namespace conclave::guest {
namespace {

struct Signature {
  std::string_view magic;
  std::string_view name;
};

using std::string_view_literals::operator""sv;

constexpr Signature kSignatures[] = {
    {"PK\x03\x04"sv, "a ZIP archive (an XLSX or ODS workbook, or a zipped file)"},
    {"PK\x05\x06"sv, "an empty ZIP archive"},
    {"\x1f\x8b"sv, "gzip-compressed"},
    {"\x28\xb5\x2f\xfd"sv, "zstd-compressed"},
    {"BZh"sv, "bzip2-compressed"},
    {"\xfd"
     "7zXZ"sv,
     "xz-compressed"},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive"},
    {"Rar!\x1a"sv, "a RAR archive"},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an OLE container (an old XLS workbook, or an encrypted XLSX)"},
    {"SQLite format 3\0"sv, "an SQLite database"},
    {"PAR1"sv, "a Parquet file"},
    {"ARROW1"sv, "an Arrow file"},
    {"ORC"sv, "an ORC file"},
    {"%PDF-"sv, "a PDF document"},
    {"{\\rtf"sv, "an RTF document"},
    {"\x7f"
     "ELF"sv,
     "a program"},
    {"\x89PNG"sv, "a PNG image"},
    {"\xff\xd8\xff"sv, "a JPEG image"},
    {"GIF8"sv, "a GIF image"},
    {"\x89HDF\r\n"sv, "an HDF5 file"},
    {"<?xml"sv, "XML"},
    {"<!doctype"sv, "HTML"},
    {"<html"sv, "HTML"},
    {"<table"sv, "HTML"},
};

char AsciiLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool StartsWithFolded(std::string_view text, std::string_view lower_prefix) {
  if (text.size() < lower_prefix.size()) return false;
  for (size_t i = 0; i < lower_prefix.size(); ++i) {
    if (text[i] != lower_prefix[i] && AsciiLower(text[i]) != lower_prefix[i]) return false;
  }
  return true;
}

std::string_view SkipSpace(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

// JSON announces itself by what follows its first bracket; "[a],[b]" is a header.
bool LooksLikeJson(std::string_view text) {
  text = SkipSpace(text);
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return false;
  const bool object = text[0] == '{';
  text = SkipSpace(text.substr(1));
  if (text.empty()) return false;
  if (object) return text[0] == '"' || text[0] == '}';
  if (text[0] == '{' || text[0] == '[' || text[0] == ']') return true;
  // An array of scalars: the bracket must not close on the first line with more text behind it.
  if (text[0] != '"' && text[0] != '-' && (text[0] < '0' || text[0] > '9')) return false;
  const size_t close = text.find(']');
  return close == std::string_view::npos || SkipSpace(text.substr(close + 1)).empty();
}

bool LooksLikeMarkdownTable(std::string_view text) {
  // The second row of the table: nothing but bars, dashes, colons and spaces, with at least one of the first two.
  for (size_t line = 0; line < 32 && !text.empty(); ++line) {
    const size_t end = text.find('\n');
    std::string_view row = text.substr(0, end);
    if (row.find("--") != std::string_view::npos && row.find('|') != std::string_view::npos &&
        row.find_first_not_of(" \t\r|:-") == std::string_view::npos) {
      return true;
    }
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
  return false;
}

// Binary is told by control characters that no text has.
bool LooksBinary(std::string_view head) {
  size_t control = 0;
  for (const char c : head) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' && byte != 0x1b && byte != 0x1f) ++control;
  }
  return control * 50 > head.size();
}

}  // namespace

Mapping::~Mapping() {
  if (address_ != nullptr) ::munmap(const_cast<char*>(address_), size_);
}
Mapping::Mapping(Mapping&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)), size_(std::exchange(other.size_, 0)) {}
Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  return *this;
}

absl::StatusOr<Mapping> Mapping::Of(int fd, size_t size) {
  Mapping mapping;
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED) return ErrnoStatus(errno, absl::StrCat("mapping ", size, " bytes of the file"));
  ::madvise(address, size, MADV_SEQUENTIAL);
  mapping.address_ = static_cast<const char*>(address);
  mapping.size_ = size;
  return mapping;
}

std::string ForeignFormat(std::string_view head) {
  for (const Signature& signature : kSignatures) {
    const std::string_view text = signature.magic[0] == '<' ? SkipSpace(head) : head;
    if (StartsWithFolded(text, signature.magic)) {
      return absl::StrCat("this is ", std::string(signature.name),
                          ", not delimited text: save or export it as CSV (UTF-8) and give that file");
    }
  }
  if (LooksLikeJson(head)) return "this is JSON, not delimited text: export it as CSV (UTF-8) and give that file";
  if (LooksLikeMarkdownTable(head)) {
    return "this is a Markdown table, not delimited text: save the table as CSV (UTF-8) and give that file";
  }
  return "";
}

absl::StatusOr<Content> OpenContent(int fd) {
  struct stat status;
  if (::fstat(fd, &status) < 0) return ErrnoStatus(errno, "reading the size of the file");
  if (S_ISDIR(status.st_mode)) return Refuse("NotAFile", "this is a folder: give one of the files in it");
  if (!S_ISREG(status.st_mode)) return Refuse("NotAFile", "this is not a regular file: give a file, or pipe it in with -");
  if (status.st_size == 0) return Refuse("EmptyInput", "the file is empty: give a file with at least a header line");
  absl::StatusOr<Mapping> mapping = Mapping::Of(fd, static_cast<size_t>(status.st_size));
  if (!mapping.ok()) return mapping.status();

  Content content;
  content.mapping = std::move(*mapping);
  const std::string_view bytes = content.mapping.bytes();
  const std::string_view head = bytes.substr(0, 64u << 10);
  if (std::string foreign = ForeignFormat(head); !foreign.empty()) {
    return Refuse(head.substr(0, 4) == "\xd0\xcf\x11\xe0" ? "EncryptedOrXls" : "UnsupportedFormat", foreign);
  }
  const bool wide = IsUtf16(head);
  if (!wide && LooksBinary(head)) {
    return Refuse("BinaryInput", "this is binary data of no known kind, not delimited text: export it as CSV (UTF-8)");
  }
  if (absl::Status decoded = DecodeContent(&content); !decoded.ok()) return decoded;
  if (content.text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos) {
    return Refuse("EmptyInput", "the file holds only white space: give a file with at least a header line");
  }
  const std::string_view text_head = content.text.substr(0, 64u << 10);
  if (content.text.data() != bytes.data()) {
    if (std::string foreign = ForeignFormat(text_head); !foreign.empty()) return Refuse("UnsupportedFormat", foreign);
  }
  if (wide && LooksBinary(text_head)) {
    return Refuse("BinaryInput", "this is binary data of no known kind, not delimited text: export it as CSV (UTF-8)");
  }
  return content;
}

}  // namespace conclave::guest
