// TableNames: what the tables of one job are called in programs. Derived from file names: "sales 2024.csv" is sales_2024.
//
// Thread safety: belongs to one thread.
#ifndef CONCLAVE_LIB_DATASET_TABLE_NAME_H_
#define CONCLAVE_LIB_DATASET_TABLE_NAME_H_

#include <set>
#include <string>
#include <string_view>

namespace conclave {

class TableNames {
 public:
  // A name for the file called `file_name`: lower-case ASCII letters, digits and '_', at most 60 bytes, starting with a letter,
  // no reserved word of SQL or Python, and none that was given before.
  std::string Add(std::string_view file_name);

 private:
  std::set<std::string> given_;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_DATASET_TABLE_NAME_H_
