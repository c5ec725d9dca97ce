"""The few calls of OpenCL that run a kernel of a SPIR-V module."""
import ctypes
import os
import pathlib

VENDORS = pathlib.Path(__file__).resolve().parents[2] / "build" / "opencl" / "vendors"
_READ_WRITE_COPY = 1 | 32  # CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR
_ALL_DEVICES = 0xFFFFFFFF
_BUILD_LOG = 0x1183


class Device:
    """The first device of the first platform; OSError if there is none."""

    def __init__(self):
        if VENDORS.exists():
            os.environ.setdefault("OCL_ICD_VENDORS", str(VENDORS))
        self.cl = ctypes.CDLL("libOpenCL.so.1")
        for name in ("clCreateContext", "clCreateCommandQueueWithProperties", "clCreateBuffer",
                     "clCreateProgramWithIL", "clCreateKernel"):
            getattr(self.cl, name).restype = ctypes.c_void_p
        platform, self.device = ctypes.c_void_p(), ctypes.c_void_p()
        if self.cl.clGetPlatformIDs(1, ctypes.byref(platform), None) != 0:
            raise OSError("no OpenCL platform")
        if self.cl.clGetDeviceIDs(platform, ctypes.c_ulong(_ALL_DEVICES), 1,
                                  ctypes.byref(self.device), None) != 0:
            raise OSError("no OpenCL device")
        self.context = self._make("clCreateContext", None, 1, ctypes.byref(self.device), None,
                                  None)
        self.queue = self._make("clCreateCommandQueueWithProperties", self.context, self.device,
                                None)

    def _make(self, name, *arguments):
        error = ctypes.c_int()
        result = getattr(self.cl, name)(*arguments, ctypes.byref(error))
        assert error.value == 0, f"{name}: {error.value}"
        return ctypes.c_void_p(result)

    def build(self, binary, options=""):
        program = self._make("clCreateProgramWithIL", self.context, binary,
                             ctypes.c_size_t(len(binary)))
        if self.cl.clBuildProgram(program, 1, ctypes.byref(self.device), options.encode(), None,
                                  None) != 0:
            log = ctypes.create_string_buffer(1 << 16)
            self.cl.clGetProgramBuildInfo(program, self.device, _BUILD_LOG,
                                          ctypes.c_size_t(len(log)), log, None)
            raise RuntimeError(log.value.decode())
        return program

    def run(self, program, kernel, arrays, items, group=0):
        """Runs the kernel on NumPy arrays, which it may change."""
        kernel = self._make("clCreateKernel", program, kernel.encode())
        buffers = []
        for i, array in enumerate(arrays):
            buffers.append(self._make("clCreateBuffer", self.context,
                                      ctypes.c_ulong(_READ_WRITE_COPY),
                                      ctypes.c_size_t(array.nbytes),
                                      ctypes.c_void_p(array.ctypes.data)))
            assert self.cl.clSetKernelArg(kernel, i, ctypes.c_size_t(8),
                                          ctypes.byref(buffers[-1])) == 0
        items, group = ctypes.c_size_t(items), ctypes.c_size_t(group)
        assert self.cl.clEnqueueNDRangeKernel(
            self.queue, kernel, 1, None, ctypes.byref(items),
            ctypes.byref(group) if group.value else None, 0, None, None) == 0
        for array, buffer in zip(arrays, buffers):
            assert self.cl.clEnqueueReadBuffer(
                self.queue, buffer, 1, ctypes.c_size_t(0), ctypes.c_size_t(array.nbytes),
                ctypes.c_void_p(array.ctypes.data), 0, None, None) == 0
            self.cl.clReleaseMemObject(buffer)
        self.cl.clReleaseKernel(kernel)
