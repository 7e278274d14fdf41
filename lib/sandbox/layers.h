// Layers: the measures that isolate a run, the level each belongs to, and what it denies to the program.
//
// Thread safety: pure functions over constants.
//
//   LevelOfLayer("path_filter");  // 1
//   for (const Layer& layer : LayersOfLevel(2)) Use(layer.name, layer.denies);
#ifndef CONCLAVE_LIB_SANDBOX_LAYERS_H_
#define CONCLAVE_LIB_SANDBOX_LAYERS_H_

#include <optional>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conclave/sandbox.h"

namespace conclave {

inline constexpr int kStrongestLevel = static_cast<int>(kIsolationRange.most);

struct Layer {
  std::string_view name;    // as in v1::LayerState
  int level;                // the lowest level that it belongs to
  bool required;            // whether its level cannot be had without it
  std::string_view denies;  // a sentence without a stop that goes on after "denies"
};

// In the order of levels; those of one level in the order they are put on. Empty for what is no level.
std::span<const Layer> LayersOfLevel(int level);

// Null when there is no layer of that name.
const Layer* FindLayer(std::string_view name);

// -1 when there is no layer of that name.
int LevelOfLayer(std::string_view name);

// What a level denies beyond those below it, in a few words.
std::string_view DeniedByLevel(int level);

// InvalidArgument naming `isolation.required` or `isolation.preferred`.
absl::Status CheckIsolation(const Isolation& isolation);

// What a caller asked for who need not say both: what is left out is the default, or as close to it as the other allows.
// InvalidArgument as from CheckIsolation.
absl::StatusOr<Isolation> IsolationOf(std::optional<int> required, std::optional<int> preferred);

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_LAYERS_H_
