#include "tools/conclave/session.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "tools/conclave/store_folder.h"
#include "tools/conclave/view/json_text.h"

namespace conclave::cli {
namespace {

constexpr size_t kMessageBytes = 4000;

// "datasets[0].path: no such file" names a field of a job that users of the command never wrote.
std::string WithoutField(std::string_view message) {
  const size_t end = message.find(']');
  if (!message.starts_with("datasets[") || end == std::string_view::npos) return std::string(message);
  const std::string_view rest = message.substr(end + 1);
  for (std::string_view field : {".path: ", ": ", " "}) {
    if (rest.starts_with(field)) return std::string(rest.substr(field.size()));
  }
  constexpr std::string_view kDescriptor = ".descriptor";
  if (rest.starts_with(kDescriptor)) return absl::StrCat("standard input", std::string(rest.substr(kDescriptor.size())));
  return std::string(message);
}

absl::Status NoStoreFolder(const Surroundings& surroundings) {
  const std::string home = surroundings.environment("HOME").value_or("");
  if (home.empty()) return absl::NotFoundError("no store folder: neither CONCLAVE_STORE nor HOME is set");
  return absl::NotFoundError(
      absl::StrCat("no store folder: CONCLAVE_STORE is not set, and HOME, \"", Excerpt(home, 200), "\", is no absolute path"));
}

}  // namespace

absl::StatusOr<std::string> ChooseStore(const CommandLine& line, const Surroundings& surroundings, StoreNeed need) {
  if (line.no_store) return "";
  const std::string folder = line.store.empty() ? DefaultStoreFolder(surroundings.environment) : line.store;
  const absl::Status status = folder.empty() ? NoStoreFolder(surroundings) : PrepareStoreFolder(folder);
  if (status.ok()) return folder;
  if (need == StoreNeed::kRequired || !line.store.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(std::string(status.message()), ": name another one with --store",
                                                   need == StoreNeed::kRequired ? "" : ", or keep nothing with --no-store"));
  }
  surroundings.write_error(absl::StrCat("conclave: ", std::string(status.message()),
                                        ": nothing will be kept after the end; name another folder with --store\n"));
  return "";
}

absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(const CommandLine& line, const Surroundings& surroundings, StoreNeed need,
                                                     bool* kept) {
  absl::StatusOr<std::string> store = ChooseStore(line, surroundings, need);
  if (!store.ok()) return store.status();
  if (kept != nullptr) *kept = !store->empty();
  EngineOptions options;
  options.store_folder = *std::move(store);
  options.guest_folder = line.guest_folder;
  options.python = line.python;
  options.isolation = line.isolation;
  return surroundings.create_engine(options);
}

absl::StatusOr<Input> OpenInput(const std::vector<std::string>& files, const Surroundings& surroundings) {
  SpoolPlace place;
  place.bytes = EngineBudget().disk_bytes;
  if (const auto folder = surroundings.environment("TMPDIR"); folder && !folder->empty()) place.folder = *folder;
  return Input::Open(files, surroundings.standard_input, place, surroundings.cancellation);
}

ExitCode Fail(const Surroundings& surroundings, const absl::Status& status) {
  const ExitCode code = ExitCodeOf(status);
  if (code == kReaderGone) return code;
  std::string message = WithoutField(std::string(status.message()));
  if (absl::IsDeadlineExceeded(status)) absl::StrAppend(&message, ": give more time with --deadline");
  surroundings.write_error(absl::StrCat(
      "conclave: ", message.empty() ? absl::StatusCodeToString(status.code()) : Excerpt(message, kMessageBytes), "\n"));
  return code;
}

ExitCode FailUsage(const Surroundings& surroundings, std::string_view message) {
  surroundings.write_error(absl::StrCat("conclave: ", Excerpt(message, kMessageBytes), "\n"));
  return kUsage;
}

ExitCode Print(const Surroundings& surroundings, std::string_view text, ExitCode code) {
  const absl::Status status = surroundings.write_result(text);
  return status.ok() ? code : Fail(surroundings, status);
}

ExitCode PrintJson(const Surroundings& surroundings, const absl::StatusOr<Json>& document, ExitCode code) {
  if (!document.ok()) return Fail(surroundings, document.status());
  return Print(surroundings, JsonText(*document), code);
}

}  // namespace conclave::cli
