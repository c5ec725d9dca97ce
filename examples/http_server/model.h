// A network that the server calls: rows of f32 in, rows of f32 out.
#ifndef EXAMPLES_HTTP_SERVER_MODEL_H_
#define EXAMPLES_HTTP_SERVER_MODEL_H_

#include <memory>
#include <string>
#include <vector>

class Model {
 public:
  virtual ~Model() = default;

  int in_width() const { return in_width_; }
  int out_width() const { return out_width_; }
  int max_rows() const { return max_rows_; }

  // Memory for max_rows() rows, in and out. One call of Run at a time.
  virtual float* in() = 0;
  virtual const float* out() = 0;
  // Computes the first `rows` rows of out() from those of in(). "" or what failed.
  virtual std::string Run(int rows) = 0;

 protected:
  int in_width_ = 0, out_width_ = 0, max_rows_ = 0;
};

// Null, with the reason in *error, if files do not have a network of this form.
std::unique_ptr<Model> OpenModel(const std::vector<std::string>& files, int threads,
                                 std::string* error);

#endif  // EXAMPLES_HTTP_SERVER_MODEL_H_
