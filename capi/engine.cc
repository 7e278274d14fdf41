#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "capi/boundary.h"
#include "capi/core.h"
#include "capi/result.h"
#include "lib/base/json.h"
#include "lib/base/proto_json.h"
#include "lib/base/text.h"
#include "lib/sandbox/layers.h"

namespace conclave::capi {
namespace {

// The sizes that conclave_engine_options has had, by version of the ABI. A new version appends a line, and fields at the end.
constexpr size_t kOptionSizes[] = {64, 72};
static_assert(sizeof(conclave_engine_options) == kOptionSizes[std::size(kOptionSizes) - 1]);

constexpr size_t kLargestOptions = 4096;

bool IsOptionSize(size_t size) {
  return std::find(std::begin(kOptionSizes), std::end(kOptionSizes), size) != std::end(kOptionSizes);
}

// What the caller gave, as this version of the struct. A caller compiled against a newer version may leave what this one does
// not know at zero.
absl::StatusOr<conclave_engine_options> KnownOptions(const conclave_engine_options* given) {
  conclave_engine_options known = {};
  known.struct_size = sizeof known;
  if (given == nullptr) return known;
  const size_t size = given->struct_size;
  if (!IsOptionSize(size) && size <= sizeof known) {
    return absl::InvalidArgumentError(absl::StrCat(
        "options.struct_size: ", size, " is no size this struct ever had: call conclave_engine_options_init first"));
  }
  if (size > kLargestOptions) {
    return absl::InvalidArgumentError(
        absl::StrCat("options.struct_size: ", size, " is too large: call conclave_engine_options_init first"));
  }
  const char* bytes = reinterpret_cast<const char*>(given);
  if (size > sizeof known && std::any_of(bytes + sizeof known, bytes + size, [](char byte) { return byte != 0; })) {
    return absl::InvalidArgumentError(
        absl::StrCat("options: a field is set that version ", conclave_version_string(), " of the library does not know"));
  }
  std::memcpy(&known, given, std::min(size, sizeof known));
  return known;
}

std::string Text(const char* text) { return text == nullptr ? "" : text; }

// The same complaint about the fields that are called isolation_required and isolation_preferred here.
absl::Status InOptions(const absl::Status& status) {
  const std::string message = absl::StrReplaceAll(std::string(status.message()), {{"isolation.", "isolation_"}});
  return absl::Status(status.code(), absl::StrCat("options.", message));
}

absl::StatusOr<EngineOptions> ToEngineOptions(const conclave_engine_options& options) {
  EngineOptions engine;
  engine.store_folder = Text(options.store_folder);
  engine.guest_folder = Text(options.guest_folder);
  engine.python = Text(options.python);
  if (options.budget_processes < 0)
    return absl::InvalidArgumentError("options.budget_processes: must be a whole number from 0 to 2147483647");
  if (options.budget_memory_bytes < 0)
    return absl::InvalidArgumentError("options.budget_memory_bytes: must be a whole number from 0 to 9223372036854775807");
  if (options.budget_disk_bytes < 0)
    return absl::InvalidArgumentError("options.budget_disk_bytes: must be a whole number from 0 to 9223372036854775807");
  if (!(options.budget_cpus >= 0 && options.budget_cpus <= 1e6)) {
    return absl::InvalidArgumentError("options.budget_cpus: must be between 0 and 1,000,000");
  }
  if (options.budget_processes > 0) engine.budget.processes = options.budget_processes;
  if (options.budget_memory_bytes > 0) engine.budget.memory_bytes = options.budget_memory_bytes;
  if (options.budget_disk_bytes > 0) engine.budget.disk_bytes = options.budget_disk_bytes;
  engine.budget.cpus = options.budget_cpus;
  const auto level = [](int32_t field) -> std::optional<int> {
    if (field == 0) return std::nullopt;
    return field == CONCLAVE_ISOLATION_LEVEL_0 ? 0 : field;
  };
  absl::StatusOr<Isolation> isolation = IsolationOf(level(options.isolation_required), level(options.isolation_preferred));
  if (!isolation.ok()) return InOptions(isolation.status());
  engine.isolation = *isolation;
  return engine;
}

absl::StatusOr<conclave_engine*> Create(const conclave_engine_options& options) {
  absl::StatusOr<EngineOptions> engine_options = ToEngineOptions(options);
  if (!engine_options.ok()) return engine_options.status();
  absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Create(*engine_options);
  if (!engine.ok()) return engine.status();
  auto core = std::make_shared<Core>(Text(options.scope));
  core->engine = *std::move(engine);
  return new conclave_engine{std::move(core)};
}

// Options whose texts point into `json`.
absl::StatusOr<conclave_engine_options> OptionsFromJson(const Json& json) {
  if (!json.is_object()) return absl::InvalidArgumentError("options: not a JSON object");
  conclave_engine_options options = {};
  options.struct_size = sizeof options;
  const std::pair<const char*, const char**> texts[] = {{"scope", &options.scope},
                                                        {"store_folder", &options.store_folder},
                                                        {"guest_folder", &options.guest_folder},
                                                        {"python", &options.python}};
  const std::pair<const char*, int64_t*> integers[] = {{"budget_memory_bytes", &options.budget_memory_bytes},
                                                       {"budget_disk_bytes", &options.budget_disk_bytes}};
  const std::pair<const char*, int32_t*> levels[] = {{"isolation_required", &options.isolation_required},
                                                     {"isolation_preferred", &options.isolation_preferred}};
  for (const auto& [name, value] : json.members()) {
    if (value.is_null()) continue;
    bool taken = false;
    for (const auto& [known, text] : texts) {
      if (name != known || !value.is_string()) continue;
      if (value.string().find('\0') != std::string::npos) {
        return absl::InvalidArgumentError(absl::StrCat("options.", name, ": holds a NUL character"));
      }
      *text = value.string().c_str();
      taken = true;
    }
    for (const auto& [known, integer] : integers) {
      if (name != known || !value.is_number()) continue;
      *integer = value.IntegerOr(-1);
      taken = true;
    }
    for (const auto& [known, level] : levels) {
      if (name != known || !value.is_number()) continue;
      const int64_t given = value.IntegerOr(-1);
      if (given < kIsolationRange.least || given > kIsolationRange.most) {
        return absl::InvalidArgumentError(absl::StrCat("options.", name, ": ", Excerpt(value.lexeme(), 40),
                                                       " is no level of isolation: give one from 0 to 3"));
      }
      *level = given == 0 ? CONCLAVE_ISOLATION_LEVEL_0 : static_cast<int32_t>(given);
      taken = true;
    }
    if (name == "budget_processes" && value.is_number()) {
      const int64_t processes = value.IntegerOr(-1);
      options.budget_processes = processes < 0 || processes > INT32_MAX ? -1 : static_cast<int32_t>(processes);
      taken = true;
    }
    if (name == "budget_cpus" && value.is_number()) {
      taken = absl::SimpleAtod(value.lexeme(), &options.budget_cpus);
    }
    if (!taken) {
      const std::string place = absl::StrCat("options.", Excerpt(name, 60));
      absl::Status wrong =
          absl::InvalidArgumentError(absl::StrCat(place, ": there is no such option, or its value has the wrong type"));
      wrong.SetPayload(kMemberPayload, absl::Cord(place));
      return wrong;
    }
  }
  return options;
}

std::string FindingsJson(const std::vector<Finding>& findings) {
  Json list = Json::Array();
  for (const Finding& finding : findings) {
    Json item = Json::Object();
    item.Set("part", Json::String(finding.part));
    item.Set("good", Json::Boolean(finding.good));
    item.Set("message", Json::String(finding.message));
    list.Append(std::move(item));
  }
  Json report = Json::Object();
  // A layer of the sandbox that is missing does not count by itself: the finding on the sandbox as a whole weighs it.
  report.Set("good", Json::Boolean(std::all_of(findings.begin(), findings.end(), [](const Finding& finding) {
               return finding.good || absl::StartsWith(finding.part, "sandbox ");
             })));
  report.Set("version", Json::String(conclave_version_string()));
  report.Set("findings", std::move(list));
  return report.Text();
}

}  // namespace

constexpr size_t kMarkBytes = 4096;

const volatile char* MakeMark() {
  void* page = ::mmap(nullptr, kMarkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (::madvise(page, kMarkBytes, MADV_WIPEONFORK) != 0) {
    ::munmap(page, kMarkBytes);
    return nullptr;
  }
  *static_cast<volatile char*>(page) = 1;
  return static_cast<const volatile char*>(page);
}

Core::Core(std::string scope_name) : scope(std::move(scope_name)), process(::getpid()), mark(MakeMark()) {}

Core::~Core() {
  if (mark != nullptr) ::munmap(const_cast<char*>(mark), kMarkBytes);
}

bool Core::InOtherProcess() const { return ::getpid() != process || (mark != nullptr && *mark == 0); }

absl::Status Core::CheckProcess() const {
  if (!InOtherProcess()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the engine belongs to process ", process, ", of which this one is a copy: create an engine after fork()"));
}

void Release(std::shared_ptr<Core> core) {
  if (core == nullptr || !core->InOtherProcess()) return;
  // Never freed, on purpose.
  new std::shared_ptr<Core>(std::move(core));
}

}  // namespace conclave::capi

using conclave::capi::Core;
using conclave::capi::Guard;
using conclave::capi::GuardNew;
using conclave::capi::Require;

void conclave_engine_options_init(conclave_engine_options* options, size_t struct_size) {
  using conclave::capi::IsOptionSize;
  // One that is larger than any this library knows comes from a newer caller, whose further fields have zero for default as
  // well.
  const bool newer = struct_size > sizeof(conclave_engine_options) && struct_size <= conclave::capi::kLargestOptions;
  if (options == nullptr || !(IsOptionSize(struct_size) || newer)) return;
  std::memset(options, 0, struct_size);
  options->struct_size = static_cast<uint32_t>(struct_size);
}

conclave_code conclave_engine_create(const conclave_engine_options* options, conclave_engine** out, conclave_error** error) {
  return GuardNew(out, error, [&]() -> absl::StatusOr<conclave_engine*> {
    absl::StatusOr<conclave_engine_options> known = conclave::capi::KnownOptions(options);
    if (!known.ok()) return known.status();
    return conclave::capi::Create(*known);
  });
}

conclave_code conclave_engine_create_json(const void* json, size_t size, conclave_engine** out, conclave_error** error) {
  return GuardNew(out, error, [&]() -> absl::StatusOr<conclave_engine*> {
    if (size == 0) return conclave::capi::Create(conclave_engine_options{});
    if (absl::Status status = Require(json, "json"); !status.ok()) return status;
    absl::StatusOr<conclave::Json> parsed = conclave::ParseJson(std::string_view(static_cast<const char*>(json), size));
    if (!parsed.ok()) return conclave::capi::Within("json", parsed.status());
    absl::StatusOr<conclave_engine_options> options = conclave::capi::OptionsFromJson(*parsed);
    if (!options.ok()) return options.status();
    return conclave::capi::Create(*options);
  });
}

void conclave_engine_destroy(conclave_engine* engine) {
  if (engine == nullptr) return;
  conclave::capi::Release(std::move(engine->core));
  delete engine;
}

conclave_code conclave_engine_examine(const conclave_engine* engine, conclave_buffer** out, conclave_error** error) {
  return GuardNew(out, error, [&]() -> absl::StatusOr<conclave_buffer*> {
    if (absl::Status status = Require(engine, "engine"); !status.ok()) return status;
    const std::shared_ptr<Core> core = engine->core;
    if (absl::Status status = core->CheckProcess(); !status.ok()) return status;
    return conclave::capi::NewBuffer(conclave::capi::FindingsJson(core->engine->Examine()));
  });
}

conclave_code conclave_ask(conclave_engine* engine, const char* path, const char* question, conclave_result** out,
                           conclave_error** error) {
  return GuardNew(out, error, [&]() -> absl::StatusOr<conclave_result*> {
    if (absl::Status status = Require(engine, "engine"); !status.ok()) return status;
    if (absl::Status status = Require(path, "path"); !status.ok()) return status;
    if (absl::Status status = Require(question, "question"); !status.ok()) return status;
    const std::shared_ptr<Core> core = engine->core;  // the handle may be destroyed meanwhile
    if (absl::Status status = core->CheckProcess(); !status.ok()) return status;
    conclave::v1::AnalysisJob job;
    job.set_question(question);
    job.add_datasets()->set_path(path);
    job.mutable_context()->set_scope(core->scope);
    absl::StatusOr<conclave::v1::Insight> insight = core->engine->Analyze(job, conclave::Cancellation(), nullptr);
    if (!insight.ok()) return insight.status();
    return conclave::capi::NewResult(*std::move(insight));
  });
}

conclave_code conclave_engine_recall(const conclave_engine* engine, const char* scope, const char* id, conclave_result** out,
                                     conclave_error** error) {
  return GuardNew(out, error, [&]() -> absl::StatusOr<conclave_result*> {
    if (absl::Status status = Require(engine, "engine"); !status.ok()) return status;
    if (absl::Status status = Require(id, "id"); !status.ok()) return status;
    const std::shared_ptr<Core> core = engine->core;
    if (absl::Status status = core->CheckProcess(); !status.ok()) return status;
    absl::StatusOr<conclave::v1::Insight> insight = core->engine->Recall(scope == nullptr ? core->scope : scope, id);
    if (!insight.ok()) return insight.status();
    return conclave::capi::NewResult(*std::move(insight));
  });
}
