#include "mx.hpp"

#include <functional>
#include <nnvm/c_api.h>
#include <numeric>

namespace mx {
namespace {

constexpr int kCpu = 1;  // mshadow's cpu::kDevMask
constexpr int kFirstDevice = 0;
constexpr int kAllocateNow = 0;

AtomicSymbolCreator find_operator(const char* name) {
  OpHandle op = nullptr;
  check(NNGetOpHandle(name, &op));
  return op;
}

// The C API takes attributes as two lists of C strings, which live as long as the attributes.
struct AttributeLists {
  explicit AttributeLists(const Attributes& attributes) {
    for (const auto& [key, value] : attributes) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
  }
  std::vector<const char*> keys;
  std::vector<const char*> values;
};

std::size_t count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

}  // namespace

void check(int status) {
  if (status != 0) throw Error(MXGetLastError());
}

Array::Array(const Shape& shape) {
  NDArrayHandle handle = nullptr;
  check(MXNDArrayCreate(shape.data(), static_cast<std::uint32_t>(shape.size()), kCpu, kFirstDevice, kAllocateNow,
                        &handle));
  handle_.reset(handle);
}

Array Array::zeros(const Shape& shape) {
  Array array(shape);
  array.write(std::vector<float>(count(shape)));
  return array;
}

Shape Array::shape() const {
  std::uint32_t dimensions = 0;
  const std::uint32_t* sizes = nullptr;
  check(MXNDArrayGetShape(get(), &dimensions, &sizes));
  return {sizes, sizes + dimensions};
}

std::vector<float> Array::read() const {
  std::vector<float> values(count(shape()));
  check(MXNDArraySyncCopyToCPU(get(), values.data(), values.size()));
  return values;
}

void Array::write(std::span<const float> values) {
  check(MXNDArraySyncCopyFromCPU(get(), values.data(), values.size()));
}

void save_arrays(const std::string& path, std::span<const std::string> names, std::span<const Array> arrays) {
  std::vector<const char*> keys;
  std::vector<NDArrayHandle> handles;
  for (const std::string& name : names) keys.push_back(name.c_str());
  for (const Array& array : arrays) handles.push_back(array.get());
  check(MXNDArraySave(path.c_str(), static_cast<std::uint32_t>(handles.size()), handles.data(), keys.data()));
}

NamedArrays load_arrays(const std::string& path) {
  std::uint32_t size = 0;
  std::uint32_t name_count = 0;
  NDArrayHandle* handles = nullptr;
  const char** names = nullptr;
  check(MXNDArrayLoad(path.c_str(), &size, &handles, &name_count, &names));
  std::vector<Array> owned(handles, handles + size);
  if (name_count != size) throw Error(path + " holds arrays without names: it is not a saved model");
  NamedArrays arrays;
  for (std::uint32_t i = 0; i < size; ++i) arrays.emplace(names[i], std::move(owned[i]));
  return arrays;
}

void invoke(const char* op, std::span<const Array* const> inputs, const Array& output, const Attributes& attributes) {
  std::vector<NDArrayHandle> handles;
  for (const Array* input : inputs) handles.push_back(input->get());
  int output_count = 1;
  NDArrayHandle result = output.get();
  NDArrayHandle* results = &result;
  AttributeLists lists(attributes);
  check(MXImperativeInvoke(find_operator(op), static_cast<int>(handles.size()), handles.data(), &output_count, &results,
                           static_cast<int>(lists.keys.size()), lists.keys.data(), lists.values.data()));
}

Symbol Symbol::variable(const std::string& name) {
  SymbolHandle handle = nullptr;
  check(MXSymbolCreateVariable(name.c_str(), &handle));
  return Symbol(handle);
}

Symbol Symbol::apply(const char* op, const std::string& name, const Attributes& attributes, const Symbol& input) {
  AttributeLists lists(attributes);
  SymbolHandle handle = nullptr;
  check(MXSymbolCreateAtomicSymbol(find_operator(op), static_cast<std::uint32_t>(lists.keys.size()), lists.keys.data(),
                                   lists.values.data(), &handle));
  Symbol symbol(handle);
  SymbolHandle inputs[] = {input.get()};
  check(MXSymbolCompose(symbol.get(), name.c_str(), 1, nullptr, inputs));
  return symbol;
}

Symbol Symbol::load(const std::string& path) {
  SymbolHandle handle = nullptr;
  check(MXSymbolCreateFromFile(path.c_str(), &handle));
  return Symbol(handle);
}

void Symbol::save(const std::string& path) const {
  check(MXSymbolSaveToFile(get(), path.c_str()));
}

std::vector<std::string> Symbol::arguments() const {
  std::uint32_t size = 0;
  const char** names = nullptr;
  check(MXSymbolListArguments(get(), &size, &names));
  return {names, names + size};
}

std::vector<Shape> Symbol::infer_shapes(const std::string& known, const Shape& shape) const {
  const char* keys[] = {known.c_str()};
  const std::uint32_t bounds[] = {0, static_cast<std::uint32_t>(shape.size())};
  struct Shapes {
    std::uint32_t size = 0;
    const std::uint32_t* dimensions = nullptr;
    const std::uint32_t** data = nullptr;
  } in, out, auxiliary;
  int complete = 0;
  check(MXSymbolInferShape(get(), 1, keys, bounds, shape.data(), &in.size, &in.dimensions, &in.data, &out.size,
                           &out.dimensions, &out.data, &auxiliary.size, &auxiliary.dimensions, &auxiliary.data,
                           &complete));
  if (complete == 0) throw Error("the shape of '" + known + "' does not decide the shapes of the whole network");
  std::vector<Shape> shapes;
  for (std::uint32_t i = 0; i < in.size; ++i) shapes.emplace_back(in.data[i], in.data[i] + in.dimensions[i]);
  return shapes;
}

Executor::Executor(const Symbol& symbol, std::span<const Binding> bindings) {
  enum GradientRequest : std::uint32_t { kNone = 0, kWrite = 1 };  // mxnet::OpReqType
  std::vector<NDArrayHandle> values;
  std::vector<NDArrayHandle> gradients;
  std::vector<std::uint32_t> requests;
  for (const Binding& binding : bindings) {
    values.push_back(binding.value->get());
    gradients.push_back(binding.gradient != nullptr ? binding.gradient->get() : nullptr);
    requests.push_back(binding.gradient != nullptr ? kWrite : kNone);
  }
  ExecutorHandle handle = nullptr;
  check(MXExecutorBind(symbol.get(), kCpu, kFirstDevice, static_cast<std::uint32_t>(values.size()), values.data(),
                       gradients.data(), requests.data(), 0, nullptr, &handle));
  handle_.reset(handle);
  std::uint32_t output_count = 0;
  NDArrayHandle* outputs = nullptr;
  check(MXExecutorOutputs(handle, &output_count, &outputs));
  for (NDArrayHandle output : std::span(outputs, output_count)) outputs_.emplace_back(output);
}

void Executor::forward(int is_train) {
  check(MXExecutorForward(handle_.get(), is_train));
}

// SoftmaxOutput has its own loss: there are no gradients to begin with.
void Executor::backward() {
  check(MXExecutorBackward(handle_.get(), 0, nullptr));
}

}  // namespace mx
