#include "tenon/executable/weights.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tenon/executable/testing.h"
#include "tenon/format/testing.h"

namespace tenon {
namespace {

std::string PathOf(const std::string& name) { return ::testing::TempDir() + "/" + name; }

std::unique_ptr<TensorFile> FileOf(const std::string& bytes) {
  const std::string path = PathOf("weights_test.safetensors");
  std::ofstream(path, std::ios::binary) << bytes;
  auto file = TensorFile::Open(path);
  EXPECT_TRUE(file.ok()) << file.status().ToString();
  std::remove(path.c_str());
  return *std::move(file);
}

std::unique_ptr<TensorFile> SomeFile() {
  return FileOf(format::Safetensors(
      R"({"dense.bias":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},)"
      R"("dense.kernel":{"dtype":"F32","shape":[2,3],"data_offsets":[12,36]},)"
      R"("mask":{"dtype":"BOOL","shape":[2],"data_offsets":[36,38]}})",
      std::string(36, 'v') + std::string("\0\1", 2), 8));
}

ExecutableInfo SomeProgram() {
  ExecutableInfo info;
  info.parameters = {testing::TensorOf(ElementType::kF32, {4, 2}),
                     testing::TensorOf(ElementType::kF32, {3}),
                     testing::TensorOf(ElementType::kF32, {2, 3})};
  info.parameters[0].name = "x";
  info.parameters[1].name = "params['dense']['bias']";
  info.parameters[2].name = "params['dense']['kernel']";
  return info;
}

// "parameter=tensor" for each weight, or the error.
std::string Find(const ExecutableInfo& program, const TensorFile& file,
                 const std::vector<std::string>& bindings = {}) {
  const auto weights = FindWeights(program, file, bindings);
  if (!weights.ok()) return std::string(weights.status().message());
  std::string text;
  for (const ImageWeight& weight : *weights)
    text += std::to_string(weight.parameter) + "=" + weight.tensor + " ";
  return text;
}

TEST(WeightsTest, ParametersAreFoundByTheirNames) {
  const auto file = SomeFile();
  ExecutableInfo program = SomeProgram();
  EXPECT_EQ(Find(program, *file), "1=dense.bias 2=dense.kernel ");
  program.parameters[1].name = "dense/bias";
  program.parameters[2].name = "other";
  EXPECT_EQ(Find(program, *file), "1=dense.bias ");
  EXPECT_EQ(Find(program, *file, {"2=dense.kernel"}), "2=dense.kernel 1=dense.bias ");
  EXPECT_EQ(Find(program, *file, {"other=dense.kernel"}), "2=dense.kernel 1=dense.bias ");
}

TEST(WeightsTest, SaysWhatDoesNotFit) {
  const auto file = SomeFile();
  const std::string path = file->path();
  ExecutableInfo program = SomeProgram();
  EXPECT_EQ(Find(program, *file, {"x"}), "'x' is not of the form PARAMETER=TENSOR");
  EXPECT_EQ(Find(program, *file, {"7=mask"}), "the program has no parameter 7; it has 3");
  EXPECT_EQ(Find(program, *file, {"y=mask"}),
            "the program has no parameter 'y'; it has x, params['dense']['bias'], "
            "params['dense']['kernel']");
  EXPECT_EQ(Find(program, *file, {"x=y"}), "'" + path + "' has no tensor 'y'");
  EXPECT_EQ(Find(program, *file, {"1=dense.bias", "1=dense.bias"}),
            "parameter 1 (params['dense']['bias']) is bound to two tensors");
  EXPECT_EQ(Find(program, *file, {"x=mask"}),
            "tensor 'mask' of '" + path + "' is i1[2], but parameter 0 (x) is f32[4,2]");
  program.aliases = {{.result = 0, .parameter = 1, .must = true}};
  EXPECT_EQ(Find(program, *file),
            "parameter 1 (params['dense']['bias']) cannot be a weight: it is updated in "
            "place");
  program = SomeProgram();
  program.parameters[2].minor_to_major = {0, 1};
  EXPECT_EQ(Find(program, *file),
            "parameter 2 (params['dense']['kernel']) cannot be a weight: its layout is "
            "not row-major");
  program = SomeProgram();
  program.num_partitions = 2;
  EXPECT_EQ(Find(program, *file),
            "programs for several devices cannot have weights in a file");
  for (ImageTensor& parameter : program.parameters) parameter.name = "";
  program.num_partitions = 1;
  EXPECT_EQ(Find(program, *file),
            "no tensor of '" + path +
                "' has the name of a parameter, because the parameters have no names; "
                "bind weights as PARAMETER=TENSOR");
}

TEST(WeightsTest, AmbiguousNamesAreRefused) {
  const auto file = FileOf(
      format::Safetensors(R"({"a.b":{"dtype":"U8","shape":[],"data_offsets":[0,1]},)"
                          R"("a/b":{"dtype":"U8","shape":[],"data_offsets":[1,2]}})",
                          "12"));
  ExecutableInfo program;
  program.parameters = {testing::TensorOf(ElementType::kU8, {})};
  program.parameters[0].name = "p.a.b";
  EXPECT_EQ(Find(program, *file),
            "the tensors 'a.b' and 'a/b' both fit 'p.a.b'; bind one as PARAMETER=TENSOR");
  EXPECT_EQ(Find(program, *file, {"p.a.b=a/b"}), "0=a/b ");
}

TEST(WeightsTest, FilesAreWrittenWithAlignment) {
  std::string data;
  for (int i = 0; i < 8 + 64 + 128; ++i) data += static_cast<char>(i);
  const auto file = FileOf(format::Safetensors(
      R"({"__metadata__":{"format":"pt"},)"
      R"("odd \"name\"":{"dtype":"F4","shape":[16],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"F32","shape":[16],"data_offsets":[8,72]},)"
      R"("c":{"dtype":"U8","shape":[128],"data_offsets":[72,200]}})",
      data, 8));
  const std::string path = PathOf("aligned.safetensors");
  ASSERT_TRUE(file->WriteAligned(path).ok());
  const auto aligned = TensorFile::Open(path);
  ASSERT_TRUE(aligned.ok());
  ASSERT_EQ((*aligned)->tensors().size(), 3u);
  for (const TensorFile::Tensor& tensor : file->tensors()) {
    bool found = false;
    for (const TensorFile::Tensor& other : (*aligned)->tensors()) {
      if (other.name != tensor.name) continue;
      found = true;
      EXPECT_EQ(other.value, tensor.value);
      EXPECT_EQ(other.dims, tensor.dims);
      EXPECT_EQ(other.dtype, tensor.dtype);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(other.value.data()) % 64, 0u);
    }
    EXPECT_TRUE(found) << tensor.name;
  }
  std::stringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  EXPECT_NE(bytes.str().find(R"({"__metadata__":{"format":"pt"},)"), std::string::npos);
  EXPECT_EQ(file->WriteAligned("/no/such/folder/w").message(),
            "cannot write the weights to '/no/such/folder/w'");
  std::remove(path.c_str());
}

TEST(WeightsTest, FilesThatCannotBeReadAreRefused) {
  EXPECT_EQ(TensorFile::Open("/no/such/file").status().message(),
            "cannot read '/no/such/file': No such file or directory");
  EXPECT_EQ(TensorFile::Open("/").status().message(),
            "cannot read '/': it is empty or no file");
  const std::string path = PathOf("bad.safetensors");
  std::ofstream(path) << "no such thing";
  const Status status = TensorFile::Open(path).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_EQ(status.message(),
            "cannot read '" + path + "': the file is no safetensors file");
  std::remove(path.c_str());
}

// PJRT passes weights as arguments.
TEST(WeightsTest, ImagesKeepAllParameters) {
  Image image = testing::ImageOf(nullptr);
  image.info.parameters = {testing::TensorOf(ElementType::kF32, {16})};
  const std::string value(64, 'v');
  for (const char* file : {"", "w.safetensors"}) {
    const ImageWeights weights{.file = file, .weights = {{0, "w", value}}};
    const auto read = Image::Deserialize(image.Serialize({.weights = &weights}));
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(read->info.parameters.size(), 1u);
  }
}

}  // namespace
}  // namespace tenon
