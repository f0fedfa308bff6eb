<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en">
<context>
    <name>Runs</name>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n step</numerusform>
            <numerusform>%n steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::app::Comparison</name>
    <message numerus="yes">
        <source>%n frame(s) cannot be read: %1</source>
        <translation>
            <numerusform>%n frame cannot be read: %1</numerusform>
            <numerusform>%n frames cannot be read: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::Banners</name>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n more</numerusform>
            <numerusform>%n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::Branching</name>
    <message numerus="yes">
        <source>Change guidance or prompt, then Generate: the first %n step(s) are not computed again.</source>
        <translation>
            <numerusform>Change guidance or prompt, then Generate: the first step is not computed again.</numerusform>
            <numerusform>Change guidance or prompt, then Generate: the first %n steps are not computed again.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::DiskLimit</name>
    <message numerus="yes">
        <source>The runs use %1 of the %2 they may. The steps of %n unstarred old run(s) could go (%3); videos and last latents stay.</source>
        <translation>
            <numerusform>The runs use %1 of the %2 they may. The steps of %n unstarred old run could go (%3); videos and last latents stay.</numerusform>
            <numerusform>The runs use %1 of the %2 they may. The steps of %n unstarred old runs could go (%3); videos and last latents stay.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The disk has no room for the run. The steps of %n unstarred run(s) could go (%1); videos and last latents stay.</source>
        <translation>
            <numerusform>The disk has no room for the run. The steps of %n unstarred run could go (%1); videos and last latents stay.</numerusform>
            <numerusform>The disk has no room for the run. The steps of %n unstarred runs could go (%1); videos and last latents stay.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::DivergenceView</name>
    <message numerus="yes">
        <source>Latents are equal in all %n step(s) that both runs keep</source>
        <translation>
            <numerusform>Latents are equal in %n step that both runs keep</numerusform>
            <numerusform>Latents are equal in all %n steps that both runs keep</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::Exports</name>
    <message numerus="yes">
        <source>%n clip(s) are still being measured: what is written lacks their figures. Export it again when they are there.</source>
        <translation>
            <numerusform>%n clip is still being measured: what is written lacks its figures. Export it again when they are there.</numerusform>
            <numerusform>%n clips are still being measured: what is written lacks their figures. Export it again when they are there.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::ImagesPanel</name>
    <message numerus="yes">
        <source>its last %n frame(s) first</source>
        <translation>
            <numerusform>its last %n frame first</numerusform>
            <numerusform>its last %n frames first</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::MainWindow</name>
    <message numerus="yes">
        <source>%n run(s) deleted.</source>
        <translation>
            <numerusform>%n run deleted.</numerusform>
            <numerusform>%n runs deleted.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n LoRA(s) put into the parameters.</source>
        <translation>
            <numerusform>%n LoRA put into the parameters.</numerusform>
            <numerusform>%n LoRAs put into the parameters.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n shot(s) of this cut use what was deleted.</source>
        <translation>
            <numerusform>%n shot of this cut uses what was deleted.</numerusform>
            <numerusform>%n shots of this cut use what was deleted.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::MediaLocator</name>
    <message numerus="yes">
        <source>“%1” is too short: %2 of %n frame(s).</source>
        <translation>
            <numerusform>“%1” is too short: %2 of %n frame.</numerusform>
            <numerusform>“%1” is too short: %2 of %n frames.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) of the cut found again.</source>
        <translation>
            <numerusform>%n file of the cut found again.</numerusform>
            <numerusform>%n files of the cut found again.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::ModelsPanel</name>
    <message numerus="yes">
        <source>%n folder(s) watched</source>
        <translation>
            <numerusform>%n folder watched</numerusform>
            <numerusform>%n folders watched</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::Opener</name>
    <message numerus="yes">
        <source>%n file(s) could not be opened: %1</source>
        <translation>
            <numerusform>%n file could not be opened: %1</numerusform>
            <numerusform>%n files could not be opened: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::ParametersPanel</name>
    <message numerus="yes">
        <source>made in %n window(s) of %1 frames, each after the last %2 of the one before</source>
        <translation>
            <numerusform>made in %n window of %1 frames, each after the last %2 of the one before</numerusform>
            <numerusform>made in %n windows of %1 frames, each after the last %2 of the one before</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n step(s)</source>
        <translation>
            <numerusform>%1 of %n step</numerusform>
            <numerusform>%1 of %n steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::ProjectFiles</name>
    <message numerus="yes">
        <source>%n shot(s) of the cut cannot be shown: %1</source>
        <translation>
            <numerusform>%n shot of the cut cannot be shown: %1</numerusform>
            <numerusform>%n shots of the cut cannot be shown: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Denoir ended unexpectedly. Kept: %1, as of %2 (%n shot(s)).</source>
        <translation>
            <numerusform>Denoir ended unexpectedly. Kept: %1, as of %2 (%n shot).</numerusform>
            <numerusform>Denoir ended unexpectedly. Kept: %1, as of %2 (%n shots).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The last changes could not be kept. Kept: %1, as of %2 (%n shot(s)).</source>
        <translation>
            <numerusform>The last changes could not be kept. Kept: %1, as of %2 (%n shot).</numerusform>
            <numerusform>The last changes could not be kept. Kept: %1, as of %2 (%n shots).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Kept from the last session, not saved yet: %1, as of %2 (%n shot(s)).</source>
        <translation>
            <numerusform>Kept from the last session, not saved yet: %1, as of %2 (%n shot).</numerusform>
            <numerusform>Kept from the last session, not saved yet: %1, as of %2 (%n shots).</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::QueuePanel</name>
    <message numerus="yes">
        <source>%n waiting</source>
        <translation>
            <numerusform>%n waiting</numerusform>
            <numerusform>%n waiting</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::RunNews</name>
    <message numerus="yes">
        <source>The queue is paused; %n run(s) wait.</source>
        <translation>
            <numerusform>The queue is paused; %n run waits.</numerusform>
            <numerusform>The queue is paused; %n runs wait.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more can be resumed from the queue.</source>
        <translation>
            <numerusform>%n more can be resumed from the queue.</numerusform>
            <numerusform>%n more can be resumed from the queue.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::RunsPanel</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::ShotAdder</name>
    <message numerus="yes">
        <source>Each of the %n picture(s) is a shot of its own. Drop their folder to have them as frames of one.</source>
        <translation>
            <numerusform>%n picture is a shot of its own. Drop its folder to have it as a frame of one.</numerusform>
            <numerusform>Each of the %n pictures is a shot of its own. Drop their folder to have them as frames of one.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n shot(s) added to the timeline.</source>
        <translation>
            <numerusform>%n shot added to the timeline.</numerusform>
            <numerusform>%n shots added to the timeline.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) have no video yet: wait for them, or resume them.</source>
        <translation>
            <numerusform>%n run has no video yet: wait for it, or resume it.</numerusform>
            <numerusform>%n runs have no video yet: wait for them, or resume them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n could not be added: %1</source>
        <translation>
            <numerusform>%n could not be added: %1</numerusform>
            <numerusform>%n could not be added: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n added.</source>
        <translation>
            <numerusform>%n added.</numerusform>
            <numerusform>%n added.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other(s) of these videos look otherwise, too.</source>
        <translation>
            <numerusform>%n other of these videos looks otherwise, too.</numerusform>
            <numerusform>%n others of these videos look otherwise, too.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::SweepBar</name>
    <message numerus="yes">
        <source>%n clip(s)</source>
        <translation>
            <numerusform>%n clip</numerusform>
            <numerusform>%n clips</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n to render</source>
        <translation>
            <numerusform>%n to render</numerusform>
            <numerusform>%n to render</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::SweepView</name>
    <message numerus="yes">
        <source>Render %n missing</source>
        <translation>
            <numerusform>Render %n missing</numerusform>
            <numerusform>Render %n missing</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::TimelineView</name>
    <message numerus="yes">
        <source>%n f</source>
        <comment>frames</comment>
        <translation>
            <numerusform>%n f</numerusform>
            <numerusform>%n f</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n shot(s), playhead at frame %1 of %2.</source>
        <translation>
            <numerusform>%n shot, playhead at frame %1 of %2.</numerusform>
            <numerusform>%n shots, playhead at frame %1 of %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Selected: shot %1, %2, %n frame(s).</source>
        <translation>
            <numerusform>Selected: shot %1, %2, %n frame.</numerusform>
            <numerusform>Selected: shot %1, %2, %n frames.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1
a picture, for %2 s: %n frame(s) at %3 fps</source>
        <translation>
            <numerusform>%1
a picture, for %2 s: %n frame at %3 fps</numerusform>
            <numerusform>%1
a picture, for %2 s: %n frames at %3 fps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n shot(s), playhead at the end.</source>
        <translation>
            <numerusform>%n shot, playhead at the end.</numerusform>
            <numerusform>%n shots, playhead at the end.</numerusform>
        </translation>
    </message>
</context>
</TS>
