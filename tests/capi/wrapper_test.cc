// conclave.hpp, the C++ wrapper, as a host uses it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "capi/conclave.hpp"

namespace {

const char kWeather[] = CONCLAVE_SOURCE_DIR "/examples/data/seattle-weather.csv";

class WrapperTest : public testing::Test {
 protected:
  static conclave::Engine MakeEngine() {
    conclave_engine_options options = conclave::Engine::DefaultOptions();
    options.guest_folder = CONCLAVE_LIBEXEC_DIR;
    return conclave::Engine(options);
  }
};

TEST_F(WrapperTest, AnswersAQuestion) {
  conclave::Engine engine = MakeEngine();
  const conclave::Result result = engine.Ask(kWeather, "How many days had rain?");
  EXPECT_TRUE(result.delivered());
  EXPECT_EQ(result.answer(), "641");
  ASSERT_EQ(result.voices().size(), 2u);
  EXPECT_EQ(result.voices()[0].answer, "641");
  EXPECT_EQ(engine.Recall(result.id()).sentence(), result.sentence());
  EXPECT_NE(result.Encode().find("\"outcome\""), std::string::npos);
}

TEST_F(WrapperTest, ThrowsWhatTheLibraryReports) {
  conclave::Engine engine = MakeEngine();
  try {
    engine.Ask("/nonexistent.csv", "How many rows are there?");
    FAIL() << "a missing file was no error";
  } catch (const conclave::Error& error) {
    EXPECT_EQ(error.code(), CONCLAVE_NOT_FOUND);
    EXPECT_STREQ(error.code_name(), "NOT_FOUND");
    EXPECT_NE(std::string(error.what()).find("/nonexistent.csv"), std::string::npos);
    EXPECT_NE(error.detail_json().find("datasets[0].path"), std::string::npos);
  }
  EXPECT_THROW(conclave::Compare("{", "{}"), conclave::Error);
}

TEST_F(WrapperTest, CarriesJobsWithEvents) {
  conclave::Engine engine = MakeEngine();
  const std::string path = kWeather;
  conclave::Job job = engine.CreateJob(CONCLAVE_PROFILE, "{\"datasets\": [{\"path\": \"" + path + "\"}]}");
  int events = 0;
  job.OnEvent([&events](std::string_view) { return ++events > 0; });
  job.Submit();
  job.Wait();
  EXPECT_TRUE(job.WaitFor(std::chrono::milliseconds(0)));
  EXPECT_GE(job.descriptor(), 0);
  EXPECT_NE(job.GetResult().Encode().find("\"rows\":1461"), std::string::npos);
  EXPECT_GT(events, 1);
}

TEST_F(WrapperTest, ModelsOfTheHostAreAsked) {
  conclave::Engine engine = MakeEngine();
  engine.AddModel("silent", "", [](std::uint64_t token, std::string_view) {
    conclave::Engine::ReplyToModel(token, R"({"error": "not today"})");
  });
  const conclave::Result result = engine.Ask(kWeather, "How many days had rain?");
  ASSERT_EQ(result.voices().size(), 4u);
  EXPECT_NE(result.voices()[3].answer.find("not today"), std::string::npos);
}

TEST_F(WrapperTest, WhatFunctionsThrowStaysOnTheirSide) {
  conclave::Engine engine = MakeEngine();
  engine.AddModel("rash", "", [](std::uint64_t, std::string_view) { throw std::runtime_error("rash"); });
  const conclave::Result result = engine.Ask(kWeather, "How many days had rain?");
  EXPECT_NE(result.voices().at(3).answer.find("the host's function threw"), std::string::npos);
  EXPECT_FALSE(result.voices().at(3).counts);

  const std::string path = kWeather;
  conclave::Job job = engine.CreateJob(CONCLAVE_PROFILE, "{\"datasets\": [{\"path\": \"" + path + "\"}]}");
  EXPECT_THROW(job.OnEvent(nullptr), conclave::Error);
  job.OnEvent([](std::string_view) -> bool { throw std::runtime_error("rash"); });
  job.Submit();
  job.Wait();
  try {
    job.GetResult();
    FAIL() << "a job whose events were refused had a result";
  } catch (const conclave::Error& error) {
    EXPECT_EQ(error.code(), CONCLAVE_CANCELLED);
  }
}

TEST_F(WrapperTest, ExaminesAndCompares) {
  EXPECT_NE(MakeEngine().Examine().find("\"sandbox\""), std::string::npos);
  EXPECT_NE(conclave::Compare(R"({"kind": "integer", "value": 1})", R"({"kind": "integer", "value": 1})").find("true"),
            std::string::npos);
}

}  // namespace
