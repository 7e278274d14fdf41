// SecondReader: has a file read a second time, by a guest that shares no code with the first, and tells where the two differ.
//
// Thread safety: const functions may run concurrently.
// Ownership: borrows the sandbox, which must outlive it.
#ifndef CONCLAVE_LIB_DATASET_SECOND_READER_H_
#define CONCLAVE_LIB_DATASET_SECOND_READER_H_

#include <string>

#include "absl/time/time.h"
#include "conclave/cancellation.h"
#include "conclave/sandbox.h"
#include "conclave/v1/profile.pb.h"

namespace conclave {

class SecondReader {
 public:
  SecondReader(const Sandbox& sandbox, std::string guest_folder) : sandbox_(sandbox), guest_folder_(std::move(guest_folder)) {}

  // Holds every cell of `file` against `column_store`, which the first reader made of it and described in `profile`. Never
  // fails: a second reading that could not take place is one that was not done, with the reason.
  v1::Recount Read(int file, int column_store, const v1::Profile& profile, const Limits& limits, absl::Time deadline,
                   const Cancellation& cancellation) const;

 private:
  const Sandbox& sandbox_;
  const std::string guest_folder_;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_DATASET_SECOND_READER_H_
