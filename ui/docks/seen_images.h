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

/// How a picture is cut before the model's own preprocessing looks at it.
enum class CropPreset { model, centre, left, right, top, bottom, whole };

/// What the model will see of the start and last image: the engine's own preprocessing, on a thread of its own. Answers
/// only the newest question.
class SeenImages : public QObject {
    Q_OBJECT
public:
    explicit SeenImages(QObject* parent = nullptr);
    /// `request`: resolved, for a model of `variant`; its image and last_image are looked at. The same question again
    /// is answered from memory, unless a file was written anew.
    void ask(const Request& request, const Variant& variant);

signals:
    /// Null where there is none; RGB, the request's width and height as the VAE gets them. `issue` names the file that
    /// cannot be seen, although its headers were good.
    void seen(const QImage& start, const QImage& last, const denoir::app::Issue& issue);

private:
    /// What a question was about, and its answer.
    struct Seen {
        QString stamp; ///< files, size and rule: the same again is the same
        QImage start, last;
        app::Issue issue;
    };
    static Seen look(const QString& stamp, const Request& request, const Variant& variant);
    void tell(app::NewestQuestion::Number question, const Seen& answer);

    Seen kept_;              ///< of the thread: the answer to its last question
    app::TaskThread thread_; ///< last but one: joined before the rest goes
    app::NewestQuestion question_{thread_};
};

/// Stores a picture as a PNG in `folder`, named by its content, unless it is there; returns its path. Throws Error.
QString kept_picture(const Image& picture, const QString& folder);

/// Cuts `file` to the aspect of `target` and stores it as a PNG in `folder`, named by its content; returns its path.
/// `whole` keeps all of it, on black bars. Throws Error where the file is no image or cannot be written.
QString cropped_image(const QString& file, CropPreset preset, const QSize& target, const QString& folder);

} // namespace denoir::ui
