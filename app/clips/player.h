// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/clips/frame_cache.h"
#include "app/clips/transport.h"
#include "engine/compare/pairing.h"

namespace denoir::app {

enum class Side { a, b };

/// Moves through one clip, or two together. Which frames of A and B meet, Pairing has: frame by frame, or by time where
/// both rates and lengths differ (by the frames' own where those do not come evenly), shifted by an offset. The shorter
/// clip holds its last frame. Borrows the clips. GUI thread.
class Player : public Transport {
    Q_OBJECT
public:
    explicit Player(QObject* parent = nullptr);

    /// Null: none. State of play stays as far as it can, and so does the other side's frame where `frame` (of the
    /// leader) is -1.
    void set_clip(Side side, Clip* clip, int frame = -1);
    /// A becomes B. What is shown of both, and the state of play, stay; `offset`: B's in its new place.
    void swap(int offset);
    Clip* clip(Side side) const { return side == Side::a ? a_ : b_; }
    /// The clip that gives the time: the longer one; where both are as long the one that came as A. Null: none is open.
    Clip* leader() const;

    int frames() const override; ///< of the leader, as frame() and seconds() are
    /// The frame of this side that belongs to the leader's, held inside its clip; -1: nothing is open there.
    int frame_of(Side side) const;
    /// The leader's frame at which this side shows that one of its own; 0 where nothing is open there.
    int frame_where(Side side, int frame) const;
    /// Both sides show frames that Pairing has meet: neither is past its end.
    bool frames_meet() const;
    /// Which frame of B meets which one of A; made for the clips as they are now.
    const Pairing& pairing() const { return pairing_; }
    int offset() const { return offset_; }
    bool by_number() const { return by_number_; }

public slots:
    void set_offset(int frames); ///< B shows so many of its frames later; A's frame stays
    /// Frames are paired by their number whatever their rates.
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
    int kept(Side side, int frame) const; ///< frame(), or where that side shows this one of its own

    Clip* a_ = nullptr;
    Clip* b_ = nullptr;
    Pairing pairing_, back_; ///< back_: from B to A, without the offset
    int offset_ = 0;
    bool by_number_ = false;
    bool b_came_first_ = false; ///< it was A before a swap
};

} // namespace denoir::app
