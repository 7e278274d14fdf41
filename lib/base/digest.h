// Digest: SHA-256 (FIPS 180-4), as lower-case hex.
//
// Thread safety: a hasher belongs to one thread; free functions are pure.
#ifndef CONCLAVE_LIB_BASE_DIGEST_H_
#define CONCLAVE_LIB_BASE_DIGEST_H_

#include <memory>
#include <string>
#include <string_view>

namespace conclave {

class Hasher {
 public:
  Hasher();
  ~Hasher();
  void Add(std::string_view bytes);
  // Ends the hasher; call once.
  std::string Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string Digest(std::string_view bytes);

}  // namespace conclave

#endif  // CONCLAVE_LIB_BASE_DIGEST_H_
