// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "app/base/issue.h"
#include "engine/weights/model_parts.h"

namespace denoir::app {

/// Counts the tokens of a prompt with the model's own tokenizer, cleaned as the pipeline does it, on a thread of its
/// own (a vocabulary takes up to a second to read, once). Answers only the newest question.
class Tokens : public QObject {
    Q_OBJECT
public:
    explicit Tokens(QObject* parent = nullptr);
    ~Tokens() override;
    /// `model`: folder, file, name; empty: the bundled model; `parts` that were named for it. `tag` comes back with the
    /// answer ("prompt", "negative").
    void count(const QString& tag, const QString& text, const QString& model, const ModelParts& parts = {});

signals:
    /// `tokens` includes the end mark; `limit` is the model's text length; more than that is cut away.
    void counted(const QString& tag, int tokens, int limit);
    void failed(const QString& tag, const denoir::app::Issue& issue);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace denoir::app
