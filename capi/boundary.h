// Boundary: what every exported function does at its edge: statuses become codes and error objects, and no exception gets out.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_CAPI_BOUNDARY_H_
#define CONCLAVE_CAPI_BOUNDARY_H_

#include <cxxabi.h>

#include <new>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/conclave.h"

struct conclave_error {
  conclave_code code;
  std::string message;
  std::string detail_json;
};

struct conclave_buffer {
  std::string bytes;
};

namespace conclave::capi {

// Writes `status` to `*error` where the caller gave a place for it. Never throws: without memory for an error object `*error`
// becomes NULL and the code alone tells.
conclave_code Report(const absl::Status& status, conclave_error** error) noexcept;

// InvalidArgument when `pointer` is null.
absl::Status Require(const void* pointer, const char* name);

// `status` with the argument concerned before its message.
absl::Status Within(const char* argument, const absl::Status& status);

// The two kinds of exception that can reach an edge, as statuses. Called from a handler only.
absl::Status OutOfMemory() noexcept;
absl::Status Unexpected(const char* what) noexcept;

// Runs `body`, which returns absl::Status, and reports what came of it.
template <typename Body>
conclave_code Guard(conclave_error** error, Body&& body) noexcept(false) {
  try {
    return Report(std::forward<Body>(body)(), error);
  } catch (const std::bad_alloc&) {
    return Report(OutOfMemory(), error);
  } catch (const abi::__forced_unwind&) {
    throw;  // pthread_cancel: glibc ends the process when it is stopped
  } catch (const std::exception& exception) {
    return Report(Unexpected(exception.what()), error);
  } catch (...) {
    return Report(Unexpected("not a standard exception"), error);
  }
}

// The same for functions that make an object: `*out` becomes what `body` (absl::StatusOr<Object*>) returns, or NULL.
template <typename Object, typename Body>
conclave_code GuardNew(Object** out, conclave_error** error, Body&& body) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (absl::Status status = Require(out, "out"); !status.ok()) return status;
    absl::StatusOr<Object*> made = std::forward<Body>(body)();
    if (!made.ok()) return made.status();
    *out = *made;
    return absl::OkStatus();
  });
}

conclave_buffer* NewBuffer(std::string bytes);

// Whether this thread is in a function of the host that the library called.
bool InCallback();

// Marks the time that it lives as such.
class CallbackScope {
 public:
  CallbackScope();
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;
};

// A callback with what it was registered with; calls the finalizer exactly once, when it is destroyed or replaced.
template <typename Function>
class Callback {
 public:
  Callback() = default;
  Callback(Function function, void* user_data, void (*finalizer)(void*))
      : function_(function), user_data_(user_data), finalizer_(finalizer) {}
  Callback(Callback&& other) noexcept
      : function_(std::exchange(other.function_, nullptr)),
        user_data_(other.user_data_),
        finalizer_(std::exchange(other.finalizer_, nullptr)) {}
  Callback& operator=(Callback&& other) noexcept {
    std::swap(function_, other.function_);
    std::swap(user_data_, other.user_data_);
    std::swap(finalizer_, other.finalizer_);
    return *this;
  }
  ~Callback() {
    if (finalizer_ == nullptr) return;
    const CallbackScope scope;
    finalizer_(user_data_);
  }

  explicit operator bool() const { return function_ != nullptr; }
  template <typename... Arguments>
  auto operator()(Arguments... arguments) const {
    const CallbackScope scope;
    return function_(user_data_, arguments...);
  }

 private:
  Function function_ = nullptr;
  void* user_data_ = nullptr;
  void (*finalizer_)(void*) = nullptr;
};

}  // namespace conclave::capi

#endif  // CONCLAVE_CAPI_BOUNDARY_H_
