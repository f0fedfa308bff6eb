// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/request/wildcards.h"

#include <QStringList>

namespace denoir::app {
namespace {

/// SplitMix64: a few lines that give the same numbers everywhere, which std:: distributions do not.
quint64 next(quint64& state) {
    quint64 z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

bool escaped(QStringView text, qsizetype at) {
    return text[at] == u'\\' && at + 1 < text.size() && QStringView(u"{|}\\").contains(text[at + 1]);
}

/// The brace that closes the one at `open`; -1: none.
qsizetype closing(QStringView text, qsizetype open) {
    int depth = 0;
    for (qsizetype i = open; i < text.size(); ++i) {
        if (escaped(text, i))
            ++i;
        else if (text[i] == u'{')
            ++depth;
        else if (text[i] == u'}' && --depth == 0)
            return i;
    }
    return -1;
}

/// The choices between the braces, split at the bars of this level. One choice alone is no wildcard.
QList<QStringView> choices(QStringView inside) {
    QList<QStringView> out;
    qsizetype begin = 0;
    int depth = 0;
    for (qsizetype i = 0; i < inside.size(); ++i) {
        if (escaped(inside, i))
            ++i;
        else if (inside[i] == u'{')
            ++depth;
        else if (inside[i] == u'}')
            --depth;
        else if (inside[i] == u'|' && depth == 0)
            out << inside.mid(begin, i - begin), begin = i + 1;
    }
    out << inside.mid(begin);
    return out;
}

constexpr int max_depth = 64; ///< deeper nesting stands for itself

QString resolved(QStringView text, quint64& state, int depth, int& found) {
    QString out;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (escaped(text, i)) {
            out += text[++i];
            continue;
        }
        const qsizetype end = text[i] == u'{' && depth < max_depth ? closing(text, i) : -1;
        if (end < 0) {
            out += text[i];
            continue;
        }
        const QStringView inside = text.mid(i + 1, end - i - 1);
        const QList<QStringView> all = choices(inside);
        if (all.size() == 1) {
            out += u'{' + resolved(inside, state, depth + 1, found) + u'}';
        } else {
            ++found;
            out += resolved(all[qsizetype(next(state) % quint64(all.size()))], state, depth + 1, found);
        }
        i = end;
    }
    return out;
}

} // namespace

bool has_wildcards(const QString& prompt) {
    if (!prompt.contains(u'|')) return false;
    quint64 state = 0;
    int found = 0;
    resolved(prompt, state, 0, found);
    return found > 0;
}

QString resolve_wildcards(const QString& prompt_template, quint64 seed) {
    if (!has_wildcards(prompt_template)) return prompt_template; // backslashes of ordinary prompts stay
    quint64 state = seed;
    int found = 0;
    return resolved(prompt_template, state, 0, found);
}

} // namespace denoir::app
