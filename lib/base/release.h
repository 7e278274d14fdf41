// Release: the version of Conclave that this code belongs to. Guest programs name theirs in their first frame, so that a
// library and guests of different releases do not work on a user's data together.
#ifndef CONCLAVE_LIB_BASE_RELEASE_H_
#define CONCLAVE_LIB_BASE_RELEASE_H_

namespace conclave {

inline constexpr char kRelease[] = "0.1.0";

}  // namespace conclave

#endif  // CONCLAVE_LIB_BASE_RELEASE_H_
