#include "lib/sandbox/supervise.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "lib/sandbox/outcome.h"

namespace conclave {
namespace {

// The supervisor keeps the limits. Should it be stopped or stuck, the host does not wait for ever.
constexpr int64_t kGraceNs = 10'000'000'000;
// How often to look at a cancellation that has no descriptor.
constexpr int kLongestWaitMs = 500;
// How often to look at all sources where waiting for them fails.
constexpr unsigned kBlindGapUs = 1000;

class Watch {
 public:
  Watch(SpawnedRun& run, const SandboxRequest& request, const Cancellation& cancellation)
      : run_(run),
        request_(request),
        cancellation_(cancellation),
        seen_(request.limits.output_bytes),
        give_up_ns_(run.begun_ns + absl::ToInt64Nanoseconds(request.limits.wall) + kGraceNs) {}

  Observation Run() {
    while (!seen_.last.has_value() && !lost_) {
      Wait();
      if (cancellation_.cancelled()) Stop(CONCLAVE_CAUSE_CANCELLED);
      if (MonotonicNanoseconds() > give_up_ns_) break;
    }
    // The tree is dead, or given up: what it wrote before is in the pipes.
    ReadStream(run_.standard_output, &seen_.standard_output);
    ReadStream(run_.standard_error, &seen_.standard_error);
    ReadResult();
    return std::move(seen_);
  }

 private:
  enum Source { kChannel, kOutput, kError, kResult, kCancellation, kSources };

  void Wait() {
    // A negative descriptor is one that poll passes over.
    pollfd sources[kSources] = {};
    sources[kChannel] = {run_.channel.get(), static_cast<short>(POLLIN | (run_.unsent.empty() ? 0 : POLLOUT)), 0};
    sources[kOutput] = {run_.standard_output.get(), POLLIN, 0};
    sources[kError] = {run_.standard_error.get(), POLLIN, 0};
    sources[kResult] = {run_.result.get(), POLLIN, 0};
    sources[kCancellation] = {stopping_ ? -1 : cancellation_.descriptor(), POLLIN, 0};
    const int ready = ::poll(sources, kSources, kLongestWaitMs);
    if (ready == 0 || (ready < 0 && errno == EINTR)) return;
    if (ready < 0) {
      // Short of memory. All sources are non-blocking: looking at each, now and then, does as well.
      ::usleep(kBlindGapUs);
      for (pollfd& source : sources) source.revents = POLLIN;
    }
    if (sources[kOutput].revents != 0) ReadStream(run_.standard_output, &seen_.standard_output);
    if (sources[kError].revents != 0) ReadStream(run_.standard_error, &seen_.standard_error);
    if (sources[kResult].revents != 0) ReadResult();
    if ((sources[kChannel].revents & POLLOUT) != 0) SendRest();
    if ((sources[kChannel].revents & (POLLIN | POLLHUP | POLLERR)) != 0) ReadChannel();
  }

  // One read for each wait, so that a flood on one source does not starve the others; until it is empty at the end.
  void ReadStream(Descriptor& stream, Capture* capture) {
    while (stream.valid()) {
      const ssize_t count = ::read(stream.get(), buffer_, sizeof buffer_);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) {
        stream.Reset();
        return;
      }
      capture->Add(std::string_view(buffer_, static_cast<size_t>(count)));
      if (capture->total() > kOutputFlood * request_.limits.output_bytes) {
        stream.Reset();  // more would only be thrown away
        Stop(CONCLAVE_CAUSE_OUTPUT);
        return;
      }
      if (!seen_.last.has_value()) return;
    }
  }

  void ReadResult() {
    while (run_.result.valid()) {
      const ssize_t count = ::read(run_.result.get(), buffer_, sizeof buffer_);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) {
        run_.result.Reset();
        return;
      }
      const size_t room = static_cast<size_t>(request_.result_bytes) - seen_.result.size();
      seen_.result.append(buffer_, std::min(room, static_cast<size_t>(count)));
      if (static_cast<size_t>(count) > room) {
        seen_.result_overflow = true;
        run_.result.Reset();
        Stop(CONCLAVE_CAUSE_OUTPUT);
        return;
      }
      if (!seen_.last.has_value()) return;
    }
  }

  void SendRest() {
    const ssize_t sent = ::send(run_.channel.get(), run_.unsent.data(), run_.unsent.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) run_.unsent.erase(0, static_cast<size_t>(sent));
    if (sent < 0 && errno != EAGAIN && errno != EINTR) run_.unsent.clear();  // its end shows on the reading side
  }

  // Reads from the channel, and takes the descriptor that comes with the program's announcement.
  ssize_t Receive() {
    iovec part = {buffer_, sizeof buffer_};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr envelope = {};
    envelope.msg_iov = &part;
    envelope.msg_iovlen = 1;
    envelope.msg_control = control;
    envelope.msg_controllen = sizeof control;
    const ssize_t count = ::recvmsg(run_.channel.get(), &envelope, MSG_CMSG_CLOEXEC);
    const cmsghdr* const header = count > 0 ? CMSG_FIRSTHDR(&envelope) : nullptr;
    if (header != nullptr && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int))) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
      run_.program = Descriptor(descriptor);
    }
    return count;
  }

  void ReadChannel() {
    const ssize_t count = Receive();
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
      lost_ = true;
      return;
    }
    inbox_.append(buffer_, static_cast<size_t>(count));
    while (inbox_.size() >= sizeof(conclave_message) && !seen_.last.has_value()) {
      conclave_message message;
      std::memcpy(&message, inbox_.data(), sizeof message);
      inbox_.erase(0, sizeof message);
      Take(message);
    }
  }

  void Take(conclave_message& message) {
    if (message.version != CONCLAVE_WIRE_VERSION) {
      seen_.other_version = true;
      lost_ = true;
      return;
    }
    if (message.kind != CONCLAVE_MESSAGE_ENDED && message.kind != CONCLAVE_MESSAGE_STARTED)
      message.body.text[sizeof message.body.text - 1] = '\0';
    switch (message.kind) {
      case CONCLAVE_MESSAGE_PROGRAM: break;  // its descriptor is what counts
      case CONCLAVE_MESSAGE_LAYER: seen_.layers.push_back(LayerOf(message)); break;
      case CONCLAVE_MESSAGE_STARTED:
        seen_.started_ns = message.time_ns;
        seen_.step_us.assign(std::begin(message.body.step_us), std::end(message.body.step_us));
        give_up_ns_ = std::max(give_up_ns_, message.time_ns + absl::ToInt64Nanoseconds(request_.limits.wall) + kGraceNs);
        break;
      case CONCLAVE_MESSAGE_FAILED:
      case CONCLAVE_MESSAGE_ENDED: seen_.last = message; break;
      default: lost_ = true; break;
    }
  }

  // Asks the supervisor to end the run; the first wish counts, and the supervisor may know an earlier cause.
  void Stop(conclave_cause cause) {
    if (stopping_ || seen_.last.has_value()) return;
    stopping_ = true;
    const conclave_command command = {static_cast<uint32_t>(cause)};
    // A command within a policy would be read as part of it: then closing is the way to say stop.
    ssize_t sent = -1;
    while (run_.unsent.empty() && sent < 0) {
      sent = ::send(run_.channel.get(), &command, sizeof command, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EINTR) break;
    }
    if (sent != static_cast<ssize_t>(sizeof command)) {
      ::shutdown(run_.channel.get(), SHUT_WR);
    }
    give_up_ns_ = std::min(give_up_ns_, MonotonicNanoseconds() + kGraceNs);
  }

  SpawnedRun& run_;
  const SandboxRequest& request_;
  const Cancellation& cancellation_;
  Observation seen_;
  int64_t give_up_ns_;
  std::string inbox_;
  bool stopping_ = false;
  bool lost_ = false;
  char buffer_[64 << 10];
};

}  // namespace

Observation Supervise(SpawnedRun& run, const SandboxRequest& request, const Cancellation& cancellation) {
  return Watch(run, request, cancellation).Run();
}

}  // namespace conclave
