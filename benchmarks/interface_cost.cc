// What calls through libconclave.so cost, in microseconds, as lines "NAME MEDIAN". The comparison is made twice, alternating:
// by the exported function, and by the steps behind it in this program's own copy of them. The difference is the boundary.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "capi/conclave.h"
#include "conclave/v1/answer.pb.h"
#include "lib/answer/compare.h"
#include "lib/base/json.h"
#include "lib/base/proto_json.h"

namespace {

constexpr std::string_view kThree = R"({"kind": "integer", "value": 3})";
constexpr std::string_view kFour = R"({"kind": "integer", "value": 4})";

[[noreturn]] void Stop(const char* what) {
  std::fprintf(stderr, "interface_cost: %s\n", what);
  std::exit(1);
}

void Expect(bool holds, const char* what) {
  if (!holds) Stop(what);
}

void CompareThroughInterface() {
  conclave_buffer* buffer = nullptr;
  Expect(
      conclave_compare(kThree.data(), kThree.size(), kFour.data(), kFour.size(), nullptr, 0, &buffer, nullptr) == CONCLAVE_OK,
      "conclave_compare failed");
  Expect(conclave_buffer_size(buffer) > 0, "conclave_compare returned nothing");
  conclave_buffer_destroy(buffer);
}

void CompareWithin() {
  conclave::v1::Answer a;
  conclave::v1::Answer b;
  Expect(conclave::JsonToMessage(kThree, &a).ok() && conclave::JsonToMessage(kFour, &b).ok(), "an answer is not JSON");
  const conclave::Comparison comparison = conclave::Compare(a, b, conclave::ComparisonContext());
  conclave::Json json = conclave::Json::Object();
  json.Set("agree", conclave::Json::Boolean(comparison.agree));
  json.Set("reason", conclave::Json::String(comparison.reason));
  json.Set("difference", conclave::Json::String(comparison.difference));
  Expect(!json.Text().empty(), "the comparison is empty");
}

void FailAndReport() {
  conclave_engine* engine = nullptr;
  conclave_job* job = nullptr;
  conclave_error* error = nullptr;
  Expect(conclave_job_create(engine, CONCLAVE_ANALYSIS, CONCLAVE_JSON, "{}", 2, &job, &error) == CONCLAVE_INVALID_ARGUMENT,
         "a job without an engine was made");
  Expect(*conclave_error_message(error) != '\0', "the error says nothing");
  conclave_error_destroy(error);
}

conclave_engine* NewEngine() {
  conclave_engine* engine = nullptr;
  conclave_error* error = nullptr;
  if (conclave_engine_create(nullptr, &engine, &error) != CONCLAVE_OK) Stop(conclave_error_message(error));
  return engine;
}

void CreateAndDestroyEngine() { conclave_engine_destroy(NewEngine()); }

// A job without a dataset, as protocol buffers.
void CreateAndDestroyJob(conclave_engine* engine) {
  conclave_job* job = nullptr;
  Expect(conclave_job_create(engine, CONCLAVE_PROFILE, CONCLAVE_PROTO, "", 0, &job, nullptr) == CONCLAVE_OK, "no job was made");
  conclave_job_destroy(job);
}

double Microseconds(const std::function<void()>& call, int times) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / times;
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main() {
  std::vector<double> engine, job, failure, compare, within;
  CreateAndDestroyEngine();
  CompareThroughInterface();
  CompareWithin();
  conclave_engine* host = NewEngine();
  for (int round = 0; round < 101; ++round) {
    engine.push_back(Microseconds(CreateAndDestroyEngine, 1));
    job.push_back(Microseconds([&] { CreateAndDestroyJob(host); }, 100));
    failure.push_back(Microseconds(FailAndReport, 100));
    compare.push_back(Microseconds(CompareThroughInterface, 5));
    within.push_back(Microseconds(CompareWithin, 5));
  }
  conclave_engine_destroy(host);
  std::printf("engine %.3f\njob %.3f\nfailure %.3f\ncompare %.3f\ncompare_within %.3f\n", Median(engine), Median(job),
              Median(failure), Median(compare), Median(within));
}
