// SPDX-License-Identifier: GPL-3.0-or-later
// The part of ParametersPanel for parameters that are objects: LoRAs, the step cache, diffusion forcing.
#include <QVBoxLayout>

#include <algorithm>

#include "app/request/request_document.h"
#include "engine/core/units.h"
#include "ui/docks/lora_list.h"
#include "ui/docks/parameters_panel.h"
#include "ui/docks/parameters_text.h"
#include "ui/widgets/field.h"
#include "ui/widgets/wheel.h"

namespace denoir::ui {

void ParametersPanel::add_loras(QVBoxLayout* form) {
    auto* list = new LoraList(studio_.settings);
    list->setObjectName(key_loras);
    auto* field = new Field(tr("LoRA"), list);
    form->addWidget(field);
    fields_.insert(key_loras, field);
    show_.insert(key_loras, [this, list] {
        list->set_two_experts(two_experts());
        list->show_values(studio_.document.value(key_loras).toList());
    });
    connect(list, &LoraList::edited, this,
            [this](const QVariantList& loras) { set(key_loras, loras.isEmpty() ? QVariant() : QVariant(loras)); });
    connect(field, &Field::reset_asked, this, [this] { reset(key_loras); });
    connect(list, &LoraList::limited, this, [this](const QString& told) {
        snapped_.insert(key_loras, told);
        refresh_field(key_loras);
    });
}

void ParametersPanel::take_loras(const QStringList& files) { findChild<LoraList*>(key_loras)->add(files); }

void ParametersPanel::add_cache(QVBoxLayout* form) {
    const QString threshold = QStringLiteral("threshold");
    auto* edit = new NumberEdit(0, StepCaching::most, 0.05, 3);
    edit->setObjectName(key_cache);
    edit->setSpecialValueText(tr("off"));
    edit->setToolTip(tr("TeaCache: steps that hardly differ take over what an earlier one computed. 0.05 to 0.1 for "
                        "small models, 0.15 to 0.3 for large ones save about half of the work, at the price of changed "
                        "motion and fine detail. 0: off"));
    auto* field = new Field(tr("Cache"), edit);
    field->label()->set_scrubbable(true);
    form->addWidget(field);
    fields_.insert(key_cache, field);
    const auto members = [this] { return studio_.document.value(key_cache).toMap(); };
    show_.insert(key_cache, [this, edit, members, threshold] {
        if (refused_.contains(key_cache)) return;
        edit->show_value(studio_.document.has_value(key_cache) ? members().value(threshold).toDouble() : 0);
    });
    connect(edit, &NumberEdit::edited, this, [this, members, threshold](double value) {
        QVariantMap cache = members(); // other members, from a request file, stay
        cache.insert(threshold, value);
        set(key_cache, value > 0 ? QVariant(cache) : QVariant());
    });
    connect(field->label(), &ScrubLabel::scrubbed, edit, [edit](int notches) { edit->stepBy(notches); });
    connect(field, &Field::reset_asked, this, [this] { reset(key_cache); });
    tell_limits(*edit, key_cache);

    auto* whole = new QComboBox;
    whole->setObjectName(key_whole_steps);
    make_narrow(whole, 8);
    whole->addItem(tr("the first and the last"), false);
    whole->addItem(tr("the first five"), true);
    whole->setToolTip(
        tr("Steps that are always computed in full. “The first five” (ret_steps) also measures differences "
           "after the time projection, usually nearer to the whole computation and slower"));
    auto* whole_field = new Field(tr("In full"), whole);
    form->addWidget(whole_field);
    fields_.insert(key_whole_steps, whole_field);
    show_.insert(key_whole_steps, [this, whole, whole_field] {
        whole_field->setVisible(studio_.document.has_value(key_cache));
        whole->setCurrentIndex(whole->findData(studio_.document.value(key_whole_steps).toBool()));
    });
    connect(whole, &QComboBox::activated, this, [this, whole](int row) { set(key_whole_steps, whole->itemData(row)); });
    connect(whole_field, &Field::reset_asked, this, [this] { set(key_whole_steps, false); });
}

void ParametersPanel::add_forcing(QVBoxLayout* form) {
    const auto add = [this, form](const QString& name, const QString& member, double low, double high, double step,
                                  double usual, const QString& tip) {
        auto* edit = new NumberEdit(low, high, step, 0);
        edit->setObjectName(member);
        edit->setToolTip(tip);
        auto* field = new Field(name, edit);
        field->label()->set_scrubbable(true);
        form->addWidget(field);
        connect(edit, &NumberEdit::edited, this, [this, member, usual](double value) {
            set_forcing(member, value == usual ? QVariant() : QVariant(static_cast<int>(value)));
        });
        connect(field->label(), &ScrubLabel::scrubbed, edit, [edit](int notches) { edit->stepBy(notches); });
        connect(field, &Field::reset_asked, this, [this, member] { set_forcing(member, {}); });
        tell_limits(*edit, member);
        forcing_.append({member, usual, field, edit});
        return edit;
    };
    const Forcing usual;
    add(tr("AR step"), QStringLiteral("ar_step"), 0, 1000, 1, usual.ar_step,
        tr("Each block of frames runs this many steps behind the one before; 0: all frames together"));
    add(tr("Block"), QStringLiteral("block"), 1, 4097, 1, usual.block, tr("Latent frames that share a timestep"))
        ->set_unit(tr(" latent frames"), tr(" latent frame"));
    auto* base = add(tr("Window"), QStringLiteral("base"), 0, FrameCount::max, 4, 0,
                     tr("A longer clip is made in windows of this many frames, each continuing the one before; "
                        "automatic: as long as the clips that the model was made for"));
    base->setSpecialValueText(tr("automatic"));
    base->set_snap([](double typed) { return typed < 3 ? 0 : std::max(5.0, nearest_frame_count(typed)); });
    base->set_unit(tr(" frames"));
    auto* overlap =
        add(tr("Overlap"), QStringLiteral("overlap"), 1, FrameCount::max, 4, usual.overlap,
            tr("Frames that a window takes over from the one before, or a clip from the video that it continues"));
    overlap->set_snap(nearest_frame_count);
    overlap->set_unit(tr(" frames"), tr(" frame"));
    add(tr("Cond. noise"), QStringLiteral("condition_noise"), 0, 999, 5, usual.condition_noise,
        tr("Noise on the frames that are given, in thousandths: 20 keeps long clips from drifting, at most 60; 0: "
           "none"))
        ->set_unit(QStringLiteral(" ‰"));
}

void ParametersPanel::set_forcing(const QString& member, const QVariant& value) {
    const QString key = QStringLiteral("forcing");
    QVariantMap forcing;
    if (studio_.document.has_value(key)) forcing = studio_.document.value(key).toMap();
    if (value.isValid())
        forcing.insert(member, value);
    else
        forcing.remove(member);
    const QVariantMap usual = studio_.document.default_value(key).toMap();
    const auto is_usual = [&](const QString& each) {
        if (usual.contains(each)) return forcing.value(each) == usual.value(each);
        // The defaults lack members that only matter with windows.
        return std::any_of(forcing_.begin(), forcing_.end(), [&](const ForcingField& field) {
            return field.member == each && forcing.value(each).toDouble() == field.usual;
        });
    };
    const QStringList members = forcing.keys();
    const bool plain = std::all_of(members.begin(), members.end(), is_usual);
    if (plain)
        reset(key);
    else
        set(key, forcing);
}

} // namespace denoir::ui
