// Samples: messages as the engine gives them, for tests of how they are shown; and how tests look at what was shown.
#ifndef CONCLAVE_TESTS_COMMAND_SAMPLES_H_
#define CONCLAVE_TESTS_COMMAND_SAMPLES_H_

#include <string>
#include <string_view>
#include <vector>

#include "conclave/v1/insight.pb.h"

namespace conclave::cli {

inline bool Mentions(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

inline v1::Answer NumberAnswer(const std::string& lexeme) {
  v1::Answer answer;
  answer.set_kind(v1::NUMBER);
  answer.mutable_value()->set_number(lexeme);
  return answer;
}

inline v1::Answer TableAnswer(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows) {
  v1::Answer answer;
  answer.set_kind(v1::TABLE);
  v1::ValueTable& table = *answer.mutable_value()->mutable_table();
  for (const std::string& column : columns) table.add_columns(column);
  for (const auto& cells : rows) {
    v1::ValueTable::Row& row = *table.add_rows();
    for (size_t i = 0; i < cells.size(); ++i) {
      v1::Value& cell = *row.add_cells();
      i == 0 ? cell.set_text(cells[i]) : cell.set_number(cells[i]);
    }
  }
  return answer;
}

inline v1::Execution SampleExecution(const std::string& program, const std::string& engine) {
  v1::Execution execution;
  execution.set_program_id(program);
  execution.set_engine(engine);
  execution.set_end_reason(v1::OK);
  execution.mutable_usage()->set_wall_us(310'000);
  execution.mutable_usage()->set_memory_peak_bytes(4'300'000);
  execution.mutable_limits()->set_wall_ms(60'000);
  execution.mutable_limits()->set_memory_bytes(512LL << 20);
  execution.set_isolation_level(0);
  v1::LayerState& layer = *execution.add_layers();
  layer.set_name("rlimits");
  layer.set_achieved(true);
  return execution;
}

inline void AddRun(v1::Insight& insight, const std::string& persona, const std::string& engine, const v1::Answer& answer) {
  const std::string id = "program-" + persona;
  v1::Program& program = *insight.add_programs();
  program.set_id(id);
  program.set_persona(persona);
  *insight.add_executions() = SampleExecution(id, engine);
  *insight.mutable_executions(insight.executions_size() - 1)->mutable_answer() = answer;
  v1::Ballot& ballot = *insight.add_ballots();
  ballot.set_persona(persona);
  ballot.set_program_id(id);
  ballot.set_counts(true);
}

inline void AddCluster(v1::Insight& insight, const std::string& persona, const std::string& engine, const v1::Answer& answer) {
  v1::Cluster& cluster = *insight.mutable_outcome()->add_clusters();
  cluster.add_personas(persona);
  cluster.add_engines(engine);
  *cluster.mutable_answer() = answer;
}

inline v1::Insight SupportedInsight() {
  v1::Insight insight;
  insight.set_id("3f2a9c");
  insight.set_question("What is the mean fare?");
  insight.mutable_outcome()->set_kind(v1::SUPPORTED);
  insight.set_sentence("The mean fare is 34.65.");
  insight.set_reading("the mean of fare");
  insight.add_assumptions("rows without a fare are left out");
  *insight.mutable_answer() = NumberAnswer("34.65");
  AddRun(insight, "offline-sql", "sqlite 3.40.1", insight.answer());
  AddRun(insight, "offline-pandas", "pandas 1.5.3 (python 3.11.2)", insight.answer());
  return insight;
}

inline v1::Insight DisputedInsight() {
  v1::Insight insight;
  insight.mutable_outcome()->set_kind(v1::DISPUTED);
  insight.mutable_outcome()->set_way_out("say whether rows without a fare count");
  AddCluster(insight, "offline-sql", "sqlite 3.40.1", NumberAnswer("34.65"));
  AddCluster(insight, "offline-pandas", "pandas 1.5.3", NumberAnswer("30.1"));
  AddRun(insight, "offline-sql", "sqlite 3.40.1", NumberAnswer("34.65"));
  AddRun(insight, "offline-pandas", "pandas 1.5.3", NumberAnswer("30.1"));
  return insight;
}

inline v1::Insight DeclinedInsight() {
  v1::Insight insight;
  insight.mutable_outcome()->set_kind(v1::NONE);
  insight.mutable_outcome()->add_reasons("declined");
  insight.add_not_understood("except");
  insight.add_suggestions("fare");
  return insight;
}

inline v1::Insight OneExecutionInsight() {
  v1::Insight insight;
  insight.mutable_outcome()->set_kind(v1::NONE);
  insight.mutable_outcome()->add_reasons("one_execution");
  insight.mutable_outcome()->set_way_out("install python3-pandas");
  *insight.mutable_answer() = NumberAnswer("34.65");
  AddRun(insight, "offline-sql", "sqlite 3.40.1", NumberAnswer("34.65"));
  return insight;
}

}  // namespace conclave::cli

#endif  // CONCLAVE_TESTS_COMMAND_SAMPLES_H_
