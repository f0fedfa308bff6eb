// SPDX-License-Identifier: Apache-2.0
#include "ui/window/engine_words.h"

#include <QLocale>
#include <QScopeGuard>
#include <QTest>

#include "app/base/engine_text.h"

using namespace denoir;
using namespace denoir::ui;

class EngineWordsTest : public QObject {
    Q_OBJECT
private slots:
    /// The engine's messages arrive with their values filled in, and a value may be a sentence itself.
    void the_engine_speaks_german() {
        EngineWords words;
        QVERIFY(!words.read(QStringLiteral(":/denoir/translations/engine_none.json")) && words.isEmpty());
        QVERIFY(words.read(QStringLiteral(":/denoir/translations/engine_de.json")));
        const auto german = [&](const char* text) { return words.translate("Engine", text, nullptr, -1); };
        QCOMPARE(german("image-to-video needs a start image"), QStringLiteral("Bild zu Video braucht ein Startbild"));
        QCOMPARE(german("6 is not 1, 5, 9, 13, … (4n + 1)"), QStringLiteral("6 ist nicht 1, 5, 9, 13, … (4n + 1)"));
        QCOMPARE(german("the text encoder is missing"), QStringLiteral("es fehlt: Textencoder"));
        QCOMPARE(german("start.step"), QStringLiteral("Schritt"));
        QCOMPARE(german("vae is there, but holds no weights: download it again, or name another file"),
                 QStringLiteral(
                     "vae ist da, enthält aber keine Gewichte: neu herunterladen, oder eine andere Datei nennen"));
        QCOMPARE(german("with steps 0: 0 is out of range"),
                 QStringLiteral("mit steps 0: 0 liegt außerhalb des Bereichs"));
        QCOMPARE(german("use 1 to 5 latent frames"), QStringLiteral("1 bis 5 latente Bilder nehmen"));
        QCOMPARE(german("must be a whole number from 1 to 1000, not \"x\""),
                 QStringLiteral("muss eine ganze Zahl von 1 bis 1000 sein, nicht \"x\""));
        QCOMPARE(
            german("The error begins in q of transformer (step 1): what it is computed from is equal, its result "
                   "agrees to 6.2e-01 (about 4.0e-06 would be rounding; f32). Largest difference over the mean "
                   "norm of a layer: 2.1e+01, in x0 of sampler (step 4)."),
            QStringLiteral("Der Fehler beginnt in q of transformer (Schritt 1): woraus es berechnet wird, ist gleich; "
                           "das Ergebnis stimmt auf 6.2e-01 überein (etwa 4.0e-06 wäre Rundung; f32). Größter "
                           "Unterschied, gemessen an der mittleren Norm einer Schicht: 2.1e+01, in x0 of sampler "
                           "(Schritt 4)."));
        QCOMPARE(german("The two differ in what they are given: latent of sampler (step 0) is 1.4 apart (f32)."),
                 QStringLiteral("Die beiden unterscheiden sich in dem, was ihnen gegeben ist: latent of sampler "
                                "(Schritt 0) liegt 1.4 auseinander (f32)."));
        QCOMPARE(german(R"(write "start": {"run": FOLDER, "step": N} into it)"),
                 QStringLiteral("von einem Schritt eines Laufs abzweigen"));
        QVERIFY(german("a sentence that nobody knows").isNull());
        QVERIFY(words.translate("Elsewhere", "is missing", nullptr, -1).isNull());
    }

    /// They are written as the window writes its own numbers. Versions, names and paths stay as they are.
    void sizes_have_the_decimal_point_of_the_language() {
        const QLocale before;
        const auto put_back = qScopeGuard([&] { QLocale::setDefault(before); });
        QLocale::setDefault(QLocale(QStringLiteral("de")));
        EngineWords words;
        QVERIFY(words.read(QStringLiteral(":/denoir/translations/engine_de.json")));
        const auto german = [&](const char* text) { return words.translate("Engine", text, nullptr, -1); };
        QCOMPARE(german("the run needs about 3.50 GiB, the disk has 812.4 MiB left"),
                 QStringLiteral("der Lauf braucht etwa 3,50 GiB, auf der Platte sind noch 812,4 MiB frei"));
        QCOMPARE(german("decoding 1280x720 needs 12.3 GiB at least, 8.0 GiB are free"),
                 QStringLiteral("1280x720 zu dekodieren braucht mindestens 12,3 GiB, frei sind 8,0 GiB"));
        QVERIFY(german("The two differ in what they are given: latent of sampler (step 0) is 1.4 apart (f32).")
                    .contains("liegt 1,4 auseinander"));
        const QString verdict =
            german("The error begins in q2.1 of transformer (step 1): what it is computed from agrees to 0.15, its "
                   "result agrees to 6.2e-01 (about 4.0e-06 would be rounding; f32). Largest difference over the mean "
                   "norm of a layer: 26, in x0 of sampler (step 4).");
        for (const char* part :
             {"q2.1 of", "stimmt auf 0,15 überein", "stimmt auf 6,2e-01 überein", "4,0e-06", ": 26,"})
            QVERIFY2(verdict.contains(QString::fromUtf8(part)), part);
        QVERIFY(german("cuda:0 (Card 2.1) has compute capability 7.5; 8.0 is needed")
                    .contains("Card 2.1) hat Compute Capability 7.5;"));
        QLocale::setDefault(QLocale(QStringLiteral("de_CH")));
        QVERIFY(german("the run needs about 3.50 GiB, the disk has 812.4 MiB left").contains("3.50 GiB"));
    }

    /// The window has fields where the command line has options.
    void the_engine_names_no_options() {
        EngineWords words;
        QVERIFY(words.read(QStringLiteral(":/denoir/translations/engine_en.json")));
        QCOMPARE(words.translate("Engine", "give --model DIR or FILE", nullptr, -1),
                 QStringLiteral("choose a model's folder or file"));
        QCOMPARE(words.translate("Engine", "start.step", nullptr, -1), QStringLiteral("step"));
        QVERIFY(words.translate("Engine", "image-to-video needs a start image", nullptr, -1).isNull());
    }

    /// A problem and its hint must be in the same language. In English the window may have no other words for the
    /// problem, but it does for the hint.
    void a_problem_and_its_hint_are_of_one_language() {
        const app::Issue issue{{}, "model", "there is no bundled demo model here", "give --model DIR or FILE"},
            other{{}, "model", "a sentence that nobody knows", "give --model DIR or FILE"};
        const auto said = [](const char* file, const app::Issue& of) {
            EngineWords words;
            words.read(QString::fromLatin1(file));
            QCoreApplication::installTranslator(&words);
            const QString text = app::words(of);
            QCoreApplication::removeTranslator(&words);
            return text;
        };
        const char *const english = ":/denoir/translations/engine_en.json", *const german =
                                                                                ":/denoir/translations/engine_de.json";
        QCOMPARE(said(english, issue),
                 QStringLiteral("there is no bundled demo model here; choose a model's folder or file"));
        QCOMPARE(said(english, other), QStringLiteral("a sentence that nobody knows; choose a model's folder or file"));
        QCOMPARE(said(german, issue),
                 QStringLiteral("das mitgelieferte Modell ist nicht da; einen Modellordner oder eine Modelldatei "
                                "wählen"));
        QCOMPARE(said(german, other), QStringLiteral("a sentence that nobody knows; give --model DIR or FILE"));
    }
};

QTEST_GUILESS_MAIN(EngineWordsTest)
#include "engine_words_test.moc"
