// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

#include "engine/media/video_writer.h"

namespace denoir::app {

/// Writes a lossless clip whose frame i has the grey level 10·i + `base`; its red is one more.
inline void write_grey_clip(const QString& path, int frames, int width = 48, int height = 32, int base = 0,
                            int fps = 24) {
    VideoOptions options;
    options.width = width, options.height = height, options.fps = {fps, 1};
    VideoWriter writer(path.toStdString(), options);
    for (int i = 0; i < frames; ++i) {
        Image frame(width, height);
        for (std::size_t k = 0; k < frame.rgb.size(); ++k)
            frame.rgb[k] = std::uint8_t((10 * i + base + (k % 3 == 0 ? 1 : 0)) % 256);
        writer.write(frame);
    }
    writer.finish();
}

} // namespace denoir::app
