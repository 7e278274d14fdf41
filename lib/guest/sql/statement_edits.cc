#include "lib/guest/sql/statement_edits.h"

#include <algorithm>
#include <numeric>

namespace conclave::guest {

void StatementEdits::Wrap(size_t begin, size_t end, std::string before, std::string after) {
  edits_.push_back({begin, begin, Place::kBefore, std::move(before)});
  edits_.push_back({end, end, Place::kAfter, std::move(after)});
}

void StatementEdits::Append(size_t end, std::string text) { edits_.push_back({end, end, Place::kAfter, std::move(text)}); }

void StatementEdits::Replace(size_t begin, size_t end, std::string text) {
  edits_.push_back({begin, end, Place::kReplace, std::move(text)});
}

std::string StatementEdits::Apply(std::string_view statement) const {
  std::vector<size_t> order(edits_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const Edit& x = edits_[a];
    const Edit& y = edits_[b];
    if (x.begin != y.begin) return x.begin < y.begin;
    if (x.place != y.place) return x.place < y.place;
    return x.place == Place::kBefore ? a > b : a < b;  // outer wraps were made later
  });
  std::string out;
  size_t at = 0;
  for (size_t index : order) {
    const Edit& edit = edits_[index];
    if (edit.begin > at) out.append(statement.substr(at, edit.begin - at));
    at = std::max(at, edit.begin);
    out += edit.text;
    if (edit.end > at) {
      const std::string_view removed = statement.substr(at, edit.end - at);
      out.append(static_cast<size_t>(std::count(removed.begin(), removed.end(), '\n')), '\n');
      at = edit.end;
    }
  }
  out.append(statement.substr(std::min(at, statement.size())));
  return out;
}

}  // namespace conclave::guest
