// SPDX-License-Identifier: Apache-2.0
#include "app/request/model_catalogue.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <optional>

#include "app/base/text.h"
#include "engine/weights/config_file.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/safetensors_writer.h"
#include "tests/app/home.h"
#include "tests/app/tiny.h"

using namespace denoir;
using namespace denoir::app;
namespace fs = std::filesystem;

namespace {

const fs::path fixtures = DENOIR_FIXTURES "/_models";

} // namespace

class ModelCatalogueTest : public QObject {
    Q_OBJECT
private slots:
    void init() { home_.emplace(); }
    void cleanup() { home_.reset(); }

    void models_are_found_and_described() {
        const fs::path folder = to_path(home_->file(QStringLiteral("models-here")));
        fs::create_directories(folder / "deep");
        fs::copy(DENOIR_TINY_MODEL, folder / "tiny", fs::copy_options::recursive);
        fs::copy(fixtures / "SkyReels-V2-I2V-tiny", folder / "deep" / "i2v", fs::copy_options::recursive);
        fs::copy(DENOIR_TINY_MODEL, folder / "half", fs::copy_options::recursive);
        fs::remove(folder / "half" / "Wan2.1_VAE.safetensors");
        fs::copy(DENOIR_TINY_MODEL, folder / "expert", fs::copy_options::recursive);
        Json config = read_json_object(folder / "expert" / "config.json");
        config["family"] = "wan2.2";
        std::ofstream(folder / "expert" / "config.json") << config;
        fs::copy(DENOIR_TINY_MODEL, folder / "vace", fs::copy_options::recursive);
        auto tensors = read_safetensors(folder / "vace" / "model.safetensors");
        tensors["vace_patch_embedding.bias"] = Tensor::host({4});
        write_safetensors(folder / "vace" / "model.safetensors", tensors);
        fs::create_directories(folder / "other");
        std::ofstream(folder / "other" / "broken.safetensors") << "no tensors";
        std::ofstream(folder / "readme.txt") << "hello";

        ModelCatalogue models;
        const QAbstractItemModelTester tester(&models, QAbstractItemModelTester::FailureReportingMode::QtTest);
        models.set_folders({to_qstring(folder)});
        QVERIFY(models.wait_looked(30000));
        const auto row = [&](const fs::path& path) { return models.index(models.row_of(to_qstring(path))); };
        const auto state = [&](const fs::path& path) {
            return ModelCatalogue::State(row(path).data(ModelCatalogue::StateRole).toInt());
        };
        QCOMPARE(state(folder / "tiny"), ModelCatalogue::State::ready);
        QCOMPARE(row(folder / "tiny").data(ModelCatalogue::FamilyRole).toString(), QStringLiteral("skyreels-df"));
        QCOMPARE(row(folder / "tiny").data(ModelCatalogue::DTypeRole).toString(), QStringLiteral("f32"));
        QCOMPARE(row(folder / "tiny").data(ModelCatalogue::FitsRole).toString(), QStringLiteral("fits"));
        QSignalSpy judged(&models, &QAbstractItemModel::dataChanged);
        models.set_available(1000); // as much as a very small card has
        QCOMPARE(judged.count(), 1);
        QCOMPARE(row(folder / "tiny").data(ModelCatalogue::FitsRole).toString(), QStringLiteral("too large"));
        models.set_available(0);
        QCOMPARE(row(folder / "tiny").data(ModelCatalogue::FitsRole).toString(), QStringLiteral("fits"));
        QVERIFY(row(folder / "tiny").data(ModelCatalogue::BytesRole).toULongLong() > 100000);
        QCOMPARE(row(folder / "tiny").data(ModelCatalogue::TasksRole).toMap().size(), 3);
        QCOMPARE(state(folder / "deep" / "i2v"), ModelCatalogue::State::ready);
        QCOMPARE(row(folder / "deep" / "i2v").data(ModelCatalogue::VariantRole).toString(), QStringLiteral("i2v"));
        QCOMPARE(state(folder / "half"), ModelCatalogue::State::incomplete);
        QCOMPARE(row(folder / "half").data(ModelCatalogue::MissingRole).toStringList(),
                 QStringList{QStringLiteral("VAE")});
        QCOMPARE(state(folder / "expert"), ModelCatalogue::State::incomplete);
        QCOMPARE(row(folder / "expert").data(ModelCatalogue::MissingRole).toStringList(),
                 QStringList{QStringLiteral("low-noise transformer")});
        QCOMPARE(state(folder / "other" / "broken.safetensors"), ModelCatalogue::State::unreadable);
        QVERIFY(!row(folder / "other" / "broken.safetensors").data(ModelCatalogue::IssueRole).value<Issue>().isEmpty());
        // A related model that no run accepts must not be called ready.
        QCOMPARE(state(folder / "vace"), ModelCatalogue::State::unreadable);
        const Issue relative = row(folder / "vace").data(ModelCatalogue::IssueRole).value<Issue>();
        QVERIFY2(relative.message.contains(QStringLiteral("VACE")), qPrintable(relative.line()));
        QCOMPARE(models.rowCount(), 6);
        QVERIFY(models.bundled().isEmpty());

        // The folder is watched, so a removed model disappears by itself.
        fs::remove_all(folder / "tiny");
        QTRY_COMPARE_WITH_TIMEOUT(models.rowCount(), 5, 20000);
        models.set_folders({});
        QVERIFY(models.wait_looked(20000));
        QCOMPARE(models.rowCount(), 0);
    }

    /// People keep several transformers in folders such as ComfyUI/models/diffusion_models/WanVideo/I2V.
    void models_deep_in_folders_are_found() {
        const fs::path root = to_path(home_->file(QStringLiteral("deep-models"))),
                       place = root / "2" / "3" / "4" / "5" / "6";
        fs::create_directories(place / "7");
        for (const char* name : {"one.safetensors", "two.safetensors", "7/beyond.safetensors"})
            fs::copy(fs::path(DENOIR_TINY_MODEL) / "model.safetensors", place / name);
        ModelCatalogue models;
        models.set_folders({to_qstring(root)});
        QVERIFY(models.wait_looked(30000));
        for (const char* name : {"one.safetensors", "two.safetensors"})
            QVERIFY2(models.row_of(to_qstring(place / name)) >= 0, name);
        QCOMPARE(models.rowCount(), 2);
    }

    /// The number of models is limited in each watched folder by itself, and models near its top come first.
    void a_full_folder_hides_no_other() {
        const fs::path full = to_path(home_->file(QStringLiteral("full"))),
                       other = to_path(home_->file(QStringLiteral("other-models")));
        fs::create_directories(full / "a" / "deep");
        for (int i = 0; i < 20'100; ++i) fs::create_symlink("nothing", full / "a" / "deep" / std::to_string(i));
        fs::create_directories(other);
        fs::copy(DENOIR_TINY_MODEL, full / "z", fs::copy_options::recursive);
        fs::copy(DENOIR_TINY_MODEL, other / "tiny", fs::copy_options::recursive);
        ModelCatalogue models;
        models.set_folders({to_qstring(full), to_qstring(other)});
        QVERIFY(models.wait_looked(60000));
        QVERIFY(models.row_of(to_qstring(full / "z")) >= 0);
        QVERIFY(models.row_of(to_qstring(other / "tiny")) >= 0);
    }

    void the_bundled_model_comes_first() {
        fs::create_directories(to_path(home_->file(QStringLiteral("resources"))));
        fs::copy(DENOIR_TINY_MODEL, to_path(home_->file(QStringLiteral("resources/demo-model"))),
                 fs::copy_options::recursive);
        ModelCatalogue models;
        QVERIFY(models.wait_looked(20000));
        QCOMPARE(models.rowCount(), 1);
        QCOMPARE(models.row_of({}), 0);
        QVERIFY(models.index(0).data(ModelCatalogue::BundledRole).toBool());
    }

private:
    std::optional<BareHome> home_;
};

QTEST_GUILESS_MAIN(ModelCatalogueTest)
#include "model_catalogue_test.moc"
