// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/request/wildcards.h"

#include <cstddef>
#include <vector>

namespace denoir::app {
namespace {

/// SplitMix64, which unlike std:: distributions gives the same numbers everywhere.
quint64 next(quint64& state) {
    quint64 z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

bool escaped(QStringView text, qsizetype at) {
    return text[at] == u'\\' && at + 1 < text.size() && QStringView(u"{|}\\").contains(text[at + 1]);
}

constexpr int max_depth = 64; ///< deeper nesting stays as it is

/// A prompt with its braces matched in advance: prompts may be long, and each typed letter asks for their wildcards.
class Template {
public:
    explicit Template(QStringView text) : text_(text), closing_(std::size_t(text.size()), -1) {
        std::vector<qsizetype> open;
        for (qsizetype i = 0; i < text.size(); ++i) {
            if (escaped(text, i)) {
                ++i;
            } else if (text[i] == u'{') {
                open.push_back(i);
            } else if (text[i] == u'}' && !open.empty()) {
                closing_[std::size_t(open.back())] = i;
                open.pop_back();
            }
        }
    }
    /// The text with choices made; `found` counts the wildcards.
    QString resolved(quint64& state, int& found) const { return resolved({0, text_.size()}, state, 0, found); }

private:
    struct Part {
        qsizetype begin, end;
    };

    /// The choices between two braces, split at the bars of this level. A single one means that it is no wildcard.
    std::vector<Part> choices(Part inside) const {
        std::vector<Part> out;
        qsizetype begin = inside.begin;
        for (qsizetype i = inside.begin; i < inside.end; ++i) {
            if (escaped(text_, i))
                ++i;
            else if (text_[i] == u'{')
                i = closing_[std::size_t(i)];
            else if (text_[i] == u'|')
                out.push_back({begin, i}), begin = i + 1;
        }
        out.push_back({begin, inside.end});
        return out;
    }

    QString resolved(Part part, quint64& state, int depth, int& found) const {
        QString out;
        for (qsizetype i = part.begin; i < part.end; ++i) {
            if (escaped(text_, i)) {
                out += text_[++i];
                continue;
            }
            const qsizetype end = text_[i] == u'{' && depth < max_depth ? closing_[std::size_t(i)] : -1;
            if (end < 0) {
                out += text_[i];
                continue;
            }
            const Part inside{i + 1, end};
            const std::vector<Part> all = choices(inside);
            if (all.size() == 1) {
                out += u'{' + resolved(inside, state, depth + 1, found) + u'}';
            } else {
                ++found;
                out += resolved(all[std::size_t(next(state) % all.size())], state, depth + 1, found);
            }
            i = end;
        }
        return out;
    }

    QStringView text_;
    std::vector<qsizetype> closing_; ///< index of the brace that closes the one at each place; -1 if there is none
};

} // namespace

bool has_wildcards(const QString& prompt) {
    if (!prompt.contains(u'|')) return false;
    quint64 state = 0;
    int found = 0;
    Template(prompt).resolved(state, found);
    return found > 0;
}

QString resolve_wildcards(const QString& prompt_template, quint64 seed) {
    if (!has_wildcards(prompt_template)) return prompt_template; // with its backslashes
    quint64 state = seed;
    int found = 0;
    return Template(prompt_template).resolved(state, found);
}

} // namespace denoir::app
