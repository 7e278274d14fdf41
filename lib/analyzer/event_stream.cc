#include "lib/analyzer/event_stream.h"

namespace conclave {

void EventStream::Emit(const Step& step) {
  if (sink_ == nullptr) return;
  v1::Event event;
  event.set_phase(step.phase);
  event.set_persona(step.persona);
  event.set_state(step.state);
  event.set_message(step.message);
  event.mutable_numbers()->insert(step.numbers.begin(), step.numbers.end());
  std::lock_guard<std::mutex> lock(mutex_);
  event.set_sequence(++sequence_);
  event.set_elapsed_us(absl::ToInt64Microseconds(elapsed()));
  sink_(event);
}

}  // namespace conclave
