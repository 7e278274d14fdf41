// Layout: how wide text is on a terminal, paragraphs and blocks of lines.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_TOOLS_CONCLAVE_VIEW_LAYOUT_H_
#define CONCLAVE_TOOLS_CONCLAVE_VIEW_LAYOUT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conclave::cli {

// Columns that valid UTF-8 takes on a terminal: East Asian wide characters and emoji take two, combining marks none, escape
// sequences of Paint none.
size_t DisplayWidth(std::string_view text);

// `text` cut to at most `columns`, with "…" where something was cut. No escape sequences.
std::string CutToWidth(std::string_view text, size_t columns);

// `text` with spaces up to `columns`; unchanged when it is as wide.
std::string PadRight(std::string_view text, size_t columns);
std::string PadLeft(std::string_view text, size_t columns);

// `first` followed by `text` wrapped at spaces to `width` (0: one line); later lines are indented to where the text began.
// Ends with a newline.
std::string Paragraph(std::string_view first, std::string_view text, int width);

// Every line of `block` with `spaces` in front.
std::string Indent(std::string_view block, size_t spaces);

// Two blocks of lines beside each other; nothing when `width` is given and they do not fit.
std::optional<std::string> SideBySide(std::string_view left, std::string_view right, int width);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_VIEW_LAYOUT_H_
