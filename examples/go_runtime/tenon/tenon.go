// Package tenon runs programs that tenon-compile has compiled, through libtenon_runtime.
package tenon

/*
#cgo pkg-config: tenon-runtime
#include <stdlib.h>
#include <string.h>
#include <tenon/runtime.h>

static void *allocate(size_t bytes) { return aligned_alloc(64, (bytes + 64) / 64 * 64); }
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// Program is an open .tenon file of f32 inputs and outputs. Not for several goroutines at a time:
// it has one array for each input and output.
type Program struct {
	file            unsafe.Pointer
	program         *C.tenon_program
	inputs, outputs []array
	table           *unsafe.Pointer // addresses of the inputs, then of the outputs
}

// An array in C memory: Go's garbage collector may move its own.
type array struct {
	name   string
	dims   []int64
	values []float32
}

// Open opens the bytes of a .tenon file, which it copies.
func Open(file []byte) (*Program, error) {
	if len(file) == 0 {
		return nil, errors.New("the file is empty")
	}
	p := &Program{file: C.allocate(C.size_t(len(file)))}
	runtime.SetFinalizer(p, (*Program).Close)
	copy(unsafe.Slice((*byte)(p.file), len(file)), file)
	var failure C.tenon_error
	if C.tenon_program_open_memory(p.file, C.size_t(len(file)), nil, &p.program, &failure) != 0 {
		return nil, errors.New(C.GoString(&failure.message[0]))
	}
	signature := C.tenon_program_signature(p.program)
	count := int(signature.num_inputs + signature.num_outputs)
	p.table = (*unsafe.Pointer)(C.calloc(C.size_t(count)+1, C.size_t(unsafe.Sizeof(uintptr(0)))))
	addresses := unsafe.Slice(p.table, count)
	for _, tensor := range unsafe.Slice(signature.inputs, signature.num_inputs) {
		if err := p.add(&p.inputs, tensor, addresses); err != nil {
			return nil, err
		}
	}
	for _, tensor := range unsafe.Slice(signature.outputs, signature.num_outputs) {
		if err := p.add(&p.outputs, tensor, addresses); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Program) add(to *[]array, tensor C.tenon_tensor, addresses []unsafe.Pointer) error {
	name := C.GoString(tensor.name)
	if tensor._type != C.TENON_F32 {
		return fmt.Errorf("%q is not f32", name)
	}
	memory := C.allocate(tensor.bytes)
	C.memset(memory, 0, tensor.bytes)
	addresses[len(p.inputs)+len(p.outputs)] = memory
	dims := make([]int64, tensor.rank)
	for i := range dims {
		dims[i] = int64(unsafe.Slice(tensor.dims, tensor.rank)[i])
	}
	*to = append(*to, array{name, dims, unsafe.Slice((*float32)(memory), tensor.bytes/4)})
	return nil
}

// Input is the memory of input i: write it before Run.
func (p *Program) Input(i int) []float32 { return p.inputs[i].values }

// Output is the memory of output i: read it after Run.
func (p *Program) Output(i int) []float32 { return p.outputs[i].values }

// Signature says what the program takes and gives.
func (p *Program) Signature() string {
	text := ""
	for _, a := range p.inputs {
		text += fmt.Sprintf("%s f32%v ", a.name, a.dims)
	}
	text += "->"
	for _, a := range p.outputs {
		text += fmt.Sprintf(" %s f32%v", a.name, a.dims)
	}
	return text
}

// Run computes the outputs from the inputs.
func (p *Program) Run() error {
	addresses := unsafe.Slice(p.table, len(p.inputs)+len(p.outputs)+1)
	var failure C.tenon_error
	if C.tenon_program_run(p.program, nil, &addresses[0], &addresses[len(p.inputs)], nil,
		&failure) != 0 {
		return errors.New(C.GoString(&failure.message[0]))
	}
	return nil
}

// Close frees the program and its arrays. It does nothing the second time.
func (p *Program) Close() {
	C.tenon_program_close(p.program)
	if p.table != nil {
		for _, address := range unsafe.Slice(p.table, len(p.inputs)+len(p.outputs)) {
			C.free(address)
		}
	}
	C.free(unsafe.Pointer(p.table))
	C.free(p.file)
	*p = Program{}
}
