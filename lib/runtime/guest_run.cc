#include "lib/runtime/guest_run.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/answer/wire.h"
#include "lib/base/digest.h"
#include "lib/base/frames.h"
#include "lib/base/text.h"
#include "lib/sandbox/layers.h"

namespace conclave {
namespace {

// An answer of 16 MB, its envelope, and the frames before it.
constexpr int64_t kResultBytes = 20LL << 20;
// What stays for standard streams, request, runner, result and the guest's own use.
constexpr size_t kReservedDescriptors = 24;
// The sandbox names the private folder of a run to it in these; they come from us as much as what we pass.
constexpr const char* kFolderVariables[] = {"HOME", "TMPDIR"};
// Granted to nobody, and there on every machine.
constexpr char kRefusedFolder[] = "/";

const char* WayOut(v1::EndReason reason) {
  switch (reason) {
    case v1::WALL_LIMIT:
    case v1::CPU_LIMIT: return "ask for less data at a time, or allow the run more time";
    case v1::MEMORY_LIMIT:
    case v1::MEMORY_SUSPECTED: return "load only the columns that are needed, or allow the run more memory";
    case v1::OUTPUT_LIMIT: return "let the program print and answer less";
    case v1::FILE_SIZE_LIMIT:
    case v1::DISK_LIMIT: return "let the program write less to its folder, or allow the run more disk";
    case v1::PROCESS_LIMIT: return "let the program start no processes and fewer threads, or allow the run more";
    case v1::DEADLINE: return "allow the job more time";
    case v1::NO_RESULT: return "let the program run to its end and leave the sending of its answer to the runner";
    default: return "";
  }
}

std::string WithWayOut(std::string sentence, v1::EndReason reason) {
  while (!sentence.empty() && (sentence.back() == '.' || sentence.back() == '\n')) sentence.pop_back();
  const char* way_out = WayOut(reason);
  return *way_out == '\0' ? sentence : absl::StrCat(sentence, "; ", way_out);
}

v1::Limits EnforcedLimits(const Limits& limits) {
  v1::Limits enforced;
  enforced.set_wall_ms(absl::ToInt64Milliseconds(limits.wall));
  enforced.set_cpu_ms(absl::ToInt64Milliseconds(limits.cpu));
  enforced.set_memory_bytes(limits.memory_bytes);
  enforced.set_output_bytes(limits.output_bytes);
  enforced.set_disk_bytes(limits.disk_bytes);
  enforced.set_disk_inodes(limits.disk_inodes);
  enforced.set_processes(limits.processes);
  enforced.set_threads(limits.threads);
  enforced.set_descriptors(limits.descriptors);
  return enforced;
}

// Whether the sandbox says that the layer held, by itself or by the level that it is part of.
bool IsClaimed(const v1::Execution& execution, int level, const Layer& layer) {
  for (const v1::LayerState& state : execution.layers()) {
    if (state.name() == layer.name) return state.achieved();
  }
  return layer.required && layer.level <= level;
}

// Lowers what the guest disproved: the layer, and the level to the one below the layer's own. A guest tries more than the
// sandbox may have claimed; what nobody claimed cannot be lost.
void TakeCanaries(const std::vector<v1::LayerState>& canaries, v1::Execution* execution) {
  const int level = execution->isolation_level();
  for (const v1::LayerState& canary : canaries) {
    const Layer* known = FindLayer(canary.name());
    if (canary.achieved() || known == nullptr || !IsClaimed(*execution, level, *known)) continue;
    auto* layers = execution->mutable_layers();
    auto layer = std::find_if(layers->begin(), layers->end(),
                              [&](const v1::LayerState& state) { return state.name() == canary.name(); });
    v1::LayerState& lost = layer == layers->end() ? *execution->add_layers() : *layer;
    lost.set_name(canary.name());
    lost.set_achieved(false);
    lost.set_detail(absl::StrCat("disproved inside the run: ", canary.detail()));
    if (known->required) execution->set_isolation_level(std::min(execution->isolation_level(), known->level - 1));
  }
}

// What a guest compares its own namespaces with; one that cannot be told is left out.
Json OwnNamespaces() {
  Json namespaces = Json::Object();
  for (const char* kind : {"user", "pid", "ipc", "mnt", "net"}) {
    char mark[64];
    const ssize_t size = ::readlink(absl::StrCat("/proc/self/ns/", kind).c_str(), mark, sizeof mark);
    if (size > 0) namespaces.Set(kind, Json::String(std::string(mark, static_cast<size_t>(size))));
  }
  return namespaces;
}

void SetError(std::string type, std::string message, bool repairable, v1::Execution* execution) {
  execution->mutable_answer()->Clear();
  execution->mutable_answer()->set_kind(v1::ERROR);
  v1::ProgramError* error = execution->mutable_answer()->mutable_error();
  error->set_type(std::move(type));
  error->set_message(std::move(message));
  error->set_repairable(repairable);
}

// The guest sent something, but nothing that can be read as an answer.
void SetUnreadable(const absl::Status& fault, v1::Execution* execution) {
  const std::string why = absl::StrCat("what the program sent cannot be read as an answer: ", std::string(fault.message()));
  SetError(absl::IsResourceExhausted(fault) ? "AnswerTooLarge" : "ProtocolError", why, true, execution);
  if (execution->end_reason() == v1::OK) execution->set_end_reason(v1::NO_RESULT);
  execution->set_detail(WithWayOut(why, execution->end_reason()));
}

void TakeAnswer(const GuestFrames& frames, v1::Execution* execution) {
  if (execution->end_reason() != v1::OK) return;  // killed or crashed after it had spoken: not an answer to rely on
  const Json* body = frames.body.Find("answer");
  absl::StatusOr<v1::Answer> answer =
      body == nullptr ? absl::InvalidArgumentError("an answer frame without an answer") : DecodeAnswer(*body);
  if (!answer.ok()) return SetUnreadable(answer.status(), execution);
  *execution->mutable_answer() = *std::move(answer);
}

void TakeError(const GuestFrames& frames, v1::Execution* execution) {
  const auto text = [&frames](std::string_view member, size_t bytes) {
    const Json* found = frames.body.Find(member);
    return found == nullptr ? std::string() : Excerpt(found->StringOr(""), bytes);
  };
  const Json* repairable = frames.body.Find("repairable");
  std::string type = text("type", 200);
  if (type.empty()) type = "Error";
  SetError(type, text("message", 4096), repairable != nullptr && repairable->BooleanOr(false), execution);
  v1::ProgramError* error = execution->mutable_answer()->mutable_error();
  if (const Json* line = frames.body.Find("line")) {
    error->set_line(static_cast<int32_t>(std::clamp<int64_t>(line->IntegerOr(0), 0, kMostCodeBytes)));
  }
  error->set_source_line(text("source_line", 256));

  const v1::EndReason reason = execution->end_reason();
  if (reason != v1::OK && reason != v1::EXIT_NONZERO) return;  // a limit ended it after that; its sentence stays
  const std::string where = error->line() > 0 ? absl::StrCat(" at line ", error->line()) : "";
  std::string sentence = absl::StrCat("the program failed", where, ": ", type, ": ", error->message());
  if (text("limit", 16) == "memory") {
    execution->set_end_reason(v1::MEMORY_LIMIT);
    sentence = absl::StrCat("the program ran out of memory", where, " under a limit of ",
                            execution->limits().memory_bytes() >> 20, " MB: ", error->message());
  }
  execution->set_detail(WithWayOut(sentence, execution->end_reason()));
}

void TakeNothing(const GuestFrames& frames, v1::Execution* execution) {
  const v1::EndReason reason = execution->end_reason();
  if (reason == v1::OK && !frames.fault.ok()) return SetUnreadable(frames.fault, execution);
  if (reason == v1::OK) {
    execution->set_end_reason(v1::NO_RESULT);
    execution->set_detail(WithWayOut("the program ended without sending an answer", v1::NO_RESULT));
    return;
  }
  execution->set_detail(WithWayOut(execution->detail(), reason));
}

}  // namespace

absl::Status CheckRun(const v1::Program& program, v1::Language language, const std::vector<DatasetPtr>& datasets,
                      const RunOptions& options) {
  if (program.language() != language) {
    return absl::InvalidArgumentError(absl::StrCat("program.language: this runtime runs language ", static_cast<int>(language),
                                                   ", not ", static_cast<int>(program.language())));
  }
  if (program.code().size() > kMostCodeBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("program.code: ", program.code().size(), " bytes; at most ", kMostCodeBytes, " are run"));
  }
  if (!IsValidUtf8(program.code())) return absl::InvalidArgumentError("program.code: not valid UTF-8");
  if (datasets.size() + kReservedDescriptors > static_cast<size_t>(std::max(0, options.limits.descriptors))) {
    return absl::InvalidArgumentError(absl::StrCat("datasets: ", datasets.size(), " tables need more than the limit of ",
                                                   options.limits.descriptors, " descriptors; raise limits.descriptors"));
  }
  std::set<std::string> names;
  for (size_t i = 0; i < datasets.size(); ++i) {
    const std::string place = absl::StrCat("datasets[", i, "]: ");
    if (datasets[i] == nullptr || datasets[i]->column_store() < 0) {
      return absl::InvalidArgumentError(absl::StrCat(place, "has no open column store"));
    }
    const std::string& name = datasets[i]->profile().name();
    if (!names.insert(name).second) {
      return absl::InvalidArgumentError(absl::StrCat(place, "a second table named \"", Excerpt(name, 60), "\""));
    }
  }
  return absl::OkStatus();
}

Json ProgramRequest(const v1::Program& program, const std::vector<DatasetPtr>& datasets, const RunOptions& options) {
  Json tables = Json::Array();
  for (size_t i = 0; i < datasets.size(); ++i) {
    tables.Append(Json::Object({{"name", Json::String(datasets[i]->profile().name())},
                                {"descriptor", Json::Integer(kFirstDataDescriptor + static_cast<int64_t>(i))}}));
  }
  Json shape = Json::Object();
  if (program.shape().has_decimals()) shape.Set("decimals", Json::Integer(program.shape().decimals()));
  if (!program.shape().unit().empty()) shape.Set("unit", Json::String(program.shape().unit()));
  if (program.shape().has_ordered()) shape.Set("ordered", Json::Boolean(program.shape().ordered()));
  return Json::Object({{"code", Json::String(program.code())},
                       {"tables", std::move(tables)},
                       {"shape", std::move(shape)},
                       {"seed", Json::Number(std::to_string(options.seed))},
                       {"time_zone", Json::String(options.time_zone)},
                       {"memory_bytes", Json::Integer(options.limits.memory_bytes)}});
}

absl::StatusOr<SandboxResult> RunGuest(const Sandbox& sandbox, GuestCall call, const std::vector<DatasetPtr>& datasets,
                                       const RunOptions& options, const Cancellation& cancellation) {
  call.result_bytes = kResultBytes;
  call.limits = options.limits;
  call.deadline = options.deadline;
  Json descriptors = Json::Array({Json::Integer(0), Json::Integer(1), Json::Integer(2), Json::Integer(kResultDescriptor),
                                  Json::Integer(kRequestDescriptor)});
  for (const DescriptorGrant& grant : call.descriptors) descriptors.Append(Json::Integer(grant.guest));
  for (const DatasetPtr& dataset : datasets) {
    descriptors.Append(Json::Integer(kFirstDataDescriptor + static_cast<int64_t>(call.data.size())));
    call.data.push_back(dataset->column_store());
  }
  Json environment = Json::Array();
  for (const std::string& variable : call.environment) {
    environment.Append(Json::String(variable.substr(0, variable.find('='))));
  }
  for (const char* name : kFolderVariables) environment.Append(Json::String(name));
  call.request.Set("canaries", Json::Object({{"descriptors", std::move(descriptors)},
                                             {"environment", std::move(environment)},
                                             {"refused", Json::Array({Json::String(kRefusedFolder)})},
                                             {"process", Json::Integer(::getpid())},
                                             {"namespaces", OwnNamespaces()}}));
  return CallGuest(sandbox, call, cancellation);
}

v1::Execution ToExecution(const v1::Program& program, const RunOptions& options, const SandboxResult& result,
                          const GuestFrames& frames) {
  v1::Execution execution;
  execution.set_program_id(program.id());
  execution.set_language(program.language());
  execution.set_engine(frames.engine);
  execution.set_end_reason(result.end_reason);
  execution.set_exit_code(result.exit_code);
  execution.set_signal(result.signal);
  execution.set_detail(result.detail);
  *execution.mutable_usage() = result.usage;
  *execution.mutable_limits() = EnforcedLimits(options.limits);
  execution.set_isolation_level(result.isolation_level);
  for (const v1::LayerState& layer : result.layers) *execution.add_layers() = layer;
  TakeCanaries(frames.canaries, &execution);
  *execution.mutable_stdout() = result.standard_output;
  *execution.mutable_stderr() = result.standard_error;
  for (const SandboxArtifact& file : result.artifacts) {
    v1::Artifact* artifact = execution.add_artifacts();
    artifact->set_name(file.name);
    artifact->set_bytes(static_cast<int64_t>(file.content.size()));
    artifact->set_digest(Digest(file.content));
  }
  for (const LoadedTable& loaded : frames.loaded) {
    execution.add_tables(loaded.table);
    for (const std::string& column : loaded.columns) execution.add_columns(absl::StrCat(loaded.table, ".", column));
  }

  if (frames.closing == "answer") {
    TakeAnswer(frames, &execution);
  } else if (frames.closing == "error") {
    TakeError(frames, &execution);
  } else if (frames.closed()) {
    if (execution.end_reason() == v1::OK) {
      SetUnreadable(absl::InvalidArgumentError(absl::StrCat("a frame \"", frames.closing, "\"")), &execution);
    }
  } else {
    TakeNothing(frames, &execution);
  }
  return execution;
}

}  // namespace conclave
