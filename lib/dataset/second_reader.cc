#include "lib/dataset/second_reader.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/descriptor.h"
#include "lib/base/frames.h"
#include "lib/base/json.h"
#include "lib/base/proto_json.h"
#include "lib/base/text.h"
#include "lib/sandbox/guest_call.h"

namespace conclave {
namespace {

constexpr char kRecountGuest[] = "conclave-recount";
constexpr int64_t kRecountResultBytes = 8LL << 20;

v1::Recount NotDone(const std::string& why) {
  v1::Recount recount;
  recount.set_why_not(why);
  return recount;
}

int64_t Count(const Json& object, std::string_view name) {
  const Json* member = object.Find(name);
  return member == nullptr ? 0 : std::max<int64_t>(0, member->IntegerOr(0));
}

std::string TextOf(const Json& object, std::string_view name) {
  const Json* member = object.Find(name);
  return member == nullptr ? "" : Excerpt(member->StringOr(""), 200);
}

// Cells of a column that the first reader itself says it could not keep.
int64_t DeclaredLost(const v1::Profile& profile, const std::string& name) {
  int64_t lost = 0;
  for (const v1::ColumnProfile& column : profile.columns()) {
    if (column.name() != name) continue;
    for (const v1::Quirk& quirk : column.quirks()) {
      // Text keeps every cell but spellings of "missing"; what else is told of it is why it is not more than text.
      const bool dropped = column.type() == v1::COLUMN_TEXT ? quirk.code() == "missing_marker" : quirk.notable();
      if (dropped) lost += quirk.count();
    }
  }
  return lost;
}

v1::Recount RecountOf(const Json& frame, const v1::Profile& profile) {
  v1::Recount recount;
  recount.set_done(true);
  recount.set_rows_differ(Count(frame, "rows_differ"));
  const Json* columns = frame.Find("columns");
  if (columns == nullptr) return recount;
  for (const Json& column : columns->items()) {
    const Json* name = column.Find("name");
    if (name == nullptr || !name->is_string()) continue;
    const int64_t lost = Count(column, "lost");
    const int64_t unexplained = std::max<int64_t>(0, lost - DeclaredLost(profile, name->string()));
    if (Count(column, "differ") + unexplained == 0) continue;
    v1::Recount::Column* differing = recount.add_columns();
    differing->set_name(name->string());
    differing->set_differ(Count(column, "differ"));
    differing->set_lost(unexplained);
    differing->set_example(TextOf(column, "example"));
  }
  return recount;
}

}  // namespace

v1::Recount SecondReader::Read(int file, int column_store, const v1::Profile& profile, const Limits& limits,
                               absl::Time deadline, const Cancellation& cancellation) const {
  absl::StatusOr<Descriptor> guest = OpenGuest(guest_folder_, kRecountGuest);
  if (!guest.ok()) return NotDone(std::string(guest.status().message()));
  // The store may be open for writing here; the guest may only read it.
  const std::string link = absl::StrCat("/proc/self/fd/", column_store);
  const Descriptor store(::open(link.c_str(), O_RDONLY | O_CLOEXEC));
  if (!store.valid()) return NotDone(absl::StrCat("opening the column store again: ", std::strerror(errno)));
  absl::StatusOr<Json> described = MessageToJsonValue(profile);
  if (!described.ok()) return NotDone(std::string(described.status().message()));

  GuestCall call;
  call.arguments = {kRecountGuest};
  call.executable = guest->get();
  call.request = Json::Object({{"profile", *std::move(described)}});
  call.data = {file, store.get()};
  call.result_bytes = kRecountResultBytes;
  call.limits = limits;
  call.deadline = deadline;
  absl::StatusOr<SandboxResult> result = CallGuest(sandbox_, call, cancellation);
  if (!result.ok()) return NotDone(std::string(result.status().message()));
  const GuestFrames frames = ReadFrames(result->result, FrameBounds{.frame_bytes = static_cast<size_t>(kRecountResultBytes)});
  if (absl::Status checked = CheckRelease(frames, absl::StrCat(guest_folder_, "/", kRecountGuest)); !checked.ok()) {
    return NotDone(std::string(checked.message()));
  }
  if (frames.closing == "error") return NotDone(TextOf(frames.body, "message"));
  if (result->end_reason != v1::OK || frames.closing != "recount") return NotDone(result->detail);
  return RecountOf(frames.body, profile);
}

}  // namespace conclave
