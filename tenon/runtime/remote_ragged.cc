// RemoteCollective of a ragged_all_to_all. In the first step every process tells the
// others which parts its devices send, in the second one it sends their rows.
#include <cstring>
#include <utility>

#include "tenon/runtime/ragged_all_to_all.h"
#include "tenon/runtime/remote_collective.h"

namespace tenon::runtime {

template <typename F>
void RemoteCollective::ForPartsBetween(size_t from, size_t to, const F& f) {
  for (size_t sender : positions_[from]) {
    const size_t count = senders_[sender].parts.size() / members_.size();
    for (size_t receiver : positions_[to]) {
      for (size_t i = receiver * count; i < (receiver + 1) * count; ++i) {
        f(senders_[sender], i, senders_[sender].parts[i].rows * RaggedRowBytes(site_));
      }
    }
  }
}

StatusOr<RemoteCollective::Messages> RemoteCollective::RaggedSizes() {
  senders_.resize(members_.size());
  const int64_t row_bytes = RaggedRowBytes(site_);
  for (size_t position : positions_[own()]) {
    RaggedSender& sender = senders_[position];
    TENON_ASSIGN_OR_RETURN(sender.parts, RaggedParts(site_, members_[position]));
    sender.rows = static_cast<const char*>(members_[position].inputs[0]);
    for (const RaggedPart& part : sender.parts) {
      sender.starts.push_back(part.input_row * row_bytes);
    }
  }
  const size_t bytes = senders_[positions_[own()][0]].parts.size() * sizeof(RaggedPart);
  Messages messages;
  for (size_t p = 0; p < processes_.size(); ++p) {
    if (p == own()) continue;
    AlignedBytes data(bytes * positions_[own()].size());
    char* to = data.data();
    for (size_t position : positions_[own()]) {
      std::memcpy(to, senders_[position].parts.data(), bytes);
      to += bytes;
    }
    messages.send.push_back({processes_[p], std::move(data)});
    messages.receive.push_back({processes_[p], bytes * positions_[p].size()});
  }
  return messages;
}

Status RemoteCollective::TakeRaggedSizes(const std::vector<AlignedBytes>& received,
                                         Messages* next) {
  const size_t count = senders_[positions_[own()][0]].parts.size();
  for (size_t p = 0, message = 0; p < processes_.size(); ++p) {
    if (p == own()) continue;
    const char* from = received[message++].data();
    for (size_t position : positions_[p]) {
      RaggedSender& sender = senders_[position];
      sender.parts.resize(count);
      sender.starts.resize(count);
      std::memcpy(sender.parts.data(), from, count * sizeof(RaggedPart));
      from += count * sizeof(RaggedPart);
      TENON_RETURN_IF_ERROR(CheckRaggedParts(site_, sender.parts));
    }
  }
  for (size_t p = 0; p < processes_.size(); ++p) {
    if (p == own()) continue;
    int64_t to_send = 0, to_receive = 0;
    ForPartsBetween(own(), p,
                    [&](RaggedSender&, size_t, int64_t bytes) { to_send += bytes; });
    ForPartsBetween(p, own(),
                    [&](RaggedSender&, size_t, int64_t bytes) { to_receive += bytes; });
    if (to_send) {
      AlignedBytes data(static_cast<size_t>(to_send));
      char* to = data.data();
      ForPartsBetween(own(), p, [&](RaggedSender& sender, size_t i, int64_t bytes) {
        if (bytes) {
          std::memcpy(to, sender.rows + sender.starts[i], static_cast<size_t>(bytes));
        }
        to += bytes;
      });
      next->send.push_back({processes_[p], std::move(data)});
    }
    if (to_receive) {
      next->receive.push_back({processes_[p], static_cast<size_t>(to_receive)});
    }
  }
  return OkStatus();
}

void RemoteCollective::TakeRaggedRows(const std::vector<AlignedBytes>& received,
                                      const ParallelChunks& parallel) {
  for (size_t p = 0, message = 0; p < processes_.size(); ++p) {
    if (p == own()) continue;
    int64_t size = 0;
    ForPartsBetween(p, own(), [&](RaggedSender& sender, size_t i, int64_t bytes) {
      sender.starts[i] = size;
      size += bytes;
    });
    if (!size) continue;
    const char* rows = received[message++].data();
    for (size_t position : positions_[p]) senders_[position].rows = rows;
  }
  WriteRaggedResults(site_, members_, senders_, parallel);
}

}  // namespace tenon::runtime
