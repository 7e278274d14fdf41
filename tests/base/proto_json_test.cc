#include "lib/base/proto_json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conclave/v1/insight.pb.h"
#include "conclave/v1/job.pb.h"
#include "gtest/gtest.h"

namespace conclave {
namespace {

std::string ErrorOf(const std::string& text, google::protobuf::MessageLite* message) {
  absl::Status status = JsonToMessage(text, message);
  return status.ok() ? "" : std::string(status.message());
}

TEST(ProtoJson, RefusesWhatDoesNotFitAndNamesTheMember) {
  v1::AnalysisJob job;
  const std::map<std::string, std::string> refusals = {
      {R"([])", "the document: must be an object"},
      {R"({"questoin": "x"})", "questoin: unknown member (did you mean \"question\"?)"},
      {R"({"zzz": "x"})", "zzz: unknown member"},
      {R"({"question": 5})", "question: must be text"},
      {R"({"datasets": {}})", "datasets: must be an array"},
      {R"({"datasets": [{"path": "a"}, {"paht": "b"}]})", "datasets[1].paht: unknown member (did you mean \"path\"?)"},
      {R"({"datasets": [{"descriptor": 4294967296}]})",
       "datasets[0].descriptor: 4294967296 is out of range (-2147483648 to 2147483647)"},
      {R"({"datasets": [{"descriptor": 1.5}]})", "datasets[0].descriptor: must be an integer, not 1.5"},
      {R"({"context": {"seed": -1}})", "context.seed: -1 is out of range (0 to 18446744073709551615)"},
      {R"({"context": {"deadline_ms": 9223372036854775808}})",
       "context.deadline_ms: 9223372036854775808 is out of range (-9223372036854775808 to 9223372036854775807)"},
      {R"({"context": {"deadline_ms": "5"}})", "context.deadline_ms: must be an integer"},
      {R"({"context": []})", "context: must be an object"},
      {R"({"question": "a", "question": "b"})", "duplicate member \"question\""},
  };
  job.set_question("before");
  for (const auto& [text, error] : refusals) EXPECT_EQ(ErrorOf(text, &job), error) << text;
  EXPECT_EQ(job.question(), "before");

  v1::Execution execution;
  EXPECT_EQ(ErrorOf(R"({"end_reason": "wal_limit"})", &execution),
            "end_reason: unknown value \"wal_limit\" (did you mean \"wall_limit\"?)");
  EXPECT_EQ(ErrorOf(R"({"stdout": {"head": {"$base64": "*"}}})", &execution),
            "stdout.head: must be text or {\"$base64\": \"...\"}");
  EXPECT_EQ(ErrorOf(R"({"answer": {"value": [1, {"$num": "x"}]}})", &execution),
            "answer.value[1]: $num \"x\" is not a decimal number, nan, inf or -inf");
}

TEST(ProtoJson, TheMemberIsInThePayloadAsWell) {
  v1::AnalysisJob job;
  const auto member_of = [&](const std::string& text) {
    const auto payload = JsonToMessage(text, &job).GetPayload(kMemberPayload);
    return payload.has_value() ? std::string(*payload) : "none";
  };
  EXPECT_EQ(member_of(R"({"Questoin!": "x"})"), "Questoin!");
  EXPECT_EQ(member_of(R"({"datasets": [{"path": "a"}, {"path": 7}]})"), "datasets[1].path");
  EXPECT_EQ(member_of("[]"), "none");
}

TEST(ProtoJson, ManyThreadsMayConvertAtOnce) {
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      v1::AnalysisJob job;
      for (int round = 0; round < 100; ++round) {
        const std::string text = R"({"question":"a","datasets":[{"path":"b"},{"path":"c"}]})";
        if (JsonToMessage(text, &job).ok() && MessageToJson(job).value() == text) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 400);
}

TEST(ProtoJson, RefusesDocumentsThatAreTooDeepOrTooLarge) {
  v1::Value value;
  EXPECT_NE(ErrorOf(std::string(40, '[') + std::string(40, ']'), &value), "");
  EXPECT_NE(ErrorOf(std::string(100'000, '['), &value), "");
  EXPECT_NE(ErrorOf("\"" + std::string((16u << 20) + 1, 'x') + "\"", &value), "");
  JsonBounds small;
  small.bytes = 10;
  EXPECT_FALSE(JsonToMessage("\"01234567890\"", &value, small).ok());
}

TEST(ProtoJson, ReadsAsPeopleWouldWriteIt) {
  v1::Execution execution;
  execution.set_end_reason(v1::WALL_LIMIT);
  execution.set_language(v1::SQL);
  execution.mutable_usage()->set_wall_us(0);
  execution.mutable_limits()->set_memory_bytes(9007199254740993);
  execution.mutable_stdout()->set_head("caf\xc3\xa9\n");
  execution.mutable_stderr()->set_head("\xff\x00\x01", 3);
  execution.mutable_answer()->set_kind(v1::NUMBER);
  execution.mutable_answer()->mutable_value()->set_number("34.650");
  (*execution.mutable_answer()->mutable_notes())["rows"] = "3";
  (*execution.mutable_answer()->mutable_notes())["ddof"] = "1";
  EXPECT_EQ(*MessageToJson(execution),
            R"({"language":"sql","answer":{"kind":"number","value":34.650,"notes":{"ddof":"1","rows":"3"}},)"
            R"("end_reason":"wall_limit","usage":{"wall_us":0},"limits":{"memory_bytes":9007199254740993},)"
            R"("stdout":{"head":"café\n"},"stderr":{"head":{"$base64":"/wAB"}}})");

  v1::ColumnProfile column;
  column.set_type(v1::COLUMN_TIMESTAMPTZ);
  column.mutable_min()->set_null(true);
  EXPECT_EQ(*MessageToJson(column), R"({"type":"timestamptz","min":null})");
  v1::ColumnProfile read;
  ASSERT_EQ(ErrorOf(R"({"type": "timestamptz", "min": null, "max": {"$date": "2024"}, "label": null})", &read), "");
  EXPECT_TRUE(read.min().has_null());
  EXPECT_EQ(read.max().date(), "2024");
  EXPECT_EQ(read.type(), v1::COLUMN_TIMESTAMPTZ);
}

TEST(ProtoJson, AnEnumValueFromANewerVersionSurvivesAsANumber) {
  v1::Execution execution;
  execution.set_end_reason(static_cast<v1::EndReason>(99));
  EXPECT_EQ(*MessageToJson(execution), R"({"end_reason":99})");
  v1::Execution read;
  ASSERT_EQ(ErrorOf(R"({"end_reason": 99})", &read), "");
  EXPECT_EQ(static_cast<int>(read.end_reason()), 99);
}

TEST(ProtoJson, TextThatIsNotUtf8IsAnError) {
  v1::AnalysisJob job;
  job.set_question("a\xff");
  EXPECT_TRUE(absl::IsInvalidArgument(MessageToJson(job).status()));
}

// Fills every field of `message` with a value that is not its default, and v1.Value with each of its kinds in turn.
class Filler {
 public:
  void Fill(google::protobuf::Message* message, int depth) {
    const google::protobuf::Descriptor& type = *message->GetDescriptor();
    if (type.full_name() == "conclave.v1.Value") {
      const int kinds = depth > 6 ? 6 : 9;
      Field(*type.field(next_++ % kinds), message, depth);
      return;
    }
    for (int i = 0; i < type.field_count(); ++i) {
      const int times = type.field(i)->is_repeated() ? 2 : 1;
      for (int n = 0; n < times; ++n) Field(*type.field(i), message, depth);
    }
  }

 private:
  std::string Text(const google::protobuf::FieldDescriptor& field) {
    const std::string count = std::to_string(++next_);
    if (field.type() == google::protobuf::FieldDescriptor::TYPE_BYTES) return next_ % 2 ? "\xff" + count : "text" + count;
    const std::string owner = field.containing_type()->full_name();
    if (owner == "conclave.v1.Value" && field.name() == "integer") return "-12345678901234567890" + count;
    if (owner == "conclave.v1.Value" && field.name() == "number") return next_ % 2 ? "0." + count + "0" : "nan";
    if (owner == "conclave.v1.Value" && field.name() == "date") return "2024-03-01";
    return "\xc3\xa9\"\\\n" + count;
  }

  void Field(const google::protobuf::FieldDescriptor& field, google::protobuf::Message* message, int depth) {
    using F = google::protobuf::FieldDescriptor;
    const google::protobuf::Reflection& r = *message->GetReflection();
    const bool many = field.is_repeated();
    ++next_;
    switch (field.cpp_type()) {
      case F::CPPTYPE_INT32: many ? r.AddInt32(message, &field, -next_) : r.SetInt32(message, &field, -next_); break;
      case F::CPPTYPE_INT64:
        many ? r.AddInt64(message, &field, INT64_MIN + next_) : r.SetInt64(message, &field, INT64_MAX - next_);
        break;
      case F::CPPTYPE_UINT64: r.SetUInt64(message, &field, UINT64_MAX - static_cast<uint64_t>(next_)); break;
      case F::CPPTYPE_BOOL: many ? r.AddBool(message, &field, true) : r.SetBool(message, &field, true); break;
      case F::CPPTYPE_ENUM: {
        const auto* value = field.enum_type()->value(1 + next_ % (field.enum_type()->value_count() - 1));
        many ? r.AddEnum(message, &field, value) : r.SetEnum(message, &field, value);
        break;
      }
      case F::CPPTYPE_STRING:
        many ? r.AddString(message, &field, Text(field)) : r.SetString(message, &field, Text(field));
        break;
      case F::CPPTYPE_MESSAGE: Fill(many ? r.AddMessage(message, &field) : r.MutableMessage(message, &field), depth + 1); break;
      default: FAIL() << field.full_name() << " has a type this test does not fill";
    }
  }

  int next_ = 0;
};

template <typename... Messages>
std::map<std::string, std::function<std::unique_ptr<google::protobuf::MessageLite>()>> Makers() {
  return {{Messages().GetTypeName(), [] { return std::make_unique<Messages>(); }}...};
}

TEST(ProtoJson, EveryMessageSurvivesTheRoundTrip) {
  auto makers =
      Makers<v1::Value, v1::ValueList, v1::ValueMap, v1::ValueTable, v1::ProgramError, v1::Answer, v1::Expectation, v1::Program,
             v1::Limits, v1::Usage, v1::LayerState, v1::CapturedStream, v1::Artifact, v1::Execution, v1::Ballot, v1::Cluster,
             v1::Outcome, v1::Insight, v1::Event, v1::DatasetSource, v1::JobContext, v1::AnalysisJob, v1::ExecutionJob,
             v1::ProfileJob, v1::Quirk, v1::Recount, v1::TopValue, v1::ColumnProfile, v1::Profile, v1::ProfileList>();
  std::ifstream file(CONCLAVE_DESCRIPTOR_SET, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  google::protobuf::FileDescriptorSet files;
  ASSERT_TRUE(files.ParseFromString(bytes));
  google::protobuf::DescriptorPool pool;
  google::protobuf::DynamicMessageFactory factory;
  Filler filler;
  int tried = 0;
  for (const auto& description : files.file()) {
    const google::protobuf::FileDescriptor* built = pool.BuildFile(description);
    ASSERT_NE(built, nullptr);
    for (int i = 0; i < built->message_type_count(); ++i) {
      const google::protobuf::Descriptor* type = built->message_type(i);
      ASSERT_EQ(makers.count(type->full_name()), 1u) << type->full_name() << " is missing from the list of this test";
      for (int variant = 0; variant < 10; ++variant) {
        std::unique_ptr<google::protobuf::Message> filled(factory.GetPrototype(type)->New());
        filler.Fill(filled.get(), 0);
        std::unique_ptr<google::protobuf::MessageLite> lite = makers[type->full_name()]();
        ASSERT_TRUE(lite->ParseFromString(filled->SerializeAsString()));
        absl::StatusOr<std::string> text = MessageToJson(*lite, variant % 3);
        ASSERT_TRUE(text.ok()) << text.status();
        std::unique_ptr<google::protobuf::MessageLite> again = makers[type->full_name()]();
        absl::Status read = JsonToMessage(*text, again.get());
        ASSERT_TRUE(read.ok()) << read << "\n" << *text;
        std::unique_ptr<google::protobuf::Message> compared(factory.GetPrototype(type)->New());
        ASSERT_TRUE(compared->ParseFromString(again->SerializeAsString()));
        EXPECT_EQ(compared->ShortDebugString(), filled->ShortDebugString()) << *text;
        ++tried;
      }
    }
  }
  EXPECT_EQ(tried, static_cast<int>(makers.size()) * 10);
}

}  // namespace
}  // namespace conclave
