#include "lib/dataset/reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/base/frames.h"
#include "lib/base/ingest_reader.h"
#include "lib/base/json.h"
#include "lib/base/proto_json.h"
#include "lib/base/text.h"
#include "lib/dataset/second_reader.h"
#include "lib/sandbox/guest_call.h"

namespace conclave {
namespace {

constexpr char kIngestGuest[] = "conclave-ingest";
constexpr int64_t kResultBytes = 32LL << 20;

std::string KeyDigest(const ColumnStoreKey& key) {
  std::string text;
  for (const std::string& part : {key.digest, key.options, key.reader}) absl::StrAppend(&text, part.size(), ":", part);
  return Digest(text);
}

// The same dataset under the name it has in this job.
absl::StatusOr<DatasetPtr> Renamed(const DatasetPtr& dataset, const std::string& name, const std::string& source) {
  if (dataset->profile().name() == name && dataset->profile().source() == source) return dataset;
  v1::Profile profile = dataset->profile();
  profile.set_name(name);
  profile.set_source(source);
  int store = -1;
  if (dataset->column_store() >= 0) {
    store = ::fcntl(dataset->column_store(), F_DUPFD_CLOEXEC, 3);
    if (store < 0) return ErrnoStatus(errno, "opening a column store again");
  }
  return std::make_shared<const Dataset>(std::move(profile), store);
}

// What went wrong in a run that brought no profile.
absl::Status RunFailure(const SandboxResult& result, const GuestFrames& frames, const std::string& what,
                        const std::string& guest) {
  if (frames.closing == "error") {
    const Json* type = frames.body.Find("type");
    const Json* message = frames.body.Find("message");
    const std::string kind = type == nullptr ? "" : type->StringOr("");
    const std::string text = absl::StrCat(what, message == nullptr ? "" : Excerpt(message->StringOr(""), 2000));
    if (kind == "DiskFull" || kind == "MemoryError") return absl::ResourceExhaustedError(text);
    if (kind == "InputChanged") return absl::AbortedError(text);
    return absl::InvalidArgumentError(text);
  }
  const std::string detail = absl::StrCat(what, "reading was ended: ", result.detail);
  switch (result.end_reason) {
    case v1::CANCELLED: return absl::CancelledError(detail);
    case v1::DEADLINE: return absl::DeadlineExceededError(detail);
    case v1::WALL_LIMIT:
    case v1::CPU_LIMIT:
    case v1::MEMORY_LIMIT:
    case v1::MEMORY_SUSPECTED:
    case v1::OUTPUT_LIMIT:
    case v1::FILE_SIZE_LIMIT:
    case v1::DISK_LIMIT:
    case v1::PROCESS_LIMIT:
      return absl::ResourceExhaustedError(absl::StrCat(detail, "; raise the limit, or give a smaller file"));
    default: break;
  }
  if (result.end_reason == v1::LAUNCH_FAILED) {
    return absl::FailedPreconditionError(absl::StrCat("files cannot be read: ", guest, ": ", result.detail));
  }
  const std::string fault = frames.fault.ok() ? "" : absl::StrCat(" (", std::string(frames.fault.message()), ")");
  return absl::InternalError(absl::StrCat(what, "the reader ended without a result: ", result.detail, fault));
}

// The guest may have been taken over by the file it read: what it says must at least be a profile.
absl::Status CheckProfile(const v1::Profile& profile, const std::string& what) {
  const auto wrong = [&what](const std::string& why) {
    return absl::InternalError(absl::StrCat(what, "the reader's profile makes no sense: ", why));
  };
  if (profile.rows() < 0) return wrong("negative rows");
  if (profile.columns().empty()) return wrong("no columns");
  if (profile.reader() != kIngestReader) return wrong(absl::StrCat("reader \"", Excerpt(profile.reader(), 60), "\""));
  std::set<std::string> names;
  for (const v1::ColumnProfile& column : profile.columns()) {
    const std::string shown = absl::StrCat("column \"", Excerpt(column.name(), 60), "\"");
    if (column.name().empty() || !names.insert(column.name()).second)
      return wrong(absl::StrCat(shown, ": empty or repeated name"));
    if (column.type() < v1::COLUMN_INTEGER || column.type() > v1::COLUMN_TIMESTAMPTZ)
      return wrong(absl::StrCat(shown, ": type"));
    if (column.nulls() < 0 || column.nulls() > profile.rows()) return wrong(absl::StrCat(shown, ": nulls"));
    if (column.distinct() < 0 || column.distinct() > profile.rows()) return wrong(absl::StrCat(shown, ": distinct"));
  }
  return absl::OkStatus();
}

}  // namespace

Limits IngestLimits(const Limits& limits, int64_t bytes) {
  constexpr int64_t kSlowest = 4LL << 20;  // bytes a second, all passes together, on a busy machine
  Limits scaled = limits;
  // Whole seconds: for a small file the limit stays what was given, and is told as that when it is reached.
  const absl::Duration work = absl::Seconds(bytes / kSlowest);
  scaled.wall = std::min(limits.wall + 2 * work, std::max(limits.wall, kLongestRun));
  scaled.cpu = std::min(limits.cpu + work, std::max(limits.cpu, kLongestRun));
  // An empty cell costs a byte of text and up to nine of column store; a conversion to UTF-8 lies beside it.
  scaled.disk_bytes = std::max<int64_t>(limits.disk_bytes, 12 * bytes + (64LL << 20));
  scaled.processes = 1;
  return scaled;
}

Reader::Reader(const Sandbox& sandbox, ColumnStoreShelf* shelf, ReaderOptions options)
    : sandbox_(sandbox), shelf_(shelf), options_(std::move(options)) {}

absl::StatusOr<DatasetPtr> Reader::Read(const v1::DatasetSource& source, const std::string& place, const ReadOptions& options,
                                        TableNames* names, const Cancellation& cancellation) const {
  SourceOptions source_options = options_.source;
  source_options.deadline = options.deadline;
  absl::StatusOr<SourceFile> file = SourceFile::Open(source, place, source_options, cancellation);
  if (!file.ok()) return file.status();
  const std::string name = names->Add(file->name());

  // The digest comes first, not beside the run: a file that was read before then costs one pass over its bytes and no run, and
  // for a new one the pass fills the page cache that both passes of the guest read from.
  absl::StatusOr<std::string> digest = file->Digest(cancellation, options.deadline);
  if (!digest.ok()) return digest.status();
  const ColumnStoreKey key{.scope = options.scope, .digest = *digest, .options = "", .reader = kIngestReader};
  absl::StatusOr<DatasetPtr> found = shelf_->Find(key);
  if (!found.ok()) return found.status();
  if (*found != nullptr) return Renamed(*found, name, file->name());

  absl::StatusOr<std::unique_ptr<StagedColumnStore>> staged = shelf_->Stage();
  if (!staged.ok()) return staged.status();
  absl::StatusOr<v1::Profile> profile = Ingest(*file, (*staged)->descriptor(), place, options, cancellation);
  // First, because it may be why reading failed.
  if (absl::Status unchanged = file->CheckUnchanged(); !unchanged.ok()) return unchanged;
  if (!profile.ok()) return profile.status();
  const Limits limits = IngestLimits(options.limits, file->bytes());
  *profile->mutable_recount() =
      SecondReader(sandbox_, options_.guest_folder)
          .Read(file->descriptor(), (*staged)->descriptor(), *profile, limits, options.deadline, cancellation);
  // Once more, because the second reader may have met another file than the first.
  if (absl::Status unchanged = file->CheckUnchanged(); !unchanged.ok()) return unchanged;
  profile->set_dataset(KeyDigest(key));
  profile->set_name(name);
  profile->set_source(RepairUtf8(file->name()));
  profile->set_digest(*digest);
  profile->set_bytes(file->bytes());
  absl::StatusOr<DatasetPtr> published = shelf_->Publish(key, std::move(*staged), *profile);
  if (!published.ok()) return published.status();
  return Renamed(*published, name, file->name());
}

absl::StatusOr<v1::Profile> Reader::Ingest(const SourceFile& file, int column_store, const std::string& place,
                                           const ReadOptions& options, const Cancellation& cancellation) const {
  absl::StatusOr<Descriptor> guest = OpenGuest(options_.guest_folder, kIngestGuest);
  if (!guest.ok()) {
    return absl::Status(guest.status().code(), absl::StrCat("files cannot be read: ", std::string(guest.status().message())));
  }
  GuestCall call;
  call.arguments = {kIngestGuest};
  call.executable = guest->get();
  call.request = Json::Object(
      {{"file", Json::String(RepairUtf8(file.name()))}, {"bytes", Json::Integer(file.bytes())}, {"options", Json::Object()}});
  call.data = {file.descriptor(), column_store};
  call.result_bytes = kResultBytes;
  call.limits = IngestLimits(options.limits, file.bytes());
  call.deadline = options.deadline;
  absl::StatusOr<SandboxResult> result = CallGuest(sandbox_, call, cancellation);
  if (!result.ok()) return result.status();

  const std::string what = absl::StrCat(place, " \"", Excerpt(file.name(), 200), "\": ");
  const GuestFrames frames = ReadFrames(result->result, FrameBounds{.frame_bytes = static_cast<size_t>(kResultBytes)});
  const std::string path = absl::StrCat(options_.guest_folder, "/", kIngestGuest);
  if (absl::Status checked = CheckRelease(frames, path); !checked.ok()) {
    return checked;
  }
  const Json* body = frames.closing == "profile" ? frames.body.Find("profile") : nullptr;
  if (result->end_reason != v1::OK || body == nullptr) return RunFailure(*result, frames, what, path);
  v1::Profile profile;
  if (absl::Status decoded = JsonToMessage(*body, &profile); !decoded.ok()) {
    return absl::InternalError(absl::StrCat(what, "the reader's profile cannot be read: ", std::string(decoded.message())));
  }
  if (absl::Status checked = CheckProfile(profile, what); !checked.ok()) return checked;
  return profile;
}

}  // namespace conclave
