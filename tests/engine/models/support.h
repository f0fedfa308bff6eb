// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/nn/probe.h"
#include "engine/weights/weights.h"

/// The weights and inputs of the specification's golden tests, which formulas define, and comparisons.
namespace denoir::test {

/// Value number `i` of the tensor `name`, in [-1, 1) (spec/vae21.md 6).
double named_value(std::string_view name, std::uint64_t i);
/// Value number `i` of tensor number `n`, in [-0.5, 0.5) (spec/dit.md 11).
double numbered_value(std::uint32_t n, std::uint64_t i);

Tensor named_tensor(std::string_view name, const Shape& shape);
/// Four times these values, as the inputs of dit.md 11 are.
Tensor numbered_tensor(std::uint32_t n, const Shape& shape);

using Fill = std::function<double(const std::string& name, const Shape& shape, std::size_t number, std::uint64_t i)>;
/// Weights in memory. `number` counts the names in the order of their bytes.
std::shared_ptr<const Weights> filled(Component component, const std::map<std::string, Shape>& tensors, Json config,
                                      const Fill& fill);
/// The formula of spec/dit.md 11.
double fill_transformer(const std::string& name, const Shape& shape, std::size_t number, std::uint64_t i);

/// max|a - b| / max|b|, or infinite if a value is not finite.
double relative_error(const Tensor& got, const Tensor& want);
bool same_bytes(const Tensor& a, const Tensor& b);
double sum(const Tensor& x);
double absolute_sum(const Tensor& x);

/// Keeps the names of the layers it sees, in order, and a host copy of each one's last tensor. With `one` it asks for
/// that layer alone.
class Recorder : public nn::Probe {
public:
    explicit Recorder(std::string one = {}) : one_(std::move(one)) {}
    bool wants(std::string_view layer) const override { return one_.empty() || layer == one_; }
    void tell(std::string_view layer, const Tensor& x) override;
    std::vector<std::string> names;
    std::map<std::string, Tensor> last;
    std::map<std::string, int> count;

private:
    std::string one_;
};

/// A backend for each number of threads, or the card that DENOIR_TEST_DEVICE names. They live until the program ends,
/// since a tensor must not outlive its backend.
std::shared_ptr<Backend> cpu(int threads = 1);

} // namespace denoir::test
