// The weights of an open program: parameters whose values come with the program, inside
// its file or in a safetensors file beside it.
//
// Owned by a tenon_program; immutable once read.
#ifndef TENON_EMBED_WEIGHTS_H_
#define TENON_EMBED_WEIGHTS_H_

#include <cstdint>

#include "tenon/embed/array.h"
#include "tenon/embed/error.h"
#include "tenon/embed/mapping.h"
#include "tenon/executable/run_context.h"
#include "tenon/format/reader.h"

namespace tenon::embed {

struct Source;

class Weights {
 public:
  Weights() = default;
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;
  ~Weights();

  // Finds the values of all weights, and divides the parameters in `signature` into
  // inputs and weights. Aliases of `outputs` then name inputs. Does nothing for a program
  // without weights. 0 or an error code.
  int Read(const format::Frame& frame, const Source& source,
           const Array<tenon_tensor>& parameters, const Array<tenon_tensor>& outputs,
           tenon_signature* signature, tenon_error* error);

  // The parameter that input i is.
  size_t InputParameter(size_t i) const {
    return input_parameters_.size() ? input_parameters_[i] : i;
  }
  // Sets the buffers of those parameters that are weights.
  void Bind(RunBuffer* parameters) const {
    for (const Bound& weight : bound_.All())
      parameters[weight.parameter] = {const_cast<char*>(weight.value), nullptr};
  }

 private:
  struct Bound {
    uint32_t parameter;
    uint64_t size, hash;
    std::string_view tensor;  // its name in the safetensors file
    const char* value;        // null until it is found
  };
  class Finder;

  int ReadList(const format::Records& records, format::Table table,
               const Array<tenon_tensor>& parameters, tenon_error* error);
  int FindInside(const format::Frame& frame, const format::Records& records,
                 format::Table table, tenon_error* error);
  int FindInFile(const char* name, const Source& source,
                 const Array<tenon_tensor>& parameters, tenon_error* error);
  int CopyUnaligned(tenon_error* error);
  int CheckHashes(tenon_error* error) const;
  int Divide(const Array<tenon_tensor>& parameters, const Array<tenon_tensor>& outputs,
             tenon_signature* signature, tenon_error* error);

  FileMapping file_;
  char* copies_ = nullptr;  // of values that are not aligned
  Array<Bound> bound_;      // in the order of the tensors' names
  Array<bool> is_weight_;   // of each parameter
  Array<tenon_tensor> inputs_, weights_;
  Array<uint32_t> input_parameters_;
};

}  // namespace tenon::embed

#endif  // TENON_EMBED_WEIGHTS_H_
