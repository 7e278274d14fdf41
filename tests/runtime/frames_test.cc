#include "lib/base/frames.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace conclave {
namespace {

std::string Frame(const std::string& json) {
  std::string frame;
  for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>(json.size() >> shift & 0xff);
  return frame + json;
}

const char kAnswer[] = R"({"frame":"answer","answer":{"kind":"integer","value":7}})";

TEST(FramesTest, NothingIsNoFaultAndNoClosingFrame) {
  GuestFrames frames = ReadFrames("");
  EXPECT_TRUE(frames.fault.ok());
  EXPECT_FALSE(frames.closed());
}

TEST(FramesTest, EveryCutIsAFaultAndNeverAnAnswer) {
  const std::string bytes = Frame(kAnswer);
  for (size_t size = 1; size < bytes.size(); ++size) {
    GuestFrames frames = ReadFrames(std::string_view(bytes).substr(0, size));
    EXPECT_EQ(frames.fault.code(), absl::StatusCode::kDataLoss) << size;
    EXPECT_FALSE(frames.closed()) << size;
  }
}

TEST(FramesTest, KeepsWhatCameBeforeACut) {
  const std::string bytes = Frame(R"({"frame":"engine","name":"sqlite 3.40.1"})") + Frame(kAnswer);
  GuestFrames frames = ReadFrames(std::string_view(bytes).substr(0, bytes.size() - 1));
  EXPECT_EQ(frames.engine, "sqlite 3.40.1");
  EXPECT_EQ(std::string(frames.fault.message()), "frame 2 ends after 55 of 56 bytes");
}

TEST(FramesTest, AFrameThatClaimsMoreThanThereIsIsCutOff) {
  GuestFrames frames = ReadFrames(std::string("\xff\xff\xff\xff{}", 6));
  EXPECT_EQ(frames.fault.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(std::string(frames.fault.message()), "frame 1 ends after 2 of 4294967295 bytes");
}

TEST(FramesTest, RefusesAFrameBeyondTheBound) {
  FrameBounds bounds;
  bounds.frame_bytes = 55;
  GuestFrames frames = ReadFrames(Frame(kAnswer), bounds);
  EXPECT_EQ(frames.fault.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(std::string(frames.fault.message()), "frame 1 has 56 bytes; at most 55 are read");
}

TEST(FramesTest, RefusesWhatIsNotAFrame) {
  for (const std::string& json :
       std::vector<std::string>{"", "x", "[]", "7", "{}", R"({"frame":7})", "{\"frame\":\"\xff\"}", R"({"frame":"engine"})",
                                R"({"frame":"canary","name":"rlimits","achieved":"yes"})",
                                R"({"frame":"canary","achieved":true})", R"({"frame":"loaded","table":"t","columns":[7]})",
                                R"({"frame":"loaded","columns":["a"]})", R"({"frame":"answer","frame":"error"})"}) {
    GuestFrames frames = ReadFrames(Frame(json) + Frame(kAnswer));
    EXPECT_EQ(frames.fault.code(), absl::StatusCode::kInvalidArgument) << json;
    EXPECT_FALSE(frames.closed()) << json;
  }
}

TEST(FramesTest, RefusesFloods) {
  FrameBounds bounds;
  bounds.frames = 3;
  const std::string progress = Frame(R"({"frame":"progress","numbers":{}})");
  EXPECT_EQ(ReadFrames(progress + progress + progress + Frame(kAnswer), bounds).fault.code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(ReadFrames(progress + progress + Frame(kAnswer), bounds).closed());

  bounds = FrameBounds();
  bounds.canaries = 1;
  const std::string canary = Frame(R"({"frame":"canary","name":"rlimits","achieved":true})");
  EXPECT_EQ(ReadFrames(canary + canary, bounds).fault.code(), absl::StatusCode::kResourceExhausted);

  bounds = FrameBounds();
  bounds.columns = 1;
  EXPECT_EQ(ReadFrames(Frame(R"({"frame":"loaded","table":"t","columns":["a","b"]})"), bounds).fault.code(),
            absl::StatusCode::kResourceExhausted);

  bounds = FrameBounds();
  bounds.values = 3;
  EXPECT_FALSE(ReadFrames(Frame(R"({"frame":"answer","answer":[1,2,3]})"), bounds).closed());
}

TEST(FramesTest, ReadsUpToTheClosingFrameAndNoFurther) {
  GuestFrames frames = ReadFrames(
      Frame(R"json({"frame":"engine","name":"pandas 1.5.3 (python 3.11.2)"})json") +
      Frame(R"({"frame":"canary","name":"no_new_privs","achieved":false,"detail":"NoNewPrivs: 0"})") +
      Frame(R"({"frame":"invented_later","x":[1,2]})") + Frame(R"({"frame":"loaded","table":"sales","columns":["b","a"]})") +
      Frame(R"({"frame":"loaded","table":"sales","columns":["a","c"]})") +
      Frame(R"({"frame":"loaded","table":"orders","columns":["a"]})") + Frame(kAnswer) + Frame(R"({"frame":"error"})") +
      "rubbish");
  ASSERT_TRUE(frames.fault.ok()) << frames.fault;
  EXPECT_EQ(frames.engine, "pandas 1.5.3 (python 3.11.2)");
  ASSERT_EQ(frames.canaries.size(), 1u);
  EXPECT_EQ(frames.canaries[0].name(), "no_new_privs");
  EXPECT_FALSE(frames.canaries[0].achieved());
  EXPECT_EQ(frames.canaries[0].detail(), "NoNewPrivs: 0");
  ASSERT_EQ(frames.loaded.size(), 2u);
  EXPECT_EQ(frames.loaded[0].table, "sales");
  EXPECT_EQ(frames.loaded[0].columns, (std::vector<std::string>{"b", "a", "c"}));
  EXPECT_EQ(frames.closing, "answer");
  EXPECT_EQ(frames.body.Find("answer")->Find("value")->IntegerOr(0), 7);
}

TEST(FramesTest, ShowsControlCharactersOfAGuestAsEscapes) {
  GuestFrames frames = ReadFrames(Frame(R"({"frame":"engine","name":"sq\u001b[31mlite"})"));
  EXPECT_EQ(frames.engine.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace conclave
