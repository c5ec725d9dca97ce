// A custom call of a loaded executable: its handlers, decoded attributes and state.
//
// Immutable after creation, so that executions on several threads can share it.
#ifndef TENON_FFI_CALL_SITE_H_
#define TENON_FFI_CALL_SITE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"
#include "tenon/executable/run_context.h"
#include "tenon/ffi/abi.h"
#include "tenon/ffi/api.h"
#include "tenon/ffi/attributes.h"
#include "tenon/ffi/known_targets.h"

namespace tenon::ffi {

// Attributes in the layout that handlers read. Owns everything it points to. Not movable,
// because the layout has pointers into the object.
class AttributeTable {
 public:
  explicit AttributeTable(std::vector<Attribute> attributes);
  AttributeTable(const AttributeTable&) = delete;
  AttributeTable& operator=(const AttributeTable&) = delete;

  const AttributeList& list() const { return list_; }

 private:
  std::vector<Attribute> attributes_;
  std::vector<AttributeTag> tags_;
  std::vector<ByteSpan> names_;
  std::vector<ByteSpan*> name_pointers_;
  std::vector<ScalarValue> scalars_;
  std::vector<ArrayValue> arrays_;
  std::vector<ByteSpan> strings_;
  std::vector<std::unique_ptr<AttributeTable>> dictionaries_;
  std::vector<AttributeList> dictionary_lists_;
  std::vector<void*> values_;
  AttributeList list_ = {};
};

// The states that the stages of one call site create in one run. They live from the
// site's first call in the run to its last.
struct RunStates {
  bool ready = false;  // whether the stages before kExecute are done
  StageState prepare;
  StageState initialize;
};

class CallSite {
 public:
  // Looks up the handlers for `platform` and runs the instantiate stage. UNIMPLEMENTED if
  // the target is not registered.
  static StatusOr<std::unique_ptr<CallSite>> Create(const ImageFfiCall& call,
                                                    std::string_view platform);

  // Calls the handler and blocks until it is done. The buffers are in the order of the
  // call's operands and results, without tokens. The first call of a run also runs the
  // prepare and initialize stages. Errors name the target. The buffers are row-major;
  // Call transposes those that the custom call expects in another layout.
  Status Call(const RunBuffer* args, const RunBuffer* results,
              CallEnvironment& environment, RunStates& states) const;

  // Whether Execute must wait for the end of the program (kSynchronousTrait).
  bool synchronous() const { return synchronous_; }
  // Whether a call may wait for something outside of the program.
  bool may_block() const { return !OnlyComputes(target_); }

 private:
  struct Tensor {
    int32_t dtype;
    std::vector<int64_t> dims;
    bool is_pred;
    bool is_token;
    int64_t element_bytes;
    std::vector<int64_t> minor_to_major;  // empty: row-major
  };
  class Transposed;
  CallSite() = default;
  static std::vector<Tensor> Tensors(const std::vector<ImageTensor>& tensors);
  static std::vector<RunBuffer> WithTokens(const std::vector<Tensor>& tensors,
                                           const RunBuffer* buffers);
  static void NormalizePreds(const std::vector<Tensor>& tensors,
                             const RunBuffer* buffers);
  Status RunStage(Handler* handler, Stage stage, CallContext& context,
                  const BufferList& args, const BufferList& results) const;

  std::string target_;
  HandlerBundle handlers_ = {};
  bool synchronous_ = false;
  int api_minor_ = kApiMinor;
  std::vector<Tensor> operands_;
  std::vector<Tensor> results_;
  std::unique_ptr<AttributeTable> attributes_;
  // Handlers get a mutable pointer to it, but only the instantiate stage can set it.
  std::unique_ptr<StageState> instantiate_state_ = std::make_unique<StageState>();
};

}  // namespace tenon::ffi

#endif  // TENON_FFI_CALL_SITE_H_
