#include "tools/conclave/view/findings.h"

#include <algorithm>

#include "lib/base/text.h"
#include "tools/conclave/view/layout.h"
#include "tools/conclave/view/paint.h"

namespace conclave::cli {

std::string RenderFindings(const std::vector<Finding>& findings, const View& view) {
  const Paint paint(view.colour);
  size_t widest = 0;
  for (const Finding& finding : findings) widest = std::max(widest, DisplayWidth(Excerpt(finding.part, 40)));
  std::string text;
  for (const Finding& finding : findings) {
    const std::string mark = finding.good ? paint.Good("✓") : paint.Bad("✗");
    text += Paragraph(mark + " " + PadRight(Excerpt(finding.part, 40), widest + 2), Excerpt(finding.message, 1000), view.width);
  }
  return text;
}

}  // namespace conclave::cli
