// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "app/base/issue.h"
#include "engine/weights/model_parts.h"

namespace denoir::app {

/// Counts the tokens of a prompt with the model's own tokenizer, after the pipeline's cleaning, on a thread of its own,
/// as reading a vocabulary takes up to a second. Answers only the newest question of each tag.
class Tokens : public QObject {
    Q_OBJECT
public:
    explicit Tokens(QObject* parent = nullptr);
    ~Tokens() override;
    /// `model` is a folder, file or name, or empty for the bundled model; `parts` are files named for it. `tag`
    /// ("prompt", "negative") comes back with the answer.
    void count(const QString& tag, const QString& text, const QString& model, const ModelParts& parts = {});

signals:
    /// `tokens` includes the end mark. `limit` is the model's text length, beyond which the prompt is cut off.
    void counted(const QString& tag, int tokens, int limit);
    void failed(const QString& tag, const denoir::app::Issue& issue);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace denoir::app
