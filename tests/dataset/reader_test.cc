#include "lib/dataset/reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "lib/base/digest.h"
#include "lib/guest/columns/column_store.h"
#include "lib/sandbox/process_sandbox.h"
#include "tests/support/memory_shelf.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

class ReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(ProcessSandboxOptions());
    ASSERT_TRUE(sandbox.ok()) << sandbox.status();
    sandbox_ = std::move(*sandbox);
  }

  absl::StatusOr<DatasetPtr> Read(const std::string& path, const ReadOptions& options = ReadOptions(),
                                  const std::string& guests = CONCLAVE_LIBEXEC_DIR) {
    v1::DatasetSource source;
    source.set_path(path);
    ReaderOptions reader_options;
    reader_options.guest_folder = guests;
    return Reader(*sandbox_, &shelf_, reader_options).Read(source, "datasets[0]", options, &names_, cancel_.token());
  }

  const TemporaryFolder folder_;
  MemoryShelf shelf_;
  TableNames names_;
  CancellationSource cancel_;
  std::unique_ptr<Sandbox> sandbox_;
};

TEST_F(ReaderTest, AFileThatCannotBeReadIsNamedWithTheReason) {
  const absl::StatusOr<DatasetPtr> zip = Read(folder_.Write("book.csv", "PK\x03\x04 and so on"));
  EXPECT_EQ(zip.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string message(zip.status().message());
  EXPECT_EQ(message.compare(0, 38, "datasets[0] \"book.csv\": this is a ZIP "), 0) << message;
  const absl::StatusOr<DatasetPtr> blank = Read(folder_.Write("blank.csv", " \n \n"));
  EXPECT_NE(std::string(blank.status().message()).find("only white space"), std::string::npos) << blank.status();
  EXPECT_EQ(shelf_.published, 0);
}

TEST_F(ReaderTest, AMissingGuestSaysHowToGetIt) {
  const absl::StatusOr<DatasetPtr> read = Read(folder_.Write("a.csv", "a\n1\n"), ReadOptions(), folder_.path());
  EXPECT_EQ(read.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(std::string(read.status().message()).find("CONCLAVE_LIBEXEC"), std::string::npos);
}

TEST_F(ReaderTest, CancellationAndDeadlineEndTheRun) {
  ReadOptions late;
  late.deadline = absl::UnixEpoch();
  EXPECT_EQ(Read(folder_.Write("a.csv", "a\n1\n"), late).status().code(), absl::StatusCode::kDeadlineExceeded);
  cancel_.Cancel();
  EXPECT_EQ(Read(folder_.Write("b.csv", "a\n2\n")).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(shelf_.published, 0);
}

// Cuts a file off when run number `at` begins, as somebody would who writes it anew.
class CuttingSandbox : public Sandbox {
 public:
  CuttingSandbox(const Sandbox& sandbox, std::string file, int at) : sandbox_(sandbox), file_(std::move(file)), at_(at) {}
  absl::StatusOr<SandboxResult> Run(const SandboxRequest& request, const Cancellation& cancellation) const override {
    if (++runs_ == at_) cut_ = ::truncate(file_.c_str(), 0) == 0;
    return sandbox_.Run(request, cancellation);
  }
  absl::StatusOr<SandboxCapabilities> Probe() const override { return sandbox_.Probe(); }
  bool has_cut() const { return cut_; }

 private:
  const Sandbox& sandbox_;
  const std::string file_;
  const int at_;
  mutable int runs_ = 0;
  mutable bool cut_ = false;
};

TEST_F(ReaderTest, AFileThatIsCutOffWhileItIsReadHasChanged) {
  for (const int at : {1, 2}) {  // the first reader and the second
    v1::DatasetSource source;
    source.set_path(folder_.Write("a.csv", "x,y\n1,2\n"));
    const CuttingSandbox cutting(*sandbox_, source.path(), at);
    ReaderOptions options;
    options.guest_folder = CONCLAVE_LIBEXEC_DIR;
    const absl::Status status =
        Reader(cutting, &shelf_, options).Read(source, "datasets[0]", ReadOptions(), &names_, Cancellation()).status();
    EXPECT_TRUE(cutting.has_cut());
    EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
    EXPECT_NE(status.ToString().find("changed while it was read"), std::string::npos) << status;
  }
  EXPECT_EQ(shelf_.published, 0);
}

TEST_F(ReaderTest, ReadsAFileThroughTheSandbox) {
  const std::string text = "id,name,price\n1,Ann,1.50\n2,Bob,\n3,Ann,2.25\n";
  const absl::StatusOr<DatasetPtr> read = Read(folder_.Write("Sales 2024.csv", text));
  ASSERT_TRUE(read.ok()) << read.status();
  const v1::Profile& profile = (*read)->profile();
  EXPECT_EQ(profile.name(), "sales_2024");
  EXPECT_EQ(profile.source(), "Sales 2024.csv");
  EXPECT_EQ(profile.digest(), Digest(text));
  EXPECT_EQ(profile.bytes(), static_cast<int64_t>(text.size()));
  EXPECT_EQ(profile.rows(), 3);
  ASSERT_EQ(profile.columns_size(), 3);
  EXPECT_EQ(profile.columns(2).type(), v1::COLUMN_REAL);
  EXPECT_EQ(profile.columns(2).nulls(), 1);
  EXPECT_EQ(profile.columns(2).max().number(), "2.25");
  EXPECT_EQ(profile.columns(1).top(0).value().text(), "Ann");
  const auto store = guest::ColumnStoreView::Map((*read)->column_store());
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE(store->Verify().ok());
  EXPECT_EQ(store->Find("name")->Text(2), "Ann");
}

TEST_F(ReaderTest, TheSameBytesAreReadOnceInAScope) {
  const absl::StatusOr<DatasetPtr> first = Read(folder_.Write("a.csv", "x,y\n1,2\n"));
  const absl::StatusOr<DatasetPtr> again = Read(folder_.Write("b.csv", "x,y\n1,2\n"));
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(shelf_.staged, 1);
  EXPECT_EQ((*again)->profile().name(), "b");
  EXPECT_EQ((*again)->profile().source(), "b.csv");
  EXPECT_EQ((*again)->profile().dataset(), (*first)->profile().dataset());
  EXPECT_TRUE(guest::ColumnStoreView::Map((*again)->column_store()).ok());
  ReadOptions other;
  other.scope = "other";
  EXPECT_TRUE(Read(folder_ / "a.csv", other).ok());
  EXPECT_EQ(shelf_.staged, 2);
}

TEST(IngestLimitsTest, GrowWithTheFileButNeverShrink) {
  const Limits limits;
  EXPECT_EQ(IngestLimits(limits, 0).disk_bytes, limits.disk_bytes);
  EXPECT_GE(IngestLimits(limits, 1LL << 30).disk_bytes, 10LL << 30);
  EXPECT_GT(IngestLimits(limits, 1LL << 30).cpu, limits.cpu);
  EXPECT_EQ(IngestLimits(limits, 1LL << 40).memory_bytes, limits.memory_bytes);
  EXPECT_GT(IngestLimits(limits, 1LL << 30).wall, limits.wall);
}

// A limit that ends the reading of a small file is named as it was given.
TEST(IngestLimitsTest, SmallFilesHaveTheTimeThatWasGiven) {
  Limits limits;
  limits.wall = absl::Milliseconds(5);
  limits.cpu = absl::Milliseconds(3);
  EXPECT_EQ(IngestLimits(limits, 37'890).wall, absl::Milliseconds(5));
  EXPECT_EQ(IngestLimits(limits, 37'890).cpu, absl::Milliseconds(3));
  limits.wall = absl::Hours(24 * 7);
  EXPECT_EQ(IngestLimits(limits, 1LL << 40).wall, limits.wall);
}

}  // namespace
}  // namespace conclave
