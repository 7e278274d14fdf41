// Conclave for C++ (17 and later) over the C interface in conclave.h: owning objects, errors as exceptions. Header only, so
// that it depends on the library's C interface alone and on no other C++ library.
//
//   conclave::Engine engine;
//   conclave::Result result = engine.Ask("sales.csv", "What is the total amount?");
//   if (result.delivered()) std::cout << result.sentence() << "\n";
//
// Thread safety: an Engine may be used by any number of threads; a Job or Result by one at a time, and Job::Cancel by any.
// Ownership: objects own what they wrap, can be moved, and may be destroyed in any order.
#ifndef CONCLAVE_HPP_
#define CONCLAVE_HPP_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conclave.h"

namespace conclave {
// Inline, so that the names do not meet those of the library's own C++ classes at link time.
inline namespace c_interface {

// What every call below throws when the library reports an error.
class Error : public std::runtime_error {
 public:
  explicit Error(const conclave_error* error)
      : std::runtime_error(conclave_error_message(error)),
        code_(conclave_error_code(error)),
        detail_json_(conclave_error_detail_json(error)) {}

  conclave_code code() const noexcept { return code_; }
  const char* code_name() const noexcept { return conclave_code_name(code_); }
  const std::string& detail_json() const noexcept { return detail_json_; }

 private:
  conclave_code code_;
  std::string detail_json_;
};

namespace detail {

struct Destroy {
  void operator()(conclave_error* object) const noexcept { conclave_error_destroy(object); }
  void operator()(conclave_buffer* object) const noexcept { conclave_buffer_destroy(object); }
  void operator()(conclave_engine* object) const noexcept { conclave_engine_destroy(object); }
  void operator()(conclave_job* object) const noexcept { conclave_job_destroy(object); }
  void operator()(conclave_result* object) const noexcept { conclave_result_destroy(object); }
};
template <typename Object>
using Owned = std::unique_ptr<Object, Destroy>;

// Calls `function(arguments..., &error)` and throws what it reports.
template <typename Function, typename... Arguments>
void Call(Function function, Arguments... arguments) {
  conclave_error* error = nullptr;
  const conclave_code code = function(arguments..., &error);
  const Owned<conclave_error> owner(error);
  if (code != CONCLAVE_OK) throw Error(error);
}

inline std::string Text(const conclave_buffer& buffer) {
  return std::string(conclave_buffer_data(&buffer), conclave_buffer_size(&buffer));
}

template <typename Function>
void Forget(void* user_data) {
  delete static_cast<Function*>(user_data);
}

}  // namespace detail

// How a question ended, or what a program or a look at files gave.
class Result {
 public:
  explicit Result(conclave_result* result) : result_(result) {}

  struct Voice {
    std::string persona;
    bool counts;
    std::string answer;  // or why there is none
  };

  int32_t outcome() const { return conclave_result_outcome(result_.get()); }
  // Whether there is an answer that stands; sentence() and answer() are empty without one.
  bool delivered() const { return conclave_result_delivered(result_.get()) != 0; }
  std::string sentence() const { return conclave_result_sentence(result_.get()); }
  std::string answer() const { return conclave_result_answer(result_.get()); }
  std::string why() const { return conclave_result_why(result_.get()); }
  std::string way_out() const { return conclave_result_way_out(result_.get()); }
  std::string id() const { return conclave_result_id(result_.get()); }

  std::vector<Voice> voices() const {
    std::vector<Voice> voices;
    for (std::size_t i = 0; i < conclave_result_persona_count(result_.get()); ++i) {
      voices.push_back({conclave_result_persona_name(result_.get(), i), conclave_result_persona_counts(result_.get(), i) != 0,
                        conclave_result_persona_answer(result_.get(), i)});
    }
    return voices;
  }

  // All of it, as JSON or as bytes of protocol buffers.
  std::string Encode(int32_t format = CONCLAVE_JSON) const {
    conclave_buffer* buffer = nullptr;
    detail::Call(conclave_result_encode, static_cast<const conclave_result*>(result_.get()), format, &buffer);
    return detail::Text(*detail::Owned<conclave_buffer>(buffer));
  }

 private:
  detail::Owned<conclave_result> result_;
};

// Work that goes on while the caller does something else. Destroying it cancels it.
class Job {
 public:
  explicit Job(conclave_job* job) : job_(job) {}

  // Calls `function` with each event as JSON, on threads of the library; returning false, or throwing, cancels the job.
  // Before Submit.
  void OnEvent(std::function<bool(std::string_view)> function) {
    using Function = std::function<bool(std::string_view)>;
    const auto call = [](void* user_data, const char* json, std::size_t size) -> int32_t {
      try {
        return (*static_cast<Function*>(user_data))(std::string_view(json, size)) ? 0 : 1;
      } catch (...) {
        return 1;
      }
    };
    const conclave_event_fn known = function ? static_cast<conclave_event_fn>(call) : nullptr;
    detail::Call(conclave_job_on_event, job_.get(), known, static_cast<void*>(new Function(std::move(function))),
                 &detail::Forget<Function>);
  }

  void Submit() { detail::Call(conclave_job_submit, job_.get()); }

  // False when the job has not ended by then.
  bool WaitFor(std::chrono::milliseconds timeout) const {
    conclave_error* error = nullptr;
    const conclave_code code = conclave_job_wait(job_.get(), timeout.count() < 0 ? 0 : timeout.count(), &error);
    const detail::Owned<conclave_error> owner(error);
    if (code == CONCLAVE_DEADLINE_EXCEEDED) return false;
    if (code != CONCLAVE_OK) throw Error(error);
    return true;
  }
  void Wait() const { detail::Call(conclave_job_wait, static_cast<const conclave_job*>(job_.get()), int64_t{-1}); }

  // Readable once the job has ended.
  int descriptor() const { return conclave_job_descriptor(job_.get()); }
  void Cancel() const { conclave_job_cancel(job_.get()); }

  Result GetResult() const {
    conclave_result* result = nullptr;
    detail::Call(conclave_job_result, static_cast<const conclave_job*>(job_.get()), &result);
    return Result(result);
  }

 private:
  detail::Owned<conclave_job> job_;
};

class Engine {
 public:
  Engine() : Engine(nullptr) {}
  explicit Engine(const conclave_engine_options& options) : Engine(&options) {}

  // Options with every field at its default, to change and to pass to the constructor.
  static conclave_engine_options DefaultOptions() {
    conclave_engine_options options;
    conclave_engine_options_init(&options, sizeof options);
    return options;
  }

  Result Ask(const std::string& path, const std::string& question) {
    conclave_result* result = nullptr;
    detail::Call(conclave_ask, engine_.get(), path.c_str(), question.c_str(), &result);
    return Result(result);
  }

  // `kind`: CONCLAVE_ANALYSIS, CONCLAVE_EXECUTION or CONCLAVE_PROFILE.
  Job CreateJob(int32_t kind, std::string_view descriptor, int32_t format = CONCLAVE_JSON) {
    conclave_job* job = nullptr;
    detail::Call(conclave_job_create, engine_.get(), kind, format, static_cast<const void*>(descriptor.data()),
                 descriptor.size(), &job);
    return Job(job);
  }

  // `function(token, request as JSON)` is called on threads of the library; see conclave_engine_add_model. What it
  // throws is the reason why the model has no answer.
  void AddModel(const std::string& name, const std::string& family,
                std::function<void(std::uint64_t, std::string_view)> function) {
    using Function = std::function<void(std::uint64_t, std::string_view)>;
    const auto call = [](void* user_data, std::uint64_t token, const char* json, std::size_t size) {
      try {
        (*static_cast<Function*>(user_data))(token, std::string_view(json, size));
      } catch (...) {
        ReplyToModel(token, R"({"error": "the host's function threw"})");
      }
    };
    const conclave_model_fn known = function ? static_cast<conclave_model_fn>(call) : nullptr;
    detail::Call(conclave_engine_add_model, engine_.get(), name.c_str(), family.empty() ? nullptr : family.c_str(), known,
                 static_cast<void*>(new Function(std::move(function))), &detail::Forget<Function>);
  }
  // Needs no engine and does not throw, so that it may be called in the function of AddModel; see conclave_model_reply.
  static conclave_code ReplyToModel(std::uint64_t token, std::string_view json) noexcept {
    return conclave_model_reply(token, json.data(), json.size(), nullptr);
  }
  static bool IsModelWanted(std::uint64_t token) noexcept { return conclave_model_wanted(token) != 0; }

  // `scope` empty: the engine's.
  Result Recall(const std::string& id, const std::string& scope = "") const {
    conclave_result* result = nullptr;
    detail::Call(conclave_engine_recall, static_cast<const conclave_engine*>(engine_.get()),
                 scope.empty() ? nullptr : scope.c_str(), id.c_str(), &result);
    return Result(result);
  }

  // What the engine depends on, as JSON.
  std::string Examine() const {
    conclave_buffer* buffer = nullptr;
    detail::Call(conclave_engine_examine, static_cast<const conclave_engine*>(engine_.get()), &buffer);
    return detail::Text(*detail::Owned<conclave_buffer>(buffer));
  }

 private:
  explicit Engine(const conclave_engine_options* options) {
    conclave_engine* engine = nullptr;
    detail::Call(conclave_engine_create, options, &engine);
    engine_.reset(engine);
  }

  detail::Owned<conclave_engine> engine_;
};

// Whether two typed answers say the same, as JSON; see conclave_compare. `expectation` empty: nothing is known.
inline std::string Compare(std::string_view a, std::string_view b, std::string_view expectation = {}) {
  conclave_buffer* buffer = nullptr;
  detail::Call(conclave_compare, static_cast<const void*>(a.data()), a.size(), static_cast<const void*>(b.data()), b.size(),
               expectation.empty() ? nullptr : static_cast<const void*>(expectation.data()), expectation.size(), &buffer);
  return detail::Text(*detail::Owned<conclave_buffer>(buffer));
}

}  // namespace c_interface
}  // namespace conclave

#endif  // CONCLAVE_HPP_
