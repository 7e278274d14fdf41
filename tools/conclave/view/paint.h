// Paint: emphasis on a terminal, and nothing elsewhere.
//
// Thread safety: value type.
#ifndef CONCLAVE_TOOLS_CONCLAVE_VIEW_PAINT_H_
#define CONCLAVE_TOOLS_CONCLAVE_VIEW_PAINT_H_

#include <string>
#include <string_view>

namespace conclave::cli {

class Paint {
 public:
  explicit Paint(bool colour) : colour_(colour) {}

  std::string Bold(std::string_view text) const { return Wrap("1", text); }
  std::string Dim(std::string_view text) const { return Wrap("2", text); }
  std::string Good(std::string_view text) const { return Wrap("32", text); }
  std::string Doubtful(std::string_view text) const { return Wrap("33", text); }
  std::string Bad(std::string_view text) const { return Wrap("31", text); }

 private:
  std::string Wrap(std::string_view code, std::string_view text) const {
    if (!colour_ || text.empty()) return std::string(text);
    return std::string("\x1b[").append(code).append("m").append(text).append("\x1b[0m");
  }

  bool colour_;
};

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_VIEW_PAINT_H_
