// Reader: turns a user's file into a Dataset, by way of the ingest guest, or finds it on the shelf when it was read before.
// The host opens, digests and hands on the file; it never parses it.
//
// Thread safety: const functions may run concurrently.
// Ownership: borrows sandbox and shelf, which must outlive it.
//
//   Reader reader(*sandbox, shelf.get(), {.guest_folder = "/usr/libexec/conclave"});
//   TableNames names;
//   absl::StatusOr<DatasetPtr> sales = reader.Read(job.datasets(0), "datasets[0]", ReadOptions(), &names, cancellation);
#ifndef CONCLAVE_LIB_DATASET_READER_H_
#define CONCLAVE_LIB_DATASET_READER_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conclave/cancellation.h"
#include "conclave/dataset.h"
#include "conclave/sandbox.h"
#include "conclave/v1/job.pb.h"
#include "lib/dataset/column_store_shelf.h"
#include "lib/dataset/source_file.h"
#include "lib/dataset/table_name.h"

namespace conclave {

struct ReaderOptions {
  std::string guest_folder;  // holds conclave-ingest
  SourceOptions source;
};

struct ReadOptions {
  std::string scope = "default";
  // Of a small file; wall time, CPU time and disk grow with the file: see IngestLimits.
  Limits limits;
  absl::Time deadline = absl::InfiniteFuture();
};

class Reader {
 public:
  Reader(const Sandbox& sandbox, ColumnStoreShelf* shelf, ReaderOptions options);

  // Reads one source. `place` says where it stands in the job and begins messages. Statuses are those of SourceFile::Open, of
  // sandbox and shelf, and: InvalidArgument with the guest's reason for a file that cannot be read; ResourceExhausted when a
  // limit ended the run; DeadlineExceeded; Cancelled; Aborted when the file changed meanwhile; FailedPrecondition when the
  // guest program is missing.
  absl::StatusOr<DatasetPtr> Read(const v1::DatasetSource& source, const std::string& place, const ReadOptions& options,
                                  TableNames* names, const Cancellation& cancellation) const;

 private:
  absl::StatusOr<v1::Profile> Ingest(const SourceFile& file, int column_store, const std::string& place,
                                     const ReadOptions& options, const Cancellation& cancellation) const;

  const Sandbox& sandbox_;
  ColumnStoreShelf* const shelf_;
  const ReaderOptions options_;
};

// The limits for reading `bytes`: those given, with time for two slow passes and disk for the widest column store.
Limits IngestLimits(const Limits& limits, int64_t bytes);

}  // namespace conclave

#endif  // CONCLAVE_LIB_DATASET_READER_H_
