// Spellings: the values of a text column that are one value but for case and the blanks around them. They are kept apart;
// whoever counts or ranks them should know.
//
// Thread safety: pure function.
// Ownership: value types.
#ifndef CONCLAVE_LIB_GUEST_INGEST_SPELLINGS_H_
#define CONCLAVE_LIB_GUEST_INGEST_SPELLINGS_H_

#include <optional>

#include "lib/guest/ingest/column_census.h"
#include "lib/guest/ingest/text_dictionary.h"

namespace conclave::guest {

// nullopt when every value has one spelling, or when the values are too many to be looked at.
std::optional<IngestQuirk> SpellingsQuirk(const TextDictionary& texts);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_SPELLINGS_H_
