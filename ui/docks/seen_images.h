// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QObject>
#include <QString>

#include "app/base/issue.h"
#include "app/base/newest_question.h"
#include "engine/media/image.h"
#include "engine/pipeline/variant.h"

namespace denoir::ui {

/// How a picture is cut before the model's own preprocessing.
enum class CropPreset { model, centre, left, right, top, bottom, whole };

/// Finds out what the model will see of the start and last image, by the engine's own preprocessing on another thread.
/// Answers only the newest question.
class SeenImages : public QObject {
    Q_OBJECT
public:
    explicit SeenImages(QObject* parent = nullptr);
    /// Looks at image and last_image of a resolved request for a model of `variant`. The same question again is
    /// answered from memory, unless a file has been rewritten.
    void ask(const Request& request, const Variant& variant);

signals:
    /// The pictures as the VAE gets them: RGB, with the request's width and height; null if there is none. `issue`
    /// names a file that cannot be read although its headers are good.
    void seen(const QImage& start, const QImage& last, const denoir::app::Issue& issue);

private:
    /// What a question was about, and its answer.
    struct Seen {
        QString stamp; ///< identifies the question by files, size and rule
        QImage start, last;
        app::Issue issue;
    };
    static Seen look(const QString& stamp, const Request& request, const Variant& variant);
    void tell(app::NewestQuestion::Number question, const Seen& answer);

    Seen kept_;              ///< the last answer; used on the thread only
    app::TaskThread thread_; ///< last but for what borrows it, so that it is joined before the rest is destroyed
    app::NewestQuestion question_{thread_};
};

/// Stores a picture as a PNG in `folder`, named by its content, and returns its path. Does not write it again if it is
/// already there. Throws Error.
QString kept_picture(const Image& picture, const QString& folder);

/// Cuts `file` to the aspect of `target` and stores it as a PNG in `folder`, named by its content; returns its path.
/// `whole` keeps all of it and adds black bars. Throws Error if the file is no image or cannot be written.
QString cropped_image(const QString& file, CropPreset preset, const QSize& target, const QString& folder);

} // namespace denoir::ui
