// What functions written for SQLite share: allocation that counts against SQLite's memory limit, values read from arguments,
// and results and errors given back.
//
// Thread safety: as SQLite calls them, on one thread.
// Ownership: texts read from arguments are borrowed for the length of the call.
#ifndef CONCLAVE_LIB_GUEST_SQL_SQLITE_SUPPORT_H_
#define CONCLAVE_LIB_GUEST_SQL_SQLITE_SUPPORT_H_

#include <sqlite3.h>

#include <cstdint>
#include <new>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace conclave::guest {

// The standard containers over sqlite3_malloc64: its hard limit holds for them too. Throws std::bad_alloc, which Guarded()
// turns into SQLite's out-of-memory error.
template <typename T>
struct SqliteAllocator {
  using value_type = T;
  SqliteAllocator() = default;
  template <typename U>
  SqliteAllocator(const SqliteAllocator<U>&) {}  // NOLINT: converting, as allocators must
  // NOLINTBEGIN(bugprone-sizeof-expression): T may well be a pointer
  T* allocate(size_t count) {
    static_assert(alignof(T) <= 8, "SQLite aligns to 8 bytes");
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
    void* memory = sqlite3_malloc64(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  // NOLINTEND(bugprone-sizeof-expression)
  void deallocate(T* memory, size_t) { sqlite3_free(memory); }
  template <typename U>
  bool operator==(const SqliteAllocator<U>&) const {
    return true;
  }
};

using HeapText = std::basic_string<char, std::char_traits<char>, SqliteAllocator<char>>;

// Runs `body` with no exception leaving it: SQLite is C.
template <typename Body>
void Guarded(sqlite3_context* context, Body body) noexcept {
  try {
    body();
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

inline bool IsNullValue(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; }

inline bool AnyNull(int count, sqlite3_value** values) {
  for (int i = 0; i < count; ++i) {
    if (IsNullValue(values[i])) return true;
  }
  return false;
}

inline std::string_view TextOf(sqlite3_value* value) {
  const unsigned char* text = sqlite3_value_text(value);
  return text == nullptr
             ? std::string_view()
             : std::string_view(reinterpret_cast<const char*>(text), static_cast<size_t>(sqlite3_value_bytes(value)));
}

inline void GiveText(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// An error that a program's author can repair; shown as it is.
inline void GiveError(sqlite3_context* context, const std::string& message) {
  sqlite3_result_error(context, message.data(), static_cast<int>(message.size()));
}

using ScalarFunction = void (*)(sqlite3_context*, int, sqlite3_value**);

// One scalar function under a name; `arguments` -1 for any number. `tag` reaches the function as its user data.
struct ScalarEntry {
  const char* name;
  int arguments;
  ScalarFunction function;
  int tag = 0;
};

template <size_t N>
absl::Status AddScalars(sqlite3* db, const ScalarEntry (&entries)[N]) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  for (const ScalarEntry& entry : entries) {
    const int code = sqlite3_create_function_v2(db, entry.name, entry.arguments, kFlags,
                                                reinterpret_cast<void*>(static_cast<intptr_t>(entry.tag)), entry.function,
                                                nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return absl::InternalError(std::string("SQLite refused the function ") + entry.name);
  }
  return absl::OkStatus();
}

inline int TagOf(sqlite3_context* context) { return static_cast<int>(reinterpret_cast<intptr_t>(sqlite3_user_data(context))); }

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_SQLITE_SUPPORT_H_
