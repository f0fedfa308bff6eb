// SPDX-License-Identifier: Apache-2.0
#include "app/request/model_finder.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <map>
#include <string>

#include "app/base/text.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/safetensors_writer.h"

using namespace denoir;
using namespace denoir::app;
namespace fs = std::filesystem;

namespace {

const fs::path fixtures = DENOIR_FIXTURES "/_models";
const fs::path transformer = fixtures / "Wan2.1-T2V-tiny/diffusion_pytorch_model.safetensors";

} // namespace

class ModelFinderTest : public QObject {
    Q_OBJECT
private slots:
    void init() { folder_.emplace(); }
    void cleanup() { folder_.reset(); }

    void a_file_on_top_hides_no_repository() {
        put(transformer, "models/wan2.1_t2v_1.3B_fp16.safetensors");
        put(fixtures / "Wan2.1-T2V-tiny", "models/Wan2.1-T2V-14B");
        put(fixtures / "SkyReels-V2-DF-tiny", "models/SkyReels-V2-DF-14B-540P");
        expect({"models/SkyReels-V2-DF-14B-540P", "models/Wan2.1-T2V-14B", "models/wan2.1_t2v_1.3B_fp16.safetensors"});
    }
    /// Each transformer gives a row with the path that a request needs. A pair of experts is listed by its high-noise
    /// file.
    void each_file_in_comfyui_folders_is_a_model() {
        const fs::path models = "ComfyUI/models";
        put(transformer, models / "diffusion_models/wan2.1_t2v_14B_fp8.safetensors");
        put(transformer, models / "diffusion_models/Wan22/wan2.2_t2v_low_noise_14B.safetensors");
        put(transformer, models / "diffusion_models/Wan22/wan2.2_t2v_high_noise_14B.safetensors");
        put(fixtures / "Wan2.1-T2V-tiny/Wan2.1_VAE.pth", models / "vae/wan_2.1_vae.pth");
        expect({"ComfyUI/models/diffusion_models/Wan22/wan2.2_t2v_high_noise_14B.safetensors",
                "ComfyUI/models/diffusion_models/wan2.1_t2v_14B_fp8.safetensors"});
    }
    /// A model must not take its name from a folder for many, even if it is the only one there.
    void a_folder_for_many_is_no_model() {
        put(transformer, "ComfyUI/models/diffusion_models/HighNoise/wan.safetensors");
        put(transformer, "ComfyUI/models/diffusion_models/LowNoise/wan.safetensors");
        put(transformer, "Wan_2.1_repackaged/split_files/diffusion_models/wan2.1.safetensors");
        expect({"ComfyUI/models/diffusion_models/HighNoise/wan.safetensors",
                "Wan_2.1_repackaged/split_files/diffusion_models/wan2.1.safetensors"});
    }
    void repositories_are_folders_and_their_parts_are_not_models() {
        for (const char* name : {"Wan2.1-T2V-tiny", "Wan2.1-T2V-tiny-Diffusers", "Wan2.2-T2V-A14B-tiny",
                                 "Wan2.2-I2V-A14B-tiny-Diffusers", "SkyReels-V2-I2V-tiny"})
            put(fixtures / name, name);
        fs::remove(root() / "Wan2.1-T2V-tiny/config.json"); // like a repository that was downloaded by hand
        put(fixtures / "Wan2.1-T2V-tiny-Diffusers", "without-index");
        fs::remove(root() / "without-index/model_index.json");
        put(transformer, "Wan2.1-T2V-tiny/tuned/mine.safetensors");
        expect({"SkyReels-V2-I2V-tiny", "Wan2.1-T2V-tiny", "Wan2.1-T2V-tiny/tuned/mine.safetensors",
                "Wan2.1-T2V-tiny-Diffusers", "Wan2.2-I2V-A14B-tiny-Diffusers", "Wan2.2-T2V-A14B-tiny",
                "without-index"});
    }
    void a_repository_in_hugging_faces_cache_is_found_once() {
        const char* cached = "hub/models--Wan-AI--Wan2.1-T2V-1.3B";
        fs::create_directories(root() / cached / "blobs");
        for (const char* revision : {"snapshots/0123abcd", "snapshots/4567ef01"})
            put(fixtures / "Wan2.1-T2V-tiny", fs::path(cached) / revision);
        put_text(fs::path(cached) / "refs/main", "4567ef01");
        expect({cached});
    }
    void shards_are_one_model() {
        const auto all = read_safetensors(transformer);
        std::map<std::string, Tensor> first, second;
        for (const auto& [name, tensor] : all) (name.starts_with("blocks.1.") ? second : first)[name] = tensor;
        const auto write = [&](const fs::path& folder) {
            fs::create_directories(root() / folder);
            write_safetensors(root() / folder / "wan-00001-of-00002.safetensors", first);
            write_safetensors(root() / folder / "wan-00002-of-00002.safetensors", second);
        };
        write("Wan");
        write("unet");
        expect({"Wan", "unet/wan-00001-of-00002.safetensors"});
    }

    /// ComfyUI's upscalers, detectors and the like are .pth files, too.
    void another_programs_pth_is_no_broken_model() {
        put_text("upscale_models/4x-UltraSharp.pth",
                 std::string("\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.\x80\x02M\xE9\x03.", 21));
        put_text("upscale_models/notes.pth", "no checkpoint");
        put_text("detectors/program.pth", std::string("PK\x03\x04", 4) + std::string(200, 'x'));
        expect({});
    }
    void hidden_files_are_left_alone() {
        put_text("._wan.safetensors", "of a Mac's archive");
        put(transformer, ".trash/wan.safetensors");
        expect({});
    }
    void a_damaged_download_is_shown() {
        put_text("models_t5_umt5-xxl-enc-bf16.pth", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
        put_text("empty.safetensors", "");
        put_text("cut.gguf", "GGUF");
        put(transformer, "cut.safetensors");
        fs::resize_file(root() / "cut.safetensors", fs::file_size(transformer) / 2);
        expect({"cut.gguf", "cut.safetensors", "empty.safetensors", "models_t5_umt5-xxl-enc-bf16.pth"});
    }

private:
    fs::path root() const { return to_path(folder_->path()); }
    void put(const fs::path& from, const fs::path& to) const {
        fs::create_directories((root() / to).parent_path());
        fs::copy(from, root() / to, fs::copy_options::recursive);
    }
    void put_text(const fs::path& to, const std::string& text) const {
        fs::create_directories((root() / to).parent_path());
        std::ofstream(root() / to, std::ios::binary) << text;
    }
    /// Compares the paths below the root, which are sorted.
    void expect(QStringList expected) const {
        ModelFinder finder{std::stop_token()};
        finder.look_below(root());
        QStringList found;
        for (const QString& path : finder.found) found << path.mid(folder_->path().size() + 1);
        found.sort();
        expected.sort();
        QCOMPARE(found.join(QLatin1Char('\n')), expected.join(QLatin1Char('\n')));
    }

    std::optional<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(ModelFinderTest)
#include "model_finder_test.moc"
