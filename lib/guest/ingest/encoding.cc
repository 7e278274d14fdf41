#include "lib/guest/ingest/encoding.h"

#include <fcntl.h>
#include <iconv.h>
#include <sys/stat.h>
#include <uchardet/uchardet.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/guest/ingest/refusal.h"

namespace conclave::guest {
namespace {

// Conversions up to this size stay in memory.
constexpr size_t kInMemory = 8u << 20;

// Length of the valid UTF-8 character at `at`, 0 when there is none.
size_t CharacterLength(const unsigned char* at, size_t left) {
  const auto continues = [at, left](size_t i) { return i < left && (at[i] & 0xC0) == 0x80; };
  if (at[0] < 0x80) return 1;
  if (at[0] >= 0xC2 && at[0] <= 0xDF) return continues(1) ? 2 : 0;
  if (at[0] >= 0xE0 && at[0] <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    if (at[0] == 0xE0 && at[1] < 0xA0) return 0;
    if (at[0] == 0xED && at[1] > 0x9F) return 0;
    return 3;
  }
  if (at[0] >= 0xF0 && at[0] <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (at[0] == 0xF0 && at[1] < 0x90) return 0;
    if (at[0] == 0xF4 && at[1] > 0x8F) return 0;
    return 4;
  }
  return 0;
}

class Iconv {
 public:
  explicit Iconv(const std::string& from)
      : handle_(::iconv_open("UTF-8", from.c_str())), unit_(from.substr(0, 6) == "UTF-16" ? 2 : 1) {}
  ~Iconv() {
    if (valid()) ::iconv_close(handle_);
  }
  Iconv(const Iconv&) = delete;
  Iconv& operator=(const Iconv&) = delete;
  bool valid() const { return handle_ != reinterpret_cast<iconv_t>(-1); }

  // Converts all of `bytes`, giving pieces to `sink`. What cannot be converted becomes U+FFFD and is counted.
  template <typename Sink>
  absl::Status Convert(std::string_view bytes, uint64_t* replaced, Sink sink) {
    char out[64 << 10];
    char* from = const_cast<char*>(bytes.data());
    size_t left = bytes.size();
    while (left > 0) {
      char* to = out;
      size_t room = sizeof out - 4;
      const size_t result = ::iconv(handle_, &from, &left, &to, &room);
      const int error = result == static_cast<size_t>(-1) ? errno : 0;
      if (error == EILSEQ || error == EINVAL) {
        std::memcpy(to, "\xEF\xBF\xBD", 3);
        to += 3;
        ++*replaced;
        const size_t skipped = std::min(unit_, left);
        from += skipped;
        left -= skipped;
      } else if (error != 0 && error != E2BIG) {
        return ErrnoStatus(error, "converting the text to UTF-8");
      }
      if (absl::Status put = sink(std::string_view(out, static_cast<size_t>(to - out))); !put.ok()) return put;
    }
    return absl::OkStatus();
  }

 private:
  iconv_t handle_;
  size_t unit_;  // bytes to skip over what cannot be converted
};

// A file without a name in the working folder, which in a run is the private folder with its own bound.
absl::StatusOr<Descriptor> NamelessFile() {
  Descriptor file(::open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.valid()) return file;
  char name[] = "ingest-XXXXXX";
  file = Descriptor(::mkostemp(name, O_CLOEXEC));
  if (!file.valid()) return ErrnoStatus(errno, "making a file for the converted text");
  ::unlink(name);
  return file;
}

absl::Status ConvertTo(const std::string& iconv_name, std::string_view bytes, Content* content) {
  Iconv iconv(iconv_name);
  if (!iconv.valid()) {
    return Refuse("Encoding", absl::StrCat("the text is ", content->encoding,
                                           ", which this machine cannot convert: save the file as UTF-8"));
  }
  if (bytes.size() <= kInMemory) {
    auto text = std::make_unique<std::string>();
    absl::Status status = iconv.Convert(bytes, &content->replaced, [&text](std::string_view piece) {
      text->append(piece);
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    content->converted = std::move(text);
    content->text = *content->converted;
  } else {
    absl::StatusOr<Descriptor> file = NamelessFile();
    if (!file.ok()) return file.status();
    absl::Status status =
        iconv.Convert(bytes, &content->replaced, [&file](std::string_view piece) { return WriteAll(file->get(), piece); });
    if (!status.ok()) return status;
    const off_t size = ::lseek(file->get(), 0, SEEK_END);
    absl::StatusOr<Mapping> mapping = Mapping::Of(file->get(), static_cast<size_t>(size));
    if (!mapping.ok()) return mapping.status();
    content->mapping = std::move(*mapping);
    content->text = content->mapping.bytes();
  }
  content->has_nul = content->text.find('\0') != std::string_view::npos;
  return absl::OkStatus();
}

// Removes the byte order marks at the start of `text` and returns how many there were. Tools that put a mark before a file that
// has one already leave two; what is not removed would become part of the first column's name.
uint64_t TakeMarks(std::string_view* text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  uint64_t marks = 0;
  for (; text->substr(0, kMark.size()) == kMark; ++marks) text->remove_prefix(kMark.size());
  return marks;
}

bool MarkedLittle(std::string_view bytes) { return bytes.substr(0, 2) == "\xFF\xFE"; }
bool MarkedBig(std::string_view bytes) { return bytes.substr(0, 2) == "\xFE\xFF"; }

// NUL bytes at even and odd places: text in UTF-16 that is mostly Latin has them at one of the two.
bool NulsAtOdd(std::string_view head) {
  size_t odd = 0;
  for (size_t i = 1; i < head.size(); i += 2) odd += head[i] == '\0' ? 1 : 0;
  return odd * 4 > head.size();
}

// Bytes around characters beyond ASCII, for the detector to look at.
std::string Evidence(std::string_view bytes) {
  constexpr size_t kEnough = 256u << 10;
  std::string evidence;
  size_t at = 0;
  while (at < bytes.size() && evidence.size() < kEnough) {
    const auto high = std::find_if(bytes.begin() + static_cast<ptrdiff_t>(at), bytes.end(),
                                   [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    if (high == bytes.end()) break;
    const size_t place = static_cast<size_t>(high - bytes.begin());
    const size_t start = std::max(at, place > 64 ? place - 64 : 0);
    const size_t size = std::min<size_t>(4096, bytes.size() - start);
    evidence.append(bytes.substr(start, size));
    at = start + size;
  }
  return evidence;
}

// A detected charset that is believed: scripts other than Latin. Among the Latin ones the detector is no better than a guess,
// and windows-1252 is the likeliest.
std::string GuessLegacy(std::string_view bytes) {
  struct Known {
    const char* detected;
    const char* name;
  };
  static constexpr Known kKnown[] = {
      {"SHIFT_JIS", "shift_jis"},
      {"EUC-JP", "euc-jp"},
      {"ISO-2022-JP", "iso-2022-jp"},
      {"GB18030", "gb18030"},
      {"BIG5", "big5"},
      {"EUC-KR", "euc-kr"},
      {"UHC", "uhc"},
      {"WINDOWS-1251", "windows-1251"},
      {"KOI8-R", "koi8-r"},
      {"ISO-8859-5", "iso-8859-5"},
      {"WINDOWS-1253", "windows-1253"},
      {"ISO-8859-7", "iso-8859-7"},
      {"WINDOWS-1255", "windows-1255"},
      {"TIS-620", "tis-620"},
  };
  const std::string evidence = Evidence(bytes);
  const std::unique_ptr<struct uchardet, void (*)(uchardet_t)> detector(::uchardet_new(), ::uchardet_delete);
  if (detector == nullptr || ::uchardet_handle_data(detector.get(), evidence.data(), evidence.size()) != 0)
    return "windows-1252";
  ::uchardet_data_end(detector.get());
  const std::string_view detected = ::uchardet_get_charset(detector.get());
  for (const Known& known : kKnown) {
    if (detected != known.detected) continue;
    Iconv iconv(known.name);
    uint64_t bad = 0;
    const absl::Status tried = iconv.valid() ? iconv.Convert(evidence, &bad, [](std::string_view) { return absl::OkStatus(); })
                                             : absl::UnknownError("");
    // The evidence is cut at arbitrary bytes, so a few bad characters prove nothing.
    if (tried.ok() && bad <= evidence.size() / 2048 + (evidence.size() < bytes.size() ? 2 : 0)) return known.name;
  }
  return "windows-1252";
}

}  // namespace

bool IsUtf16(std::string_view head) {
  if (MarkedLittle(head) || MarkedBig(head)) return true;
  if (head.size() < 4) return false;
  const std::string_view start = head.substr(0, 4096);
  if (start.find('\0') == std::string_view::npos) return false;
  size_t even = 0;
  size_t odd = 0;
  for (size_t i = 0; i < start.size(); ++i) {
    if (start[i] == '\0') ++(i % 2 == 0 ? even : odd);
  }
  return (odd * 4 > start.size() && even * 50 <= start.size()) || (even * 4 > start.size() && odd * 50 <= start.size());
}

Utf8Census CountUtf8(std::string_view bytes) {
  Utf8Census census;
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* const end = at + bytes.size();
  while (at < end) {
    // Eight ASCII bytes at once, and a test for NUL among them.
    if (end - at >= 8) {
      uint64_t word;
      std::memcpy(&word, at, 8);
      if ((word & 0x8080808080808080u) == 0) {
        census.nul |= ((word - 0x0101010101010101u) & ~word & 0x8080808080808080u) != 0;
        at += 8;
        continue;
      }
    }
    const size_t length = CharacterLength(at, static_cast<size_t>(end - at));
    if (*at == 0) census.nul = true;
    if (length == 0) {
      ++census.bad;
      ++at;
    } else {
      if (length > 1) ++census.sequences;
      at += length;
    }
  }
  return census;
}

absl::Status DecodeContent(Content* content) {
  const std::string_view bytes = content->mapping.bytes();
  if (IsUtf16(bytes.substr(0, 64u << 10))) {
    const bool marked = MarkedLittle(bytes) || MarkedBig(bytes);
    const bool little = marked ? MarkedLittle(bytes) : NulsAtOdd(bytes.substr(0, 4096));
    content->encoding = little ? "utf-16-le" : "utf-16-be";
    absl::Status converted = ConvertTo(little ? "UTF-16LE" : "UTF-16BE", bytes.substr(marked ? 2 : 0), content);
    content->marks = (marked ? 1 : 0) + TakeMarks(&content->text);
    return converted;
  }
  std::string_view text = bytes;
  content->marks = TakeMarks(&text);
  const bool signed_utf8 = content->marks > 0;
  const Utf8Census census = CountUtf8(text);
  // A file with a few bad bytes among good characters is UTF-8 that was damaged; one with none is something else.
  if (signed_utf8 || census.bad <= census.sequences) {
    content->text = text;
    content->encoding = signed_utf8 ? "utf-8-sig" : "utf-8";
    content->invalid_utf8 = census.bad > 0;
    content->has_nul = census.nul;
    return absl::OkStatus();
  }
  content->encoding = GuessLegacy(text);
  content->encoding_guessed = true;
  return ConvertTo(content->encoding == "shift_jis" ? "CP932" : content->encoding, text, content);
}

}  // namespace conclave::guest
