// The same interface on ONNX Runtime, to compare the two in one server: an .onnx file
// whose batch dimension is free. `make serve_onnx`; measure.py calls it.
#include <onnxruntime_c_api.h>

#include <array>
#include <stdexcept>

#include "model.h"

namespace {

constexpr int kMaxRows = 16;
const OrtApi* api = OrtGetApiBase()->GetApi(ORT_API_VERSION);

void Check(OrtStatus* status) {
  if (!status) return;
  const std::string message = api->GetErrorMessage(status);
  api->ReleaseStatus(status);
  throw std::runtime_error(message);
}

int Width(const OrtSession* session, bool input) {
  OrtTypeInfo* type;
  Check(input ? api->SessionGetInputTypeInfo(session, 0, &type)
              : api->SessionGetOutputTypeInfo(session, 0, &type));
  const OrtTensorTypeAndShapeInfo* tensor;
  Check(api->CastTypeInfoToTensorInfo(type, &tensor));
  std::array<int64_t, 2> dims{};
  Check(api->GetDimensions(tensor, dims.data(), 2));
  api->ReleaseTypeInfo(type);
  return static_cast<int>(dims[1]);
}

class OnnxModel : public Model {
 public:
  OnnxModel(const std::string& file, int threads) {
    OrtEnv* env;
    OrtSessionOptions* options;
    Check(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "serve", &env));
    Check(api->CreateSessionOptions(&options));
    Check(api->SetIntraOpNumThreads(options, threads));
    Check(api->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
    Check(api->CreateSession(env, file.c_str(), options, &session_));
    Check(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory_));
    in_width_ = Width(session_, true);
    out_width_ = Width(session_, false);
    max_rows_ = kMaxRows;
    in_.resize(kMaxRows * in_width_);
    out_.resize(kMaxRows * out_width_);
  }

  float* in() override { return in_.data(); }
  const float* out() override { return out_.data(); }

  std::string Run(int rows) override try {
    OrtValue* x = Matrix(in_, rows, in_width_);
    OrtValue* y = Matrix(out_, rows, out_width_);
    const char *in_name = "x", *out_name = "scores";
    OrtStatus* status = api->Run(session_, nullptr, &in_name, &x, 1, &out_name, 1, &y);
    api->ReleaseValue(x);
    api->ReleaseValue(y);
    Check(status);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }

 private:
  OrtValue* Matrix(std::vector<float>& data, int rows, int width) {
    const int64_t dims[] = {rows, width};
    OrtValue* value;
    Check(api->CreateTensorWithDataAsOrtValue(
        memory_, data.data(), sizeof(float) * rows * width, dims, 2,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
    return value;
  }

  OrtSession* session_;
  OrtMemoryInfo* memory_;
  std::vector<float> in_, out_;
};

}  // namespace

std::unique_ptr<Model> OpenModel(const std::vector<std::string>& files, int threads,
                                 std::string* error) try {
  return std::make_unique<OnnxModel>(files.at(0), threads);
} catch (const std::exception& failure) {
  *error = failure.what();
  return nullptr;
}
