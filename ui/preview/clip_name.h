// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QFontMetricsF;

namespace denoir::ui {

/// What a clip is called where it is compared with another.
struct ClipName {
    QString name;   ///< of a run its prompt and then its seed: "a red balloon · seed 7"
    QString detail; ///< in what else it differs from the other clip: "guidance 2 · shift 3"; may be empty

    QString whole() const;
    /// As much of it as fits into `room`. The prompt is cut first, then the seed if `other` has the same, and at last
    /// the detail from its end: what tells the two apart stays longest.
    QString fitted(const ClipName& other, const QFontMetricsF& metrics, double room) const;
};

} // namespace denoir::ui
