#include "conclave/dataset.h"

#include <unistd.h>

namespace conclave {

Dataset::~Dataset() {
  if (column_store_ >= 0) ::close(column_store_);
}

}  // namespace conclave
