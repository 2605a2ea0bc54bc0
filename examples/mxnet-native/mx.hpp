#pragma once

// MXNet's C API with owners for its handles. Only what this program uses is here.
//
// Every failure becomes an Error with MXNet's own message: a training program cannot continue after one, so it
// goes straight to the end of the program.

#include <cstdint>
#include <map>
#include <memory>
#include <mxnet/c_api.h>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mx {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws an Error if a call of the C API says that it failed.
void check(int status);

template <int (*release)(void*)>
struct Releaser {
  void operator()(void* handle) const { release(handle); }
};
template <int (*release)(void*)>
using Owner = std::unique_ptr<void, Releaser<release>>;

using Shape = std::vector<std::uint32_t>;
using Attributes = std::vector<std::pair<std::string, std::string>>;

// An array of floats in main memory. Copies of the numbers wait for the operations that still work on them.
class Array {
 public:
  explicit Array(const Shape& shape);
  explicit Array(NDArrayHandle owned) : handle_(owned) {}
  static Array zeros(const Shape& shape);

  [[nodiscard]] Shape shape() const;
  [[nodiscard]] std::vector<float> read() const;
  void write(std::span<const float> values);
  [[nodiscard]] NDArrayHandle get() const { return handle_.get(); }

 private:
  Owner<MXNDArrayFree> handle_;
};

// By name, as a file of saved parameters holds them.
using NamedArrays = std::map<std::string, Array>;
void save_arrays(const std::string& path, std::span<const std::string> names, std::span<const Array> arrays);
[[nodiscard]] NamedArrays load_arrays(const std::string& path);

// Runs an operator now, its result going to an array that exists.
void invoke(const char* op, std::span<const Array* const> inputs, const Array& output, const Attributes& attributes);

// A network, or a part of one.
class Symbol {
 public:
  static Symbol variable(const std::string& name);
  // An operator on an input. MXNet adds the operator's parameters as variables: NAME_weight, NAME_bias, NAME_label.
  static Symbol apply(const char* op, const std::string& name, const Attributes& attributes, const Symbol& input);
  static Symbol load(const std::string& path);
  void save(const std::string& path) const;

  // The variables in the order in which an Executor expects their arrays.
  [[nodiscard]] std::vector<std::string> arguments() const;
  // The shapes of all variables, in the same order, from that of one of them.
  [[nodiscard]] std::vector<Shape> infer_shapes(const std::string& known, const Shape& shape) const;
  [[nodiscard]] SymbolHandle get() const { return handle_.get(); }

 private:
  explicit Symbol(SymbolHandle owned) : handle_(owned) {}
  Owner<MXSymbolFree> handle_;
};

// A variable of a network bound to an array; without a gradient it is an input that is not learned.
struct Binding {
  const Array* value;
  const Array* gradient;
};

// A network bound to its arrays, ready to run.
class Executor {
 public:
  // One binding for each of symbol.arguments(); the arrays must outlive the executor.
  Executor(const Symbol& symbol, std::span<const Binding> bindings);
  void forward_for_training() { forward(1); }
  void forward_for_inference() { forward(0); }
  void backward();
  [[nodiscard]] const Array& output() const { return outputs_.front(); }

 private:
  void forward(int is_train);
  Owner<MXExecutorFree> handle_;
  std::vector<Array> outputs_;
};

}  // namespace mx
