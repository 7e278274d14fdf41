#include "lib/base/digest.h"

#include <sha2.h>
#include <sys/types.h>

#include <cstdint>

namespace conclave {

struct Hasher::State {
  SHA2_CTX context;
};

Hasher::Hasher() : state_(std::make_unique<State>()) { SHA256Init(&state_->context); }
Hasher::~Hasher() = default;

void Hasher::Add(std::string_view bytes) {
  SHA256Update(&state_->context, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

std::string Hasher::Finish() {
  char hex[SHA256_DIGEST_STRING_LENGTH];
  SHA256End(&state_->context, hex);
  return hex;
}

std::string Digest(std::string_view bytes) {
  Hasher hasher;
  hasher.Add(bytes);
  return hasher.Finish();
}

}  // namespace conclave
