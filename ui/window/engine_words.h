// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QStringList>
#include <QTranslator>

namespace denoir::ui {

/// Translates the engine's sentences (context "Engine"), which come with their values filled in, as they also stand in
/// stored runs and sweeps: a sentence is matched against patterns whose values are {}. Values are translated, too,
/// where they are sentences, and sizes, rates and {.} have the locale's decimal point. Of several patterns that fit,
/// the one with most words of its own counts.
class EngineWords : public QTranslator {
public:
    /// A JSON object of the engine's patterns and their translations, whose {} are filled in turn; {.} is a number.
    /// False: there is none.
    bool read(const QString& file);
    QString translate(const char* context, const char* text, const char* disambiguation, int n) const override;
    bool isEmpty() const override { return patterns_.isEmpty(); }

private:
    struct Pattern {
        QStringList pieces; ///< between the values
        QString translation;
        qsizetype words = 0; ///< characters of the pieces
    };
    QString sentences(const QString& text) const;
    QString sentence(const QString& text, int depth) const;
    QList<Pattern> patterns_; ///< most words first
};

} // namespace denoir::ui
