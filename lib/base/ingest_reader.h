// What the reader of user files is called. Part of the key of every column store, so that the host can look one up before a
// guest has run: to be changed whenever the same bytes would be read differently.
#ifndef CONCLAVE_LIB_BASE_INGEST_READER_H_
#define CONCLAVE_LIB_BASE_INGEST_READER_H_

namespace conclave {

inline constexpr char kIngestReader[] = "conclave-ingest 4";

}  // namespace conclave

#endif  // CONCLAVE_LIB_BASE_INGEST_READER_H_
