// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/seen_images.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <cmath>

#include "app/base/text.h"
#include "engine/core/error.h"
#include "engine/core/own_folders.h"
#include "engine/media/crop.h"
#include "engine/media/image.h"
#include "engine/pipeline/images.h"

namespace denoir::ui {

namespace {

QImage to_qimage(const Tensor& pixels) { // [3,H,W] in -1 … 1
    const auto& shape = pixels.shape();
    const int height = int(shape[1]), width = int(shape[2]);
    const float* values = pixels.data<float>();
    const std::size_t plane = std::size_t(width) * std::size_t(height);
    QImage image(width, height, QImage::Format_RGB888);
    for (int y = 0; y < height; ++y) {
        uchar* line = image.scanLine(y);
        for (int x = 0; x < width; ++x)
            for (std::size_t c = 0; c < 3; ++c)
                line[3 * x + int(c)] = uchar(std::clamp(
                    std::lround((values[c * plane + std::size_t(y) * std::size_t(width) + std::size_t(x)] + 1) *
                                127.5F),
                    0L, 255L));
    }
    return image;
}

/// Identifies a file and its content, by path, size and time.
QString stamp_of(const std::filesystem::path& file) {
    if (file.empty()) return {};
    const QFileInfo info(app::to_qstring(file));
    return QStringLiteral("%1 %2 %3\n")
        .arg(info.filePath())
        .arg(info.size())
        .arg(info.lastModified().toMSecsSinceEpoch());
}

QString stamp_of(const Request& request, const Variant& variant) {
    return QStringLiteral("%1|%2|%3 %4 %5")
        .arg(stamp_of(request.image), stamp_of(request.last_image))
        .arg(request.width.value_or(0))
        .arg(request.height.value_or(0))
        .arg(int(image_rule(request, variant)));
}

} // namespace

SeenImages::SeenImages(QObject* parent) : QObject(parent) {}

void SeenImages::ask(const Request& request, const Variant& variant) {
    question_.ask([this, request, variant](app::TaskThread::Id question, const std::stop_token&) {
        const QString stamp = stamp_of(request, variant);
        if (stamp != kept_.stamp) kept_ = look(stamp, request, variant);
        QMetaObject::invokeMethod(this, [this, question, answer = kept_] { tell(question, answer); });
    });
}

void SeenImages::tell(app::NewestQuestion::Number question, const Seen& answer) {
    if (question == question_.newest()) emit seen(answer.start, answer.last, answer.issue);
}

SeenImages::Seen SeenImages::look(const QString& stamp, const Request& request, const Variant& variant) {
    Seen out{stamp, {}, {}, {}};
    const ImageUse use{.rule = image_rule(request, variant),
                       .size = {request.width.value_or(0), request.height.value_or(0)}};
    const auto see = [&](const std::filesystem::path& file, const Image& image, const Image& first) {
        try {
            return to_qimage(see_image(image, first, use).pixels);
        } catch (const Error& e) {
            throw e.in_file(file.string());
        }
    };
    try {
        Image first;
        if (!request.image.empty()) {
            first = read_image(request.image);
            out.start = see(request.image, first, first);
        }
        if (!request.last_image.empty()) {
            const Image end = read_image(request.last_image);
            out.last = see(request.last_image, end, request.image.empty() ? end : first);
        }
    } catch (...) {
        out.issue = app::Issue::from_current_exception();
    }
    return out;
}

QString kept_picture(const Image& picture, const QString& folder) {
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(QByteArrayView(reinterpret_cast<const char*>(picture.rgb.data()), qsizetype(picture.rgb.size())));
    hash.addData(QByteArray::number(picture.width));
    made_folder(app::to_path(folder));
    const QString path =
        QDir(folder).filePath(QString::fromLatin1(hash.result().toHex().left(24)) + QStringLiteral(".png"));
    if (!QFileInfo::exists(path)) write_png(app::to_path(path), picture, {});
    return path;
}

QString cropped_image(const QString& file, CropPreset preset, const QSize& target, const QString& folder) {
    if (preset == CropPreset::model || target.isEmpty()) return file;
    const Image whole = read_image(app::to_path(file));
    const double aspect = double(target.width()) / target.height();
    int width = whole.width, height = whole.height;
    const bool wide = double(width) / height > aspect;
    CropBox box{0, 0, width, height};
    if (preset == CropPreset::whole) { // crop() makes everything outside the picture black
        const int full_width = wide ? width : int(std::lround(height * aspect)),
                  full_height = wide ? int(std::lround(width / aspect)) : height;
        box.left = -(full_width - width) / 2;
        box.top = -(full_height - height) / 2;
        box.right = box.left + full_width;
        box.bottom = box.top + full_height;
    } else if (wide) {
        const int part = std::max(1, int(std::lround(height * aspect)));
        box.left = preset == CropPreset::left ? 0 : preset == CropPreset::right ? width - part : (width - part) / 2;
        box.right = box.left + part;
    } else {
        const int part = std::max(1, int(std::lround(width / aspect)));
        box.top = preset == CropPreset::top ? 0 : preset == CropPreset::bottom ? height - part : (height - part) / 2;
        box.bottom = box.top + part;
    }
    return kept_picture(crop(whole, box), folder);
}

} // namespace denoir::ui
