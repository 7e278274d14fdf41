// What a run could attack on its host: a process, files, sockets, an inherited descriptor, a program with privileges. All of it
// belongs to the host's user and is as open as such things are.
//
// Thread safety: none needed.
// Ownership: owns all of it; goes with it.
#ifndef CONCLAVE_TESTS_ABUSE_BYSTANDER_H_
#define CONCLAVE_TESTS_ABUSE_BYSTANDER_H_

#include <sys/types.h>

#include <map>
#include <string>

#include "lib/base/descriptor.h"

namespace conclave {

class Bystander {
 public:
  // `programs` is where sleep_forever and lent_privilege are.
  explicit Bystander(const std::string& programs);
  ~Bystander();
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;

  // By the names that AbuseCase::arguments has in braces; without {mark}, which is the test's.
  const std::map<std::string, std::string>& names() const { return names_; }
  const std::string& folder() const { return folder_; }

  bool alive() const;
  bool secret_is_whole() const;
  // Files of the folder that were not there in the beginning.
  std::string Added() const;

 private:
  void Listen();

  std::string folder_;
  pid_t process_ = -1;
  Descriptor unix_socket_;
  Descriptor abstract_socket_;
  Descriptor port_;
  int inherited_ = -1;  // open on purpose without close-on-exec
  std::map<std::string, std::string> names_;
};

}  // namespace conclave

#endif  // CONCLAVE_TESTS_ABUSE_BYSTANDER_H_
