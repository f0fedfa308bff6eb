// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <filesystem>
#include <string>

namespace denoir::app {

inline QString to_qstring(const std::string& text) { return QString::fromUtf8(text.data(), qsizetype(text.size())); }
inline QString to_qstring(std::string_view text) { return QString::fromUtf8(text.data(), qsizetype(text.size())); }
inline QString to_qstring(const std::filesystem::path& path) { return QString::fromUtf8(path.native().c_str()); }
inline std::filesystem::path to_path(const QString& text) { return text.toStdString(); }

/// The beginning of `text`, at most `length` UTF-16 units, which end with an ellipsis if something was left out.
QString shortened(const QString& text, qsizetype length);
/// "8.2 s", "3 min 05 s", "2 h 10 min", "5 days"; "–" if the duration is not known (negative or NaN). `digits` are the
/// decimals below ten seconds.
QString duration_text(double seconds, int digits = 1);
/// "4.2 GiB", "24 MiB": the units of the engine's messages, and those that graphics cards are sold by; "–" if negative.
QString bytes_text(double bytes);

} // namespace denoir::app
