// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QStringList>
#include <QTranslator>

namespace denoir::ui {

/// Translates the engine's sentences (context "Engine"). Their values are already filled in, as they are also read from
/// stored runs and sweeps, so that a sentence is matched against patterns in which values are {}. Values that are
/// sentences are translated as well, and sizes, rates and {.} get the locale's decimal point. If several patterns
/// match, the one with most text of its own is used.
class EngineWords : public QTranslator {
public:
    /// Reads a JSON object of patterns and their translations, whose {} are filled in their order; {.} is a number.
    /// Returns false if there is no such file.
    bool read(const QString& file);
    QString translate(const char* context, const char* text, const char* disambiguation, int n) const override;
    bool isEmpty() const override { return patterns_.isEmpty(); }

private:
    struct Pattern {
        QStringList pieces; ///< the text between the values
        QString translation;
        qsizetype words = 0; ///< number of characters of the pieces
    };
    QString sentences(const QString& text) const;
    QString sentence(const QString& text, int depth) const;
    QList<Pattern> patterns_; ///< those with most words first
};

} // namespace denoir::ui
