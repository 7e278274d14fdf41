// Reader: question -> plan, or why not. It answers only if every word is accounted for and all readings mean the same.
//
// Thread safety: pure function.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_READER_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_READER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conclave/persona.h"
#include "conclave/v1/profile.pb.h"
#include "lib/plan/plan.h"

namespace conclave::offline {

// Exactly one of `plan` and `decline` is set.
struct Reading {
  std::optional<Plan> plan;
  std::vector<std::string> assumptions;  // with a plan: everything taken for granted, one sentence each
  std::vector<std::string> notes;        // with a plan: what may make the answer another one than was meant
  std::vector<std::string> spellings;    // with a plan: columns whose spellings counted apart are told in `notes`
  std::optional<Decline> decline;
};

// With several tables the question must be about exactly one of them.
// `time_zone` is the IANA name of the zone that days, months and years of instants are meant in.
Reading ReadQuestion(std::string_view question, const std::vector<v1::Profile>& profiles, const std::string& time_zone = "UTC");

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_READER_H_
