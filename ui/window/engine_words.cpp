// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/engine_words.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <algorithm>
#include <cstring>
#include <optional>

#include "app/base/local_number.h"

namespace denoir::ui {
namespace {

const QString value = QStringLiteral("{}");
constexpr int deepest = 3;              ///< nesting of sentences as values of others
constexpr qsizetype most_words = 10000; ///< more characters than any pattern has

/// The values in a text that consists of these pieces with values between them; empty if it does not.
std::optional<QStringList> values_of(const QString& text, const QStringList& pieces) {
    if (pieces.size() == 1) return text == pieces[0] ? std::optional<QStringList>(QStringList()) : std::nullopt;
    if (!text.startsWith(pieces.constFirst()) || !text.endsWith(pieces.constLast())) return {};
    QStringList out;
    qsizetype at = pieces.constFirst().size();
    for (qsizetype i = 1; i < pieces.size(); ++i) {
        const bool last = i + 1 == pieces.size();
        const qsizetype end = last ? text.size() - pieces[i].size() : text.indexOf(pieces[i], at + 1);
        if (end <= at && !(last && end == at)) return {};
        out << text.mid(at, end - at);
        at = end + pieces[i].size();
    }
    return out;
}

/// A value with the locale's decimal point if it is a size, or a number in its pattern. Anything without a unit, either
/// in itself or in the text `after` it, may be a version or a name, and is not changed.
QString in_locale(const QString& text, const QString& after, bool is_number) {
    static const QRegularExpression amount(QStringLiteral(R"(^\d+\.\d+(?:e[-+]\d+| [KMG]iB)?$)")),
        unit(QStringLiteral("^ [KMG]iB\\b"));
    const bool counts = is_number || text.contains(QLatin1Char(' ')) || unit.match(after).hasMatch();
    return counts && amount.match(text).hasMatch() ? app::local_number(text) : text;
}

} // namespace

bool EngineWords::read(const QString& name) {
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly)) return false;
    const QJsonObject all = QJsonDocument::fromJson(file.readAll()).object();
    for (auto it = all.begin(); it != all.end(); ++it) {
        Pattern pattern{it.key().split(value), it->toString()};
        for (const QString& piece : pattern.pieces) pattern.words += piece.size();
        // The "not" in such a sentence must not be taken for a part of a value, so this pattern comes first.
        if (it.key().startsWith(QLatin1String("must be {}, not "))) pattern.words += most_words;
        patterns_ << pattern;
    }
    std::stable_sort(patterns_.begin(), patterns_.end(),
                     [](const Pattern& a, const Pattern& b) { return a.words > b.words; });
    return !patterns_.isEmpty();
}

QString EngineWords::translate(const char* context, const char* text, const char*, int) const {
    if (std::strcmp(context, "Engine") != 0) return {};
    const QString whole = QString::fromUtf8(text);
    QString out = sentences(whole);
    if (out.isEmpty()) out = sentence(whole, deepest);
    return out == whole ? QString() : out;
}

/// Translates a text of several sentences; empty if it is only one, or if one of them has no translation.
QString EngineWords::sentences(const QString& text) const {
    const QString end = QStringLiteral(". ");
    QStringList parts = text.split(end);
    if (parts.size() < 2) return {};
    for (qsizetype i = 0; i < parts.size(); ++i) {
        const QString one = i + 1 < parts.size() ? parts[i] + QLatin1Char('.') : parts[i];
        parts[i] = sentence(one, deepest);
        if (parts[i] == one) return {};
    }
    return parts.join(QLatin1Char(' '));
}

QString EngineWords::sentence(const QString& text, int depth) const {
    for (const Pattern& pattern : patterns_) {
        const auto values = values_of(text, pattern.pieces);
        if (!values) continue;
        QString out;
        qsizetype at = 0, i = 0;
        static const QRegularExpression place(QStringLiteral(R"(\{(\.?)\})"));
        for (auto places = place.globalMatch(pattern.translation); places.hasNext(); ++i) {
            const auto here = places.next();
            out += QStringView(pattern.translation).mid(at, here.capturedStart() - at);
            at = here.capturedEnd();
            const QString given = values->value(i), words = depth > 1 ? sentence(given, depth - 1) : given;
            out += in_locale(words, pattern.translation.mid(at), here.capturedLength(1) > 0);
        }
        out += QStringView(pattern.translation).mid(at);
        return out;
    }
    return text;
}

} // namespace denoir::ui
