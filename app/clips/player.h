// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/clips/frame_cache.h"
#include "app/clips/transport.h"
#include "engine/compare/pairing.h"

namespace denoir::app {

enum class Side { a, b };

/// Plays one clip, or two together. Frames of A and B are paired by their number, or by time if both rates and lengths
/// differ (by each frame's own time if frames do not come evenly), shifted by an offset. The shorter clip stays at its
/// last frame. Borrows the clips. GUI thread.
class Player : public Transport {
    Q_OBJECT
public:
    explicit Player(QObject* parent = nullptr);

    /// `clip` may be null. Playing goes on if possible. `frame` is the frame of the leader to show; with -1, the other
    /// side's frame stays as far as possible.
    void set_clip(Side side, Clip* clip, int frame = -1);
    /// Exchanges A and B. The frames shown and the state of play stay. `offset` is the new offset.
    void swap(int offset);
    Clip* clip(Side side) const { return side == Side::a ? a_ : b_; }
    /// The clip that gives the time: the longer one or, if both have the same length, the one that was set as A. Null
    /// if none is open.
    Clip* leader() const;

    int frames() const override; ///< of the leader, to which frame() and seconds() refer as well
    /// The frame of this side that is paired with the leader's, limited to its clip; -1 if no clip is open there.
    int frame_of(Side side) const;
    /// The leader's frame at which this side shows `frame`; 0 if no clip is open there.
    int frame_where(Side side, int frame) const;
    /// Whether the frames shown are a pair, and not a last frame beyond which one clip has no more.
    bool frames_meet() const;
    /// How frames of A and B are paired at present.
    const Pairing& pairing() const { return pairing_; }
    int offset() const { return offset_; }
    bool by_number() const { return by_number_; }

public slots:
    void set_offset(int frames); ///< shifts B by so many of its frames; A's frame stays
    /// Pairs frames by their number whatever their rates.
    void set_by_number(bool on);

signals:
    void offset_changed(int frames);
    void by_number_changed(bool on);

protected:
    double seconds_at(int frame) const override;
    int frame_at(double seconds) const override;
    double duration() const override;
    bool ready(int frame) const override;
    void want(int frame) override;

private:
    bool b_leads() const;
    int partner(const Clip& clip, int frame) const;
    void pair();
    void clip_changed(int frame);
    int kept(Side side, int frame) const; ///< frame() if that side shows `frame` there, or frame_where()

    Clip* a_ = nullptr;
    Clip* b_ = nullptr;
    Pairing pairing_, back_; ///< back_: from B to A, without the offset
    int offset_ = 0;
    bool by_number_ = false;
    bool b_came_first_ = false; ///< whether B was set as A, before a swap
};

} // namespace denoir::app
