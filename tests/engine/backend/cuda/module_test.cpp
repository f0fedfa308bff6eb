// SPDX-License-Identifier: Apache-2.0
// The border: what crosses it, and how refusals look.
#include <dlfcn.h>

#include <cstdlib>
#include <new>

#include "engine/backend/cuda/driver_check.h"
#include "engine/backend/cuda/guard.h"
#include "engine/core/error.h"
#include "tests/engine/backend/cuda/backends.h"
#include "tests/engine/backend/kernel_test.h"

namespace denoir::test {
namespace {

using cuda::Outcome;

TEST(Border, ExceptionsBecomeOutcomes) {
    EXPECT_EQ(cuda::outcome_of([] {}).kind, Outcome::Kind::done);
    EXPECT_EQ(cuda::outcome_of([] { throw Cancelled(); }).kind, Outcome::Kind::cancelled);
    const Outcome error = cuda::outcome_of([] { throw Error("file", "field", "message", "hint"); });
    EXPECT_EQ(error.kind, Outcome::Kind::error);
    EXPECT_EQ(error.file + error.field + error.message + error.hint, "filefieldmessagehint");
    EXPECT_EQ(cuda::outcome_of([] { throw std::bad_alloc(); }).field, "memory");
    EXPECT_EQ(cuda::outcome_of([] { throw std::runtime_error("of a library"); }).message.find("of a library"),
              std::string::npos);
}

TEST(Border, EveryCallReachesTheBackend) {
    const Emulated device;
    const auto module = cuda::guarded(device.backend, "text");
    EXPECT_EQ(module->libraries(), "text");
    Tensor x, y, out;
    ASSERT_EQ(module->upload(host({6, 8}, 1), x).kind, Outcome::Kind::done);
    ASSERT_EQ(module->empty({6, 8}, DType::f32, y).kind, Outcome::Kind::done);
    ASSERT_EQ(module->add(x, x, y).kind, Outcome::Kind::done);
    ASSERT_EQ(module->download(y, out).kind, Outcome::Kind::done);
    EXPECT_FLOAT_EQ(out.data<float>()[5], 2 * host({6, 8}, 1).data<float>()[5]);
    device.backend->arena().fail_system_allocation(1);
    const Outcome full = module->empty({1 << 20, 64}, DType::f32, y);
    EXPECT_EQ(full.kind, Outcome::Kind::error);
    EXPECT_EQ(full.field, "memory");
}

TEST(Driver, OneThatIsMissingOrTooOldIsRefusedInOneLine) {
    const auto refusal = [](int driver, int needed) -> std::string {
        try {
            cuda::check_driver(1, driver, needed);
        } catch (const Error& e) {
            EXPECT_EQ(e.field(), "device");
            EXPECT_NE(e.hint().find("cpu"), std::string::npos);
            EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
            return e.what();
        }
        return "";
    };
    EXPECT_NE(refusal(0, 13000).find("cuda:1 cannot be used: no NVIDIA driver"), std::string::npos);
    const std::string old = refusal(12080, 13010);
    EXPECT_NE(old.find("is for CUDA 12.8, this module needs 13 or later; install a newer driver"), std::string::npos)
        << old;
    EXPECT_EQ(refusal(13000, 13010), ""); // within a major version older drivers will do
    EXPECT_EQ(refusal(13020, 12040), "");
}

TEST(Border, ABodyThatFailsIsToldApart) {
    const Emulated device;
    const auto module = cuda::guarded(device.backend, "");
    Tensor out;
    const auto failing = [](std::span<const Tensor>, Tensor&) { return false; };
    EXPECT_EQ(module->captured("k", {}, failing, out).kind, Outcome::Kind::body_failed);
}

#if defined(DENOIR_CUDA_MODULE_FILE)
/// Sets a variable of the environment while it exists.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    ~Variable() { unsetenv(name_); }
    Variable(const Variable&) = delete;

private:
    const char* name_;
};
struct NamedModule : Variable {
    explicit NamedModule(const char* file) : Variable("DENOIR_CUDA_MODULE", file) {}
};

TEST(Module, IsOpenedAndRefusesInOneLine) {
    const NamedModule named(DENOIR_CUDA_MODULE_FILE);
    try {
        open_backend(Device::parse("cuda:97"));
        FAIL();
    } catch (const Error& e) {
        // There is no driver here, or there is one without that many cards.
        EXPECT_EQ(e.field(), "device");
        const std::string line = e.what();
        EXPECT_TRUE(line.find("cuda:97") != std::string::npos || line.find("no NVIDIA card") != std::string::npos)
            << line;
        EXPECT_NE(line.find("cpu"), std::string::npos) << line;
        EXPECT_EQ(line.find('\n'), std::string::npos);
    }
}

TEST(Module, AFileThatIsNoModule) {
    const NamedModule named("/dev/null");
    try {
        open_backend(Device::parse("cuda"));
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("cannot be opened"), std::string::npos) << e.what();
    }
}

TEST(Module, AnotherBuildIsRefused) {
    // How the entry refuses another build of the program.
    void* library = ::dlopen(DENOIR_CUDA_MODULE_FILE, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    ASSERT_NE(library, nullptr) << ::dlerror();
    const auto entry = reinterpret_cast<cuda::ModuleEntry>(::dlsym(library, cuda::module_entry));
    ASSERT_NE(entry, nullptr);
    Outcome outcome;
    EXPECT_EQ(entry(cuda::module_abi, "another", nullptr, 0, 1, nullptr, &outcome), nullptr);
    EXPECT_EQ(outcome.kind, Outcome::Kind::error);
    EXPECT_NE(outcome.message.find("another build"), std::string::npos);
    Outcome untouched;
    EXPECT_EQ(entry(cuda::module_abi + 1, "another", nullptr, 0, 1, nullptr, &untouched), nullptr);
    EXPECT_EQ(untouched.kind, Outcome::Kind::done);
}

/// Goes through the border into a module whose card is emulated.
TEST(Module, TakesOptionsFromTheEnvironment) {
    const NamedModule named(DENOIR_CUDA_EMULATED_FILE);
    const Device card = Device::parse("cuda");
    {
        const Variable memory("DENOIR_CUDA_MEMORY", "5");
        EXPECT_EQ(open_backend(card)->free_memory(), std::size_t{5} << 20);
    }
    {
        const Variable exact("DENOIR_CUDA_EXACT", "1");
        const auto backend = open_backend(card);
        const std::size_t held = backend->memory().held;
        const Tensor three = backend->empty({3}, DType::u8);
        EXPECT_EQ(backend->memory().held, held + 3);
    }
    {
        const Variable poison("DENOIR_CUDA_POISON", "1");
        const auto backend = open_backend(card);
        Tensor used = backend->empty({4}, DType::f32);
        backend->fill(used, 1.0f);
        used = {};
        EXPECT_TRUE(std::isnan(doubles(backend->empty({4}, DType::f32))[0]));
    }
    for (const char* no_size : {"0", "-1", "5G", "99999999999"}) {
        const Variable memory("DENOIR_CUDA_MEMORY", no_size);
        try {
            open_backend(card);
            ADD_FAILURE() << no_size;
        } catch (const UsageError& e) { // a wrong option is an error even for a default device
            EXPECT_NE(std::string(e.what()).find("DENOIR_CUDA_MEMORY"), std::string::npos) << e.what();
        }
    }
}

TEST(Module, WorksThroughTheBorder) {
    const NamedModule named(DENOIR_CUDA_EMULATED_FILE);
    const auto backend = open_backend(Device::parse("cuda"), 1);
    EXPECT_EQ(backend->device().name(), "cuda:0");
    const Weight w("w", host({12, 16}, 2)), bias("b", host({12}, 3));
    const auto cpu = open_backend({}, 1);
    const auto run = [&](Backend& b, const Weight& weight) {
        Tensor out = b.empty({9, 12}, DType::f32);
        b.linear(b.upload(host({9, 16}, 1)), weight, &bias, {Activation::silu, DType::f32}, out);
        EXPECT_EQ(out.backend(), &b);
        return doubles(out);
    };
    const std::vector<double> expected = run(*cpu, Weight("w", w.stored())), found = run(*backend, w);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5);

    int runs = 0;
    const Tensor x = backend->upload(host({4}, 5));
    for (int i = 0; i < 3; ++i) {
        const Tensor twice = backend->captured("twice", {&x, 1}, [&](std::span<const Tensor> in) {
            ++runs;
            Tensor sum = backend->empty({4}, DType::f32);
            backend->add(in[0], in[0], sum);
            return sum;
        });
        EXPECT_NEAR(doubles(twice)[2], 2 * doubles(x)[2], 1e-6);
    }
    EXPECT_EQ(runs, 2);
    EXPECT_THROW(
        backend->captured("fails", {}, [](std::span<const Tensor>) -> Tensor { throw Error("", "f", "m", "h"); }),
        Error);

    std::stop_source stop;
    stop.request_stop();
    backend->set_stop(stop.get_token());
    Tensor out = backend->empty({4}, DType::f32);
    EXPECT_THROW(backend->fill(out, 1), Cancelled);
    backend->set_stop({});
    EXPECT_THROW(backend->empty({std::int64_t{1} << 40}, DType::f32), Error);
}
#endif

} // namespace
} // namespace denoir::test
