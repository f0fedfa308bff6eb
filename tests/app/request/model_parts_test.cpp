// SPDX-License-Identifier: Apache-2.0
// Parts of a model that lie elsewhere: remembered by the model, known to the catalogue, part of what is asked for.
#include <QTest>
#include <QUndoStack>
#include <filesystem>
#include <optional>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/request/model_catalogue.h"
#include "app/request/request_document.h"
#include "tests/app/home.h"

using namespace denoir;
using namespace denoir::app;

class ModelPartsTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        namespace fs = std::filesystem;
        home_.emplace();
        const fs::path folder = to_path(home_->file(QStringLiteral("models")));
        fs::create_directories(folder / "elsewhere");
        fs::copy(DENOIR_TINY_MODEL, folder / "half", fs::copy_options::recursive);
        for (const auto& file : fs::directory_iterator(folder / "half"))
            if (file.path().filename().string().find("VAE") != std::string::npos) {
                vae_ = to_qstring(folder / "elsewhere" / file.path().filename());
                fs::rename(file.path(), to_path(vae_));
                break;
            }
        QVERIFY(!vae_.isEmpty());
        folder_ = to_qstring(folder);
        half_ = to_qstring(folder / "half");
        parts_ = {{QStringLiteral("vae"), vae_}};
    }
    void cleanup() { home_.reset(); }

    void settings_remember_them_by_model() {
        {
            Settings settings;
            settings.set_parts_of_model(half_, parts_);
            settings.set_parts_of_model(QStringLiteral("/other"), parts_);
            settings.set_parts_of_model(QStringLiteral("/other"), {});
        }
        QCOMPARE(Settings().model_parts(), (QVariantMap{{half_, parts_}}));
    }

    void the_catalogue_calls_the_model_whole() {
        ModelCatalogue models;
        const auto state = [&] {
            const QModelIndex row = models.index(models.row_of(half_));
            return ModelCatalogue::State(row.data(ModelCatalogue::StateRole).toInt());
        };
        models.set_folders({folder_});
        QVERIFY(models.wait_looked(30000));
        QCOMPARE(state(), ModelCatalogue::State::incomplete);
        models.set_parts({{half_, parts_}});
        QVERIFY(models.wait_looked(30000));
        QCOMPARE(state(), ModelCatalogue::State::ready);
        models.set_parts({{half_, QVariantMap{{QStringLiteral("vae"), half_ + QStringLiteral("/gone.pth")}}}});
        QVERIFY(models.wait_looked(30000));
        QCOMPARE(state(), ModelCatalogue::State::unreadable);
    }

    void they_come_with_the_model_that_is_chosen() {
        const QString model = QStringLiteral("model"), parts = QStringLiteral("parts");
        QUndoStack undo;
        RequestDocument document(undo);
        document.set_model_parts({{half_, parts_}});
        document.set_value(model, half_);
        QCOMPARE(document.asked().parts.vae, to_path(vae_));
        QVERIFY(document.wait_resolved(20000));
        QVERIFY2(document.valid(), document.issues().isEmpty() ? "" : qPrintable(document.issues().first().line()));
        document.set_value(model, QStringLiteral(DENOIR_TINY_MODEL)); // a model that needs no further parts
        QVERIFY(document.asked().parts.empty());
        undo.undo();
        QCOMPARE(document.asked().parts.vae, to_path(vae_));
        document.set_value(parts, {});
        QVERIFY(document.wait_resolved(20000));
        QVERIFY(!document.valid());
        QVERIFY(document.issue(model).message.contains(QStringLiteral("VAE is missing")));
    }

private:
    std::optional<Home> home_;
    QString folder_, half_, vae_;
    QVariantMap parts_;
};

QTEST_GUILESS_MAIN(ModelPartsTest)
#include "model_parts_test.moc"
