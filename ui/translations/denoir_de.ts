<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de">
<context>
    <name>ClipSource</name>
    <message>
        <source>seed %1</source>
        <translation>Seed %1</translation>
    </message>
</context>
<context>
    <name>OfferRuns</name>
    <message>
        <source>A video …</source>
        <translation>Ein Video …</translation>
    </message>
    <message>
        <source>A folder of frames …</source>
        <translation>Ein Ordner mit Bildern …</translation>
    </message>
    <message>
        <source>Compare a folder of frames</source>
        <translation>Einen Ordner mit Bildern vergleichen</translation>
    </message>
    <message>
        <source>Compare a video or picture</source>
        <translation>Ein Video oder Bild vergleichen</translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>use %1 frames</source>
        <translation>%1 Bilder nehmen</translation>
    </message>
    <message>
        <source>use the size %1x%2</source>
        <translation>die Größe %1x%2 nehmen</translation>
    </message>
    <message>
        <source>move it away</source>
        <translation>die Datei wegräumen</translation>
    </message>
    <message>
        <source>it was put aside as %1</source>
        <translation>sie liegt jetzt als %1 daneben</translation>
    </message>
    <message>
        <source>an internal error</source>
        <translation>ein innerer Fehler</translation>
    </message>
    <message>
        <source>try again; if it stays, report it</source>
        <translation>noch einmal versuchen; wenn er bleibt, bitte melden</translation>
    </message>
    <message>
        <source>text to video</source>
        <translation>Text zu Video</translation>
    </message>
    <message>
        <source>image to video</source>
        <translation>Bild zu Video</translation>
    </message>
    <message>
        <source>first and last frame</source>
        <translation>erstes und letztes Bild</translation>
    </message>
    <message>
        <source>diffusion forcing</source>
        <translation>Diffusion Forcing</translation>
    </message>
    <message>
        <source>Demo</source>
        <translation>Demo</translation>
    </message>
    <message>
        <source>the index of the runs cannot be written</source>
        <translation>das Verzeichnis der Läufe lässt sich nicht schreiben</translation>
    </message>
    <message>
        <source>free some space or check the folder&apos;s rights; the runs are listed all the same</source>
        <translation>Platz schaffen oder die Rechte des Ordners prüfen; die Läufe werden trotzdem gezeigt</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 h %2 min</translation>
    </message>
    <message>
        <source>use a model with weights of at most %1</source>
        <translation>ein Modell mit Gewichten von höchstens %1 nehmen</translation>
    </message>
    <message>
        <source>%1 days</source>
        <translation>%1 Tage</translation>
    </message>
    <message>
        <source>%1×%2, %3 frames</source>
        <translation>%1×%2, %3 Bilder</translation>
    </message>
    <message>
        <source>fits · %1 of %2 for %3</source>
        <translation>passt · %1 von %2 für %3</translation>
    </message>
    <message>
        <source>slower · weights come and go: %1 of %2 for %3</source>
        <translation>langsamer · Gewichte kommen und gehen: %1 von %2 für %3</translation>
    </message>
    <message>
        <source>too large · %1 at least for %2, %3 are free: use a smaller size</source>
        <translation>zu groß · mindestens %1 für %2, %3 sind frei: eine kleinere Größe wählen</translation>
    </message>
    <message>
        <source>branch from step %1</source>
        <translation>Zweig ab Schritt %1</translation>
    </message>
</context>
<context>
    <name>RequestLines</name>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>mode</source>
        <translation>Modus</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>model family</source>
        <translation>Modellfamilie</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>negative prompt</source>
        <translation>negativer Prompt</translation>
    </message>
    <message>
        <source>start image</source>
        <translation>Startbild</translation>
    </message>
    <message>
        <source>end image</source>
        <translation>Endbild</translation>
    </message>
    <message>
        <source>size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>width</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>height</source>
        <translation>Höhe</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>guidance</source>
        <translation>Guidance</translation>
    </message>
    <message>
        <source>shift</source>
        <translation>Shift</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>sampler</source>
        <translation>Sampler</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>rounding</source>
        <translation>Rundung</translation>
    </message>
    <message>
        <source>image scaling</source>
        <translation>Bildskalierung</translation>
    </message>
    <message>
        <source>device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>latents kept</source>
        <translation>behaltene Latents</translation>
    </message>
    <message>
        <source>noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>noise: file</source>
        <translation>Rauschen: Datei</translation>
    </message>
    <message>
        <source>forcing: block</source>
        <translation>Forcing: Block</translation>
    </message>
    <message>
        <source>forcing: causal attention</source>
        <translation>Forcing: kausale Attention</translation>
    </message>
    <message>
        <source>forcing: video</source>
        <translation>Forcing: Video</translation>
    </message>
    <message>
        <source>forcing: frames of the video</source>
        <translation>Forcing: Bilder des Videos</translation>
    </message>
    <message>
        <source>forcing: overlap</source>
        <translation>Forcing: Überlappung</translation>
    </message>
    <message>
        <source>forcing: window</source>
        <translation>Forcing: Fenster</translation>
    </message>
    <message>
        <source>cache threshold</source>
        <translation>Cache-Schwelle</translation>
    </message>
    <message>
        <source>cache: first steps in full</source>
        <translation>Cache: erste Schritte ganz</translation>
    </message>
    <message>
        <source>cache: coefficients</source>
        <translation>Cache: Koeffizienten</translation>
    </message>
    <message>
        <source>branched from</source>
        <translation>abgezweigt von</translation>
    </message>
    <message>
        <source>branched after step</source>
        <translation>abgezweigt nach Schritt</translation>
    </message>
    <message>
        <source>branched from latents</source>
        <translation>abgezweigt von Latents</translation>
    </message>
    <message>
        <source>LoRA %1</source>
        <translation>LoRA %1</translation>
    </message>
    <message>
        <source>LoRA %1: file</source>
        <translation>LoRA %1: Datei</translation>
    </message>
    <message>
        <source>LoRA %1: expert</source>
        <translation>LoRA %1: Experte</translation>
    </message>
    <message>
        <source>low-noise transformer</source>
        <translation>Transformer für wenig Rauschen</translation>
    </message>
    <message>
        <source>VAE</source>
        <translation>VAE</translation>
    </message>
    <message>
        <source>text encoder</source>
        <translation>Textencoder</translation>
    </message>
    <message>
        <source>CLIP image encoder</source>
        <translation>CLIP-Bildencoder</translation>
    </message>
    <message>
        <source>tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>parts of the model</source>
        <translation>Teile des Modells</translation>
    </message>
    <message>
        <source>LoRAs</source>
        <translation>LoRAs</translation>
    </message>
    <message>
        <source>forcing</source>
        <translation>Forcing</translation>
    </message>
    <message>
        <source>cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>branch</source>
        <translation>Abzweigung</translation>
    </message>
    <message>
        <source>guidance until</source>
        <translation>Guidance bis</translation>
    </message>
    <message>
        <source>rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>guidance low</source>
        <translation>Guidance niedrig</translation>
    </message>
    <message>
        <source>forcing: AR step</source>
        <translation>Forcing: AR-Schritt</translation>
    </message>
    <message>
        <source>forcing: conditioning noise</source>
        <translation>Forcing: Vorgabe-Rauschen</translation>
    </message>
</context>
<context>
    <name>Runs</name>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n Schritt</numerusform>
            <numerusform>%n Schritte</numerusform>
        </translation>
    </message>
    <message>
        <source>CFG %1</source>
        <translation>CFG %1</translation>
    </message>
    <message>
        <source>seed %1</source>
        <translation>Seed %1</translation>
    </message>
    <message>
        <source>%1 f</source>
        <translation>%1 Bilder</translation>
    </message>
    <message>
        <source>running · decoding</source>
        <translation>läuft · Dekodieren</translation>
    </message>
    <message>
        <source>running · step %1/%2</source>
        <translation>läuft · Schritt %1/%2</translation>
    </message>
    <message>
        <source>interrupted %1/%2</source>
        <translation>unterbrochen %1/%2</translation>
    </message>
    <message>
        <source>stopped %1/%2</source>
        <translation>angehalten %1/%2</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>fehlgeschlagen: %1</translation>
    </message>
    <message>
        <source>unreadable: %1</source>
        <translation>nicht lesbar: %1</translation>
    </message>
    <message>
        <source>not begun</source>
        <translation>nicht begonnen</translation>
    </message>
    <message>
        <source>(no prompt)</source>
        <translation>(kein Prompt)</translation>
    </message>
</context>
<context>
    <name>SaveDialog</name>
    <message>
        <source>“%1” already exists. Replace it?</source>
        <translation>„%1“ gibt es schon. Ersetzen?</translation>
    </message>
</context>
<context>
    <name>Sizes</name>
    <message>
        <source>%1 · default</source>
        <translation>%1 · Vorgabe</translation>
    </message>
    <message>
        <source>%1 · half</source>
        <translation>%1 · halb</translation>
    </message>
</context>
<context>
    <name>Stages</name>
    <message>
        <source>loading the text encoder</source>
        <translation>lädt den Textencoder</translation>
    </message>
    <message>
        <source>reading the prompt</source>
        <translation>liest den Prompt</translation>
    </message>
    <message>
        <source>loading the image encoder</source>
        <translation>lädt den Bildencoder</translation>
    </message>
    <message>
        <source>looking at the image</source>
        <translation>sieht das Bild an</translation>
    </message>
    <message>
        <source>loading the decoder</source>
        <translation>lädt den Decoder</translation>
    </message>
    <message>
        <source>encoding the image</source>
        <translation>kodiert das Bild</translation>
    </message>
    <message>
        <source>loading the transformer</source>
        <translation>lädt den Transformer</translation>
    </message>
    <message>
        <source>denoising</source>
        <translation>entrauscht</translation>
    </message>
    <message>
        <source>decoding</source>
        <translation>dekodiert</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>noch %1</translation>
    </message>
    <message>
        <source>%1 left, then decoding</source>
        <translation>noch %1, danach Dekodieren</translation>
    </message>
</context>
<context>
    <name>denoir::app::Comparison</name>
    <message>
        <source>Decoding A&apos;s latents, frame %1 of %2</source>
        <translation>Dekodiert die Latents von A, Bild %1 von %2</translation>
    </message>
    <message>
        <source>Decoding B&apos;s latents, frame %1 of %2</source>
        <translation>Dekodiert die Latents von B, Bild %1 von %2</translation>
    </message>
    <message>
        <source>A is %1, B is %2: only equal sizes can be measured</source>
        <translation>A ist %1, B ist %2: nur gleiche Größen lassen sich messen</translation>
    </message>
    <message>
        <source>compare runs of one size</source>
        <translation>Läufe gleicher Größe vergleichen</translation>
    </message>
    <message>
        <source>A runs at %1 fps, B at %2: frames are paired by their number</source>
        <translation>A läuft mit %1 fps, B mit %2: gepaart werden Bilder gleicher Nummer</translation>
    </message>
    <message>
        <source>A has %1 frames, B %2; paired: %3</source>
        <translation>A hat %1 Bilder, B %2; gepaart: %3</translation>
    </message>
    <message numerus="yes">
        <source>%n frame(s) cannot be read: %1</source>
        <translation>
            <numerusform>%n Bild kann nicht gelesen werden: %1</numerusform>
            <numerusform>%n Bilder können nicht gelesen werden: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>A runs at %1 fps, B at %2: each frame of A meets the frame of B nearest in time</source>
        <translation>A läuft mit %1 fps, B mit %2: zu jedem Bild von A gehört das zeitlich nächste von B</translation>
    </message>
    <message>
        <source>A is HDR (%1) and read as if it were not</source>
        <translation>A ist HDR (%1) und wird gelesen, als wäre es keins</translation>
    </message>
    <message>
        <source>B is HDR (%1) and read as if it were not</source>
        <translation>B ist HDR (%1) und wird gelesen, als wäre es keins</translation>
    </message>
    <message>
        <source>A (%1) and B (%2) are HDR and read as if they were not</source>
        <translation>A (%1) und B (%2) sind HDR und werden gelesen, als wären sie keins</translation>
    </message>
    <message>
        <source>The latents cannot be decoded, so the videos are measured: %1</source>
        <translation>Die Latents lassen sich nicht dekodieren, gemessen werden die Videos: %1</translation>
    </message>
    <message>
        <source>A %1</source>
        <translation>A %1</translation>
    </message>
    <message>
        <source>B %1</source>
        <translation>B %1</translation>
    </message>
</context>
<context>
    <name>denoir::app::Estimator</name>
    <message>
        <source>time is known after the first run</source>
        <translation>die Dauer ist nach dem ersten Lauf bekannt</translation>
    </message>
    <message>
        <source>≈ %1</source>
        <translation>≈ %1</translation>
    </message>
    <message>
        <source>%1 · %2 fits</source>
        <translation>%1 · %2 passen</translation>
    </message>
    <message>
        <source>too large: needs %1 at least, %2 are free</source>
        <translation>zu groß: braucht mindestens %1, frei sind %2</translation>
    </message>
    <message>
        <source>%1 · needs %2</source>
        <translation>%1 · braucht %2</translation>
    </message>
    <message>
        <source>needs %1 of %2: weights are read again in every step</source>
        <translation>braucht %1 von %2: die Gewichte werden in jedem Schritt neu gelesen</translation>
    </message>
    <message>
        <source>needs %1 of %2: weights come from this machine&apos;s memory in every step</source>
        <translation>braucht %1 von %2: Gewichte kommen in jedem Schritt aus dem Arbeitsspeicher</translation>
    </message>
    <message>
        <source>%1 or more</source>
        <translation>%1 oder mehr</translation>
    </message>
    <message>
        <source>%1, then decoding</source>
        <translation>%1, danach Dekodieren</translation>
    </message>
</context>
<context>
    <name>denoir::app::LayerComparison</name>
    <message>
        <source>%1 · seed %2</source>
        <translation>%1 · Seed %2</translation>
    </message>
</context>
<context>
    <name>denoir::app::Notifier</name>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
</context>
<context>
    <name>denoir::app::Project</name>
    <message>
        <source>add a shot</source>
        <translation>Einstellung hinzufügen</translation>
    </message>
    <message>
        <source>remove a shot</source>
        <translation>Einstellung entfernen</translation>
    </message>
    <message>
        <source>move a shot</source>
        <translation>Einstellung verschieben</translation>
    </message>
    <message>
        <source>trim a shot</source>
        <translation>Einstellung kürzen</translation>
    </message>
    <message>
        <source>split a shot</source>
        <translation>Einstellung teilen</translation>
    </message>
    <message>
        <source>add a take</source>
        <translation>Take hinzufügen</translation>
    </message>
    <message>
        <source>choose a take</source>
        <translation>Take wählen</translation>
    </message>
    <message>
        <source>remove a take</source>
        <translation>Take entfernen</translation>
    </message>
    <message>
        <source>rename a shot</source>
        <translation>Einstellung umbenennen</translation>
    </message>
    <message>
        <source>put it back, choose another take, or remove the shot</source>
        <translation>es zurücklegen, einen anderen Take wählen oder die Einstellung entfernen</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Unbenannt</translation>
    </message>
    <message>
        <source>shot %1, “%2”</source>
        <translation>Einstellung %1, „%2“</translation>
    </message>
    <message>
        <source>its video is not there any more</source>
        <translation>ihr Video ist nicht mehr da</translation>
    </message>
    <message>
        <source>bring the deleted run back, choose another take, or remove the shot</source>
        <translation>den gelöschten Lauf wiederherstellen, einen anderen Take wählen oder die Einstellung entfernen</translation>
    </message>
    <message>
        <source>its picture is not there any more</source>
        <translation>ihr Bild ist nicht mehr da</translation>
    </message>
    <message>
        <source>its folder of frames is not there any more</source>
        <translation>ihr Ordner mit Bildern ist nicht mehr da</translation>
    </message>
    <message>
        <source>locate media</source>
        <translation>Medien suchen</translation>
    </message>
</context>
<context>
    <name>denoir::app::ProjectLock</name>
    <message>
        <source>another studio has this project open</source>
        <translation>ein anderes Studio hat dieses Projekt offen</translation>
    </message>
    <message>
        <source>save it under another name to change it</source>
        <translation>unter einem anderen Namen speichern, um es zu ändern</translation>
    </message>
    <message>
        <source>a studio on %1 has this project open</source>
        <translation>ein Studio auf %1 hat dieses Projekt offen</translation>
    </message>
    <message>
        <source>close it there; if none runs there any more, remove %1</source>
        <translation>dort schließen; läuft dort keines mehr, %1 löschen</translation>
    </message>
</context>
<context>
    <name>denoir::app::RequestDocument</name>
    <message>
        <source>change %1</source>
        <translation>%1 ändern</translation>
    </message>
    <message>
        <source>reset %1</source>
        <translation>%1 zurücksetzen</translation>
    </message>
    <message>
        <source>reset every parameter</source>
        <translation>alle Parameter zurücksetzen</translation>
    </message>
</context>
<context>
    <name>denoir::app::ResultPlacer</name>
    <message>
        <source>The shot is not there any more: the result is among the runs.</source>
        <translation>Die Einstellung ist nicht mehr da: Das Ergebnis steht unter den Läufen.</translation>
    </message>
    <message>
        <source>The shot shows more now than the part that was made again: the result is among the runs.</source>
        <translation>Die Einstellung zeigt jetzt mehr als den Teil, der neu gemacht wurde: Das Ergebnis steht unter den Läufen.</translation>
    </message>
    <message>
        <source>The cut would become too long: the result is among the runs.</source>
        <translation>Der Schnitt würde zu lang: Das Ergebnis steht unter den Läufen.</translation>
    </message>
</context>
<context>
    <name>denoir::app::RunHistory</name>
    <message>
        <source>this run cannot be removed: %1</source>
        <translation>dieser Lauf lässt sich nicht entfernen: %1</translation>
    </message>
    <message>
        <source>check the folder&apos;s rights</source>
        <translation>die Rechte des Ordners prüfen</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>„%1“</translation>
    </message>
</context>
<context>
    <name>denoir::app::Settings</name>
    <message>
        <source>nothing can be written there, so nothing is kept</source>
        <translation>dort kann nicht geschrieben werden, deshalb bleibt nichts erhalten</translation>
    </message>
    <message>
        <source>change the folder&apos;s rights, or set DENOIR_HOME to another folder and start again</source>
        <translation>die Rechte des Ordners ändern, oder DENOIR_HOME auf einen anderen Ordner setzen und neu starten</translation>
    </message>
</context>
<context>
    <name>denoir::app::Studio</name>
    <message>
        <source>A video is ready</source>
        <translation>Ein Video ist fertig</translation>
    </message>
    <message>
        <source>A run failed</source>
        <translation>Ein Lauf ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>begins: %1 · %2</source>
        <translation>beginnt: %1 · %2</translation>
    </message>
    <message>
        <source>run %1 with %2 at step %3 of %4</source>
        <translation>Lauf %1 mit %2 bei Schritt %3 von %4</translation>
    </message>
    <message>
        <source>done in %1, at most %2 of memory: %3</source>
        <translation>fertig nach %1, höchstens %2 Speicher: %3</translation>
    </message>
    <message>
        <source>stopped before it began</source>
        <translation>vor dem Beginn angehalten</translation>
    </message>
    <message>
        <source>stopped: %1</source>
        <translation>angehalten: %1</translation>
    </message>
    <message>
        <source>Denoir %1 begins</source>
        <translation>Denoir %1 beginnt</translation>
    </message>
</context>
<context>
    <name>denoir::app::SweepAxes</name>
    <message>
        <source>change the values of %1</source>
        <translation>Werte von %1 ändern</translation>
    </message>
    <message>
        <source>sweep over %1</source>
        <translation>%1 durchgehen</translation>
    </message>
    <message>
        <source>remove the axis %1</source>
        <translation>Achse %1 entfernen</translation>
    </message>
    <message>
        <source>turn the grid</source>
        <translation>Raster drehen</translation>
    </message>
    <message>
        <source>4, 8, 20 or 1..8</source>
        <translation>4, 8, 20 oder 1..8</translation>
    </message>
    <message>
        <source>1, 3, 6 or 1..6:0.5</source>
        <translation>1, 3, 6 oder 1; 2,5; 6 oder 1..6:0.5</translation>
    </message>
    <message>
        <source>one | another</source>
        <translation>eins | ein anderes</translation>
    </message>
    <message>
        <source>7, 8, 9 or 1..4</source>
        <translation>7, 8, 9 oder 1..4</translation>
    </message>
    <message>
        <source>256x144, 512x288</source>
        <translation>256x144, 512x288</translation>
    </message>
    <message>
        <source>4n+1: 17, 33 or 17..49:16</source>
        <translation>4n+1: 17, 33 oder 17..49:16</translation>
    </message>
    <message>
        <source>0, 0.1, 0.2; 0 computes everything</source>
        <translation>0, 0.1, 0.2; 0 rechnet alles</translation>
    </message>
    <message>
        <source>LoRA %1: %2</source>
        <translation>LoRA %1: %2</translation>
    </message>
    <message>
        <source>files: one.png | another.png</source>
        <translation>Dateien: eins.png | anderes.png</translation>
    </message>
    <message>
        <source>folders or names: one | another</source>
        <translation>Ordner oder Namen: eins | ein anderes</translation>
    </message>
    <message>
        <source>0, 500, 750; 0 guides every step</source>
        <translation>0, 500, 750; 0: Guidance in jedem Schritt</translation>
    </message>
</context>
<context>
    <name>denoir::app::SweepDocument</name>
    <message>
        <source>another process is working on this sweep</source>
        <translation>ein anderer Prozess arbeitet an dieser Reihe</translation>
    </message>
    <message>
        <source>wait for it, or end it</source>
        <translation>auf ihn warten oder ihn beenden</translation>
    </message>
    <message>
        <source>take the sweep&apos;s axes</source>
        <translation>Achsen der Reihe übernehmen</translation>
    </message>
    <message>
        <source>take “%1”</source>
        <translation>„%1“ übernehmen</translation>
    </message>
</context>
<context>
    <name>denoir::app::TakeReader</name>
    <message>
        <source>it was read for a project that is not open any more</source>
        <translation>es wurde für ein Projekt gelesen, das nicht mehr offen ist</translation>
    </message>
    <message>
        <source>add it again</source>
        <translation>noch einmal hinzufügen</translation>
    </message>
    <message>
        <source>is HDR (%1) and shown as if it were SDR, in paler colours than in players</source>
        <translation>ist HDR (%1) und wird gezeigt, als wäre es SDR: in blasseren Farben als in Playern</translation>
    </message>
    <message>
        <source>has pixels of %1:%2, which are shown as square ones; players show it in other proportions</source>
        <translation>hat Bildpunkte von %1:%2, die als quadratische gezeigt werden; in Playern hat es andere Proportionen</translation>
    </message>
    <message>
        <source>is interlaced: both fields of a frame are shown at once</source>
        <translation>besteht aus Halbbildern (interlaced), von denen je zwei zugleich gezeigt werden</translation>
    </message>
</context>
<context>
    <name>denoir::ui::AxisChip</name>
    <message>
        <source>What varies</source>
        <translation>Was sich ändert</translation>
    </message>
    <message>
        <source>Values: %1</source>
        <translation>Werte: %1</translation>
    </message>
    <message>
        <source>Values of %1</source>
        <translation>Werte von %1</translation>
    </message>
    <message>
        <source>Remove the axis %1</source>
        <translation>Achse %1 entfernen</translation>
    </message>
    <message>
        <source>What varies: %1</source>
        <translation>Was sich ändert: %1</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Banners</name>
    <message>
        <source>Messages</source>
        <translation>Mitteilungen</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Dismiss message</source>
        <translation>Mitteilung schließen</translation>
    </message>
    <message>
        <source>Only the newest</source>
        <translation>Nur die neuesten</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n weitere</numerusform>
            <numerusform>%n weitere</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::Branching</name>
    <message>
        <source>Pick a step in the strip first.</source>
        <translation>Erst im Streifen einen Schritt wählen.</translation>
    </message>
    <message>
        <source>Branch after step %1</source>
        <translation>Nach Schritt %1 abzweigen</translation>
    </message>
    <message numerus="yes">
        <source>Change guidance or prompt, then Generate: the first %n step(s) are not computed again.</source>
        <translation>
            <numerusform>Guidance oder Prompt ändern, dann Erzeugen: der erste %n Schritt wird nicht neu gerechnet.</numerusform>
            <numerusform>Guidance oder Prompt ändern, dann Erzeugen: die ersten %n Schritte werden nicht neu gerechnet.</numerusform>
        </translation>
    </message>
    <message>
        <source>From the beginning instead</source>
        <translation>Doch von Anfang an</translation>
    </message>
    <message>
        <source>The next run begins with its first step again; undo brings the branch back.</source>
        <translation>Der nächste Lauf beginnt wieder mit seinem ersten Schritt; Rückgängig bringt die Abzweigung zurück.</translation>
    </message>
    <message>
        <source>Step 0 is the noise: a branch from it is a new run with the same seed. Restore the run&apos;s parameters, then Generate; or pick a later step.</source>
        <translation>Schritt 0 ist das Rauschen: eine Abzweigung davon ist ein neuer Lauf mit demselben Seed. Die Parameter des Laufs wiederherstellen, dann Erzeugen; oder einen späteren Schritt wählen.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::CameraWindow</name>
    <message>
        <source>Take this picture</source>
        <translation>Dieses Bild nehmen</translation>
    </message>
    <message>
        <source>Camera</source>
        <translation>Kamera</translation>
    </message>
    <message>
        <source>Camera picture</source>
        <translation>Kamerabild</translation>
    </message>
    <message>
        <source>No camera was found. Connect one and open this window again.</source>
        <translation>Es wurde keine Kamera gefunden. Bitte eine anschließen und dieses Fenster neu öffnen.</translation>
    </message>
    <message>
        <source>The camera does not answer. Another program may be using it.</source>
        <translation>Die Kamera antwortet nicht. Vielleicht benutzt sie ein anderes Programm.</translation>
    </message>
    <message>
        <source>starting the camera …</source>
        <translation>die Kamera startet …</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Canvas</name>
    <message>
        <source>B: %1</source>
        <translation>B: %1</translation>
    </message>
    <message>
        <source>A: %1</source>
        <translation>A: %1</translation>
    </message>
    <message>
        <source>A: %1, beside B: %2</source>
        <translation>A: %1, neben B: %2</translation>
    </message>
    <message>
        <source>A: %1, wiped over B: %2</source>
        <translation>A: %1, als Blende über B: %2</translation>
    </message>
    <message>
        <source>Difference of B: %2 from A: %1</source>
        <translation>Unterschied von B: %2 zu A: %1</translation>
    </message>
    <message>
        <source>A: %1 in turn with B: %2</source>
        <translation>A: %1 im Wechsel mit B: %2</translation>
    </message>
    <message>
        <source>B: %2 over A: %1</source>
        <translation>B: %2 über A: %1</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>A brighter</source>
        <translation>A heller</translation>
    </message>
    <message>
        <source>B brighter</source>
        <translation>B heller</translation>
    </message>
    <message>
        <source>x %1  y %2</source>
        <translation>x %1  y %2</translation>
    </message>
    <message>
        <source>B − A  %1 %2 %3</source>
        <translation>B − A  %1 %2 %3</translation>
    </message>
    <message>
        <source>Cannot be subtracted: A is %1 × %2, B is %3 × %4</source>
        <translation>Nicht voneinander abzuziehen: A ist %1 × %2, B ist %3 × %4</translation>
    </message>
</context>
<context>
    <name>denoir::ui::CommandPalette</name>
    <message>
        <source>Find any action</source>
        <translation>Eine Aktion suchen</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>%1 (on)</source>
        <translation>%1 (an)</translation>
    </message>
    <message>
        <source>No such action</source>
        <translation>Diese Aktion gibt es nicht</translation>
    </message>
</context>
<context>
    <name>denoir::ui::CompareBar</name>
    <message>
        <source>What is compared</source>
        <translation>Was verglichen wird</translation>
    </message>
    <message>
        <source>Swap A and B</source>
        <translation>A und B tauschen</translation>
    </message>
    <message>
        <source>choose a run or a video</source>
        <translation>einen Lauf oder ein Video wählen</translation>
    </message>
    <message>
        <source>A: %1</source>
        <translation>A: %1</translation>
    </message>
    <message>
        <source>B: %1</source>
        <translation>B: %1</translation>
    </message>
</context>
<context>
    <name>denoir::ui::DifferencesPanel</name>
    <message>
        <source>Parameters of A and B</source>
        <translation>Parameter von A und B</translation>
    </message>
    <message>
        <source>Parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Only what differs</source>
        <translation>Nur was sich unterscheidet</translation>
    </message>
    <message>
        <source>nothing differs</source>
        <translation>kein Unterschied</translation>
    </message>
    <message>
        <source>Neither A nor B carries the parameters it was made with.</source>
        <translation>Weder A noch B trägt die Parameter in sich, mit denen es gemacht wurde.</translation>
    </message>
    <message>
        <source>A does not carry the parameters it was made with, so there is nothing to compare those of B with.</source>
        <translation>A trägt keine Parameter in sich: denen von B steht nichts gegenüber.</translation>
    </message>
    <message>
        <source>B does not carry the parameters it was made with, so there is nothing to compare those of A with.</source>
        <translation>B trägt keine Parameter in sich: denen von A steht nichts gegenüber.</translation>
    </message>
    <message>
        <source>Choose two runs: their parameters stand side by side here. Drop one on A and one on B.</source>
        <translation>Zwei Läufe wählen: hier stehen ihre Parameter nebeneinander. Einen auf A und einen auf B ziehen.</translation>
    </message>
    <message>
        <source>Choose two runs: their parameters stand side by side here. Select two in the list of runs and press %1, or drop one on A and one on B.</source>
        <translation>Zwei Läufe wählen: hier stehen ihre Parameter nebeneinander. In der Liste der Läufe zwei auswählen und %1 drücken, oder einen auf A und einen auf B ziehen.</translation>
    </message>
    <message>
        <source>A and B are the same run</source>
        <translation>A und B sind derselbe Lauf</translation>
    </message>
    <message>
        <source>the same run</source>
        <translation>derselbe Lauf</translation>
    </message>
</context>
<context>
    <name>denoir::ui::DiskLimit</name>
    <message>
        <source>Disk space for runs</source>
        <translation>Speicherplatz für Läufe</translation>
    </message>
    <message numerus="yes">
        <source>The runs use %1 of the %2 they may. The steps of %n unstarred old run(s) could go (%3); videos and last latents stay.</source>
        <translation>
            <numerusform>Die Läufe brauchen %1 von erlaubten %2. Die Schritte von %n alten Lauf ohne Stern könnten gehen (%3); Videos und letzte Latents bleiben.</numerusform>
            <numerusform>Die Läufe brauchen %1 von erlaubten %2. Die Schritte von %n alten Läufen ohne Stern könnten gehen (%3); Videos und letzte Latents bleiben.</numerusform>
        </translation>
    </message>
    <message>
        <source>Free them, now and later</source>
        <translation>Freigeben, jetzt und künftig</translation>
    </message>
    <message>
        <source>GiB that all runs may take together; 0: no limit.
Over it the steps of unstarred old runs may go; videos stay.</source>
        <translation>GiB, die alle Läufe zusammen einnehmen dürfen; 0: keine Grenze.
Darüber können die Schritte alter Läufe ohne Stern weg; Videos bleiben.</translation>
    </message>
    <message numerus="yes">
        <source>The disk has no room for the run. The steps of %n unstarred run(s) could go (%1); videos and last latents stay.</source>
        <translation>
            <numerusform>Die Platte hat keinen Platz für den Lauf. Die Schritte von %n Lauf ohne Stern könnten gehen (%1); Videos und letzte Latents bleiben.</numerusform>
            <numerusform>Die Platte hat keinen Platz für den Lauf. Die Schritte von %n Läufen ohne Stern könnten gehen (%1); Videos und letzte Latents bleiben.</numerusform>
        </translation>
    </message>
    <message>
        <source>Free them</source>
        <translation>Freigeben</translation>
    </message>
</context>
<context>
    <name>denoir::ui::DivergenceView</name>
    <message>
        <source>Difference of the two runs after each step</source>
        <translation>Unterschied der beiden Läufe nach jedem Schritt</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>step %1 (B: %2)</source>
        <translation>Schritt %1 (B: %2)</translation>
    </message>
    <message>
        <source>%1: latent %2, estimate %3</source>
        <translation>%1: Latent %2, Schätzung %3</translation>
    </message>
    <message>
        <source>%1: latent %2</source>
        <translation>%1: Latent %2</translation>
    </message>
    <message>
        <source>Two runs as A and B: how their latents drift apart is drawn here.</source>
        <translation>Zwei Läufe als A und B: Hier erscheint, wie ihre Latents auseinanderlaufen.</translation>
    </message>
    <message>
        <source>Reading the latents …</source>
        <translation>Die Latents werden gelesen …</translation>
    </message>
    <message>
        <source>No step&apos;s latents are stored in both runs.</source>
        <translation>Von keinem Schritt sind die Latents in beiden Läufen gespeichert.</translation>
    </message>
    <message>
        <source>Difference of the latents</source>
        <translation>Unterschied der Latents</translation>
    </message>
    <message>
        <source>Latents are equal</source>
        <translation>Die Latents sind gleich</translation>
    </message>
    <message>
        <source>latent</source>
        <translation>Latent</translation>
    </message>
    <message>
        <source>estimate</source>
        <translation>Schätzung</translation>
    </message>
    <message numerus="yes">
        <source>Latents are equal in all %n step(s) that both runs keep</source>
        <translation>
            <numerusform>Die Latents sind in %n Schritt gleich, den beide Läufe haben</numerusform>
            <numerusform>Die Latents sind in allen %n Schritten gleich, die beide Läufe haben</numerusform>
        </translation>
    </message>
    <message>
        <source>Latents differ from the first step that both keep</source>
        <translation>Die Latents unterscheiden sich vom ersten Schritt an, den beide haben</translation>
    </message>
    <message>
        <source>Latents are equal up to %1</source>
        <translation>Die Latents sind bis %1 gleich</translation>
    </message>
    <message>
        <source>; relative difference %1 after %2</source>
        <translation>; relativer Unterschied %1 nach %2</translation>
    </message>
    <message>
        <source>, %1 after %2</source>
        <translation>, %1 nach %2</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Dock</name>
    <message>
        <source>Undock %1</source>
        <translation>%1 lösen</translation>
    </message>
    <message>
        <source>Hide %1</source>
        <translation>%1 ausblenden</translation>
    </message>
    <message>
        <source>Dock %1</source>
        <translation>%1 andocken</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Docks</name>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>Dock: %1</source>
        <translation>Dock: %1</translation>
    </message>
</context>
<context>
    <name>denoir::ui::EntryEditing</name>
    <message>
        <source>The parameters are those of a waiting run. Generate puts the changes into it.</source>
        <translation>In den Parametern steht ein wartender Lauf. Erzeugen übernimmt die Änderungen.</translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation>So lassen, wie er ist</translation>
    </message>
</context>
<context>
    <name>denoir::ui::ErrorScale</name>
    <message>
        <source>Scale of the colours: relative error from 1e-8 to 1, logarithmic</source>
        <translation>Farbskala: relativer Fehler von 1e-8 bis 1, logarithmisch</translation>
    </message>
    <message>
        <source>Length of the difference over the length of B, on a logarithmic scale. Framed: the error is made there. Flag: the first such place. Pale: equal to the bit.</source>
        <translation>Länge der Differenz durch die Länge von B, logarithmisch. Gerahmt: Hier entsteht der Fehler. Fähnchen: die erste solche Stelle. Blass: bitgleich.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Exports</name>
    <message>
        <source>exporting · frame %1/%2</source>
        <translation>exportiert · Bild %1/%2</translation>
    </message>
    <message>
        <source>exporting · decoding shot %1/%2, frame %3/%4</source>
        <translation>exportiert · dekodiert Einstellung %1/%2, Bild %3/%4</translation>
    </message>
    <message>
        <source>A shot was taken from its video instead of its latents: %1</source>
        <translation>Eine Einstellung kam aus ihrem Video statt aus ihren Latents: %1</translation>
    </message>
    <message>
        <source>Show it</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>The export was stopped; nothing was written.</source>
        <translation>Der Export wurde angehalten; nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>The cut cannot be exported yet: %1</source>
        <translation>Der Schnitt kann noch nicht exportiert werden: %1</translation>
    </message>
    <message>
        <source>Export the cut</source>
        <translation>Den Schnitt exportieren</translation>
    </message>
    <message>
        <source>cut</source>
        <translation>Schnitt</translation>
    </message>
    <message>
        <source>H.264 video, without sound (*.mp4);;Lossless FFV1, without sound (*.mkv);;Folder of PNG pictures (*)</source>
        <translation>H.264-Video, ohne Ton (*.mp4);;Verlustfreies FFV1, ohne Ton (*.mkv);;Ordner mit PNG-Bildern (*)</translation>
    </message>
    <message>
        <source>Stop the export</source>
        <translation>Export anhalten</translation>
    </message>
    <message>
        <source>%1 · %2/%3</source>
        <translation>%1 · %2/%3</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>No program here opens it: %1</source>
        <translation>Kein Programm hier öffnet es: %1</translation>
    </message>
    <message>
        <source>An export is already running.</source>
        <translation>Ein Export läuft schon.</translation>
    </message>
    <message>
        <source>An export is already running; %1 stops it.</source>
        <translation>Ein Export läuft schon; %1 hält ihn an.</translation>
    </message>
    <message>
        <source>exporting</source>
        <translation>Export läuft</translation>
    </message>
    <message>
        <source>%1 is being written.</source>
        <translation>%1 wird geschrieben.</translation>
    </message>
    <message>
        <source>Choose an A and a B first.</source>
        <translation>Erst ein A und ein B wählen.</translation>
    </message>
    <message>
        <source>Video (*.mp4 *.mkv)</source>
        <translation>Video (*.mp4 *.mkv)</translation>
    </message>
    <message>
        <source>Export side by side</source>
        <translation>Nebeneinander exportieren</translation>
    </message>
    <message>
        <source>side-by-side</source>
        <translation>nebeneinander</translation>
    </message>
    <message>
        <source>Export the difference</source>
        <translation>Differenz exportieren</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>differenz</translation>
    </message>
    <message>
        <source>Export the report</source>
        <translation>Bericht exportieren</translation>
    </message>
    <message>
        <source>comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Report (*.html)</source>
        <translation>Bericht (*.html)</translation>
    </message>
    <message>
        <source>Export the figures of A and B</source>
        <translation>Zahlen von A und B exportieren</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>Tabelle (*.csv)</translation>
    </message>
    <message>
        <source>There is no sweep to export yet.</source>
        <translation>Noch gibt es keine Reihe zu exportieren.</translation>
    </message>
    <message>
        <source>Export the grid</source>
        <translation>Raster exportieren</translation>
    </message>
    <message>
        <source>grid</source>
        <translation>raster</translation>
    </message>
    <message>
        <source>Export a contact sheet</source>
        <translation>Kontaktbogen exportieren</translation>
    </message>
    <message>
        <source>Picture (*.png)</source>
        <translation>Bild (*.png)</translation>
    </message>
    <message>
        <source>sweep</source>
        <translation>reihe</translation>
    </message>
    <message>
        <source>Export the figures</source>
        <translation>Zahlen exportieren</translation>
    </message>
    <message>
        <source>Draft kept as %1</source>
        <translation>Entwurf abgelegt als %1</translation>
    </message>
    <message>
        <source>The draft was stopped; nothing was written.</source>
        <translation>Der Entwurf wurde angehalten; nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>Keep the draft of step %1</source>
        <translation>Den Entwurf von Schritt %1 behalten</translation>
    </message>
    <message>
        <source>draft-step-%1</source>
        <translation>Entwurf-Schritt-%1</translation>
    </message>
    <message>
        <source>keeping the draft of step %1</source>
        <translation>Der Entwurf von Schritt %1 wird geschrieben</translation>
    </message>
    <message>
        <source>Stop it</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Write it elsewhere …</source>
        <translation>Anderswohin schreiben …</translation>
    </message>
    <message>
        <source>Looking for the files of the cut …</source>
        <translation>Die Dateien des Schnitts werden gesucht …</translation>
    </message>
    <message numerus="yes">
        <source>%n clip(s) are still being measured: what is written lacks their figures. Export it again when they are there.</source>
        <translation>
            <numerusform>%n Clip wird noch gemessen: Dem, was geschrieben wird, fehlen seine Werte. Noch einmal exportieren, wenn sie da sind.</numerusform>
            <numerusform>%n Clips werden noch gemessen: Dem, was geschrieben wird, fehlen ihre Werte. Noch einmal exportieren, wenn sie da sind.</numerusform>
        </translation>
    </message>
    <message>
        <source>A is %1, B is %2: only clips of one size can be measured or subtracted; they can be exported side by side.</source>
        <translation>A ist %1, B ist %2: Nur Clips einer Größe lassen sich messen oder abziehen; nebeneinander lassen sie sich exportieren.</translation>
    </message>
    <message>
        <source>B, which is %1, was scaled to the size of A, %2.</source>
        <translation>B, %1 groß, wurde auf die Größe von A, %2, skaliert.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Extension</name>
    <message>
        <source>Extending starts from the shot&apos;s last picture, and this model takes no start image. Choose one that does.</source>
        <translation>Verlängern beginnt mit dem letzten Bild der Einstellung, und dieses Modell nimmt kein Startbild. Ein anderes wählen.</translation>
    </message>
    <message>
        <source>Extend the shot</source>
        <translation>Einstellung verlängern</translation>
    </message>
    <message>
        <source>Generate now makes “%1” move: a clip that begins with it comes after it.</source>
        <translation>Erzeugen bringt „%1“ jetzt in Bewegung: danach kommt ein Clip, der mit diesem Bild beginnt.</translation>
    </message>
    <message>
        <source>Generate now continues “%1” with its last pictures; the result comes after it.</source>
        <translation>Erzeugen setzt jetzt „%1“ mit seinen letzten Bildern fort; das Ergebnis kommt dahinter.</translation>
    </message>
    <message>
        <source>Generate now continues “%1” from its last picture; the result comes after it.</source>
        <translation>Erzeugen setzt „%1“ jetzt ab dem letzten Bild fort; das Ergebnis kommt dahinter.</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Jetzt nicht</translation>
    </message>
    <message>
        <source>What is made next does not go to the timeline.</source>
        <translation>Was als Nächstes entsteht, kommt nicht auf die Zeitleiste.</translation>
    </message>
    <message>
        <source>The next clip stands on its own again.</source>
        <translation>Der nächste Clip ist wieder ein eigener.</translation>
    </message>
    <message>
        <source>The next clip begins with the same picture, and stands on its own.</source>
        <translation>Der nächste Clip ist wieder ein eigener und beginnt mit demselben Bild.</translation>
    </message>
    <message>
        <source>Changed for it: %1.</source>
        <translation>Dafür geändert: %1.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Field</name>
    <message>
        <source>Back to the model&apos;s default: %1</source>
        <translation>Zurück zur Vorgabe des Modells: %1</translation>
    </message>
    <message>
        <source>Reset %1 to %2</source>
        <translation>%1 zurück auf %2</translation>
    </message>
    <message>
        <source>Default: %1</source>
        <translation>Vorgabe: %1</translation>
    </message>
    <message>
        <source>changed; default %1</source>
        <translation>geändert; Vorgabe %1</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Generation</name>
    <message>
        <source>This request cannot start yet.</source>
        <translation>Dieser Auftrag kann noch nicht beginnen.</translation>
    </message>
    <message>
        <source>The waiting run was changed.</source>
        <translation>Der wartende Lauf wurde geändert.</translation>
    </message>
    <message>
        <source>That run has begun meanwhile: this one is put in line as a new one.</source>
        <translation>Jener Lauf hat inzwischen begonnen: dieser kommt als neuer in die Reihe.</translation>
    </message>
    <message>
        <source>The queue is paused: it waits there.</source>
        <translation>Die Warteschlange ist pausiert: der Lauf wartet dort.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::HistogramView</name>
    <message>
        <source>How the tensors&apos; values and their differences are spread</source>
        <translation>Wie sich die Werte der Tensoren und ihre Unterschiede verteilen</translation>
    </message>
    <message>
        <source>Values from %1 to %2; %3 are equal in A and B.</source>
        <translation>Werte von %1 bis %2; %3 sind in A und B gleich.</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>|A − B| by powers of ten</source>
        <translation>|A − B| nach Zehnerpotenzen</translation>
    </message>
    <message>
        <source>%1 equal, %2 not finite</source>
        <translation>%1 gleich, %2 nicht endlich</translation>
    </message>
    <message>
        <source>%1 equal</source>
        <translation>%1 gleich</translation>
    </message>
    <message>
        <source>%1 to %2: %3 in A, %4 in B</source>
        <translation>%1 bis %2: %3 in A, %4 in B</translation>
    </message>
    <message>
        <source>differences from %1 to %2: %3</source>
        <translation>Unterschiede von %1 bis %2: %3</translation>
    </message>
    <message>
        <source>differences below %1: %2</source>
        <translation>Unterschiede unter %1: %2</translation>
    </message>
</context>
<context>
    <name>denoir::ui::ImageWell</name>
    <message>
        <source>%1
Shown as the model will see it</source>
        <translation>%1
So, wie das Modell es sehen wird</translation>
    </message>
</context>
<context>
    <name>denoir::ui::ImagesPanel</name>
    <message>
        <source>Start</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>Drop, paste or choose the picture that the clip begins with</source>
        <translation>Das Bild, mit dem der Clip beginnt: hierher ziehen, einfügen oder wählen</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Drop, paste or choose the picture that the clip ends with</source>
        <translation>Das Bild, mit dem der Clip endet: hierher ziehen, einfügen oder wählen</translation>
    </message>
    <message>
        <source>Swap start and end</source>
        <translation>Start- und Endbild tauschen</translation>
    </message>
    <message>
        <source>This model takes no start image</source>
        <translation>Dieses Modell nimmt kein Startbild</translation>
    </message>
    <message>
        <source>This model takes no end image</source>
        <translation>Dieses Modell nimmt kein Endbild</translation>
    </message>
    <message>
        <source>Start image</source>
        <translation>Startbild</translation>
    </message>
    <message>
        <source>End image</source>
        <translation>Endbild</translation>
    </message>
    <message>
        <source>Images (%1);;All files (*)</source>
        <translation>Bilder (%1);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>The clipboard holds no picture.</source>
        <translation>In der Zwischenablage ist kein Bild.</translation>
    </message>
    <message>
        <source>Choose …</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Einfügen</translation>
    </message>
    <message>
        <source>Camera …</source>
        <translation>Kamera …</translation>
    </message>
    <message>
        <source>Crop to %1×%2</source>
        <translation>Auf %1×%2 zuschneiden</translation>
    </message>
    <message>
        <source>As the model does it</source>
        <translation>Wie das Modell es tut</translation>
    </message>
    <message>
        <source>Centre</source>
        <translation>Mitte</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Rechts</translation>
    </message>
    <message>
        <source>Top</source>
        <translation>Oben</translation>
    </message>
    <message>
        <source>Bottom</source>
        <translation>Unten</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nach</translation>
    </message>
    <message>
        <source>Begin a separate clip instead</source>
        <translation>Stattdessen einen eigenen Clip beginnen</translation>
    </message>
    <message numerus="yes">
        <source>its last %n frame(s) first</source>
        <translation>
            <numerusform>zuerst sein letztes %n Bild</numerusform>
            <numerusform>zuerst seine letzten %n Bilder</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, frame %2</source>
        <translation>%1, Bild %2</translation>
    </message>
    <message>
        <source>Begin a clip of its own</source>
        <translation>Eigenen Clip beginnen</translation>
    </message>
    <message>
        <source>Begin with an image</source>
        <translation>Mit einem Bild beginnen</translation>
    </message>
    <message>
        <source>Letterbox</source>
        <translation>Mit Balken</translation>
    </message>
    <message>
        <source>There is no image to swap.</source>
        <translation>Es gibt kein Bild zu tauschen.</translation>
    </message>
    <message>
        <source>Crop: no size is known yet</source>
        <translation>Zuschneiden: noch ist keine Größe bekannt</translation>
    </message>
</context>
<context>
    <name>denoir::ui::LayerMapModel</name>
    <message>
        <source>%1 %2
relative %3, largest %4, normalised %5, cosine %6</source>
        <translation>%1 %2
relativ %3, größter %4, normiert %5, Kosinus %6</translation>
    </message>
    <message>
        <source>%1 in A, %2 in B</source>
        <translation>%1 in A, %2 in B</translation>
    </message>
    <message>
        <source>The error is made here.</source>
        <translation>Hier entsteht der Fehler.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::LayerMapView</name>
    <message>
        <source>Error of each layer in each step</source>
        <translation>Fehler jeder Schicht in jedem Schritt</translation>
    </message>
</context>
<context>
    <name>denoir::ui::LayersPanel</name>
    <message>
        <source>Where two runs part, layer by layer: choose A and B, then trace both. Or drop two trace files here, Denoir&apos;s or PyTorch&apos;s.</source>
        <translation>Wo zwei Läufe sich trennen, Schicht für Schicht: A und B wählen, dann beide aufzeichnen. Oder zwei Aufzeichnungen hierher ziehen, von Denoir oder PyTorch.</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
    <message>
        <source>Layers to trace</source>
        <translation>Aufzuzeichnende Schichten</translation>
    </message>
    <message>
        <source>Patterns of layers, with * and ?, separated by spaces: those with a slash are held against COMPONENT/LAYER, others against LAYER. * is every layer, which may be many gigabytes.</source>
        <translation>Muster für Schichten, mit * und ?, durch Leerzeichen getrennt: mit Schrägstrich gelten sie für TEIL/SCHICHT, sonst für SCHICHT. * ist jede Schicht, das können viele Gigabyte sein.</translation>
    </message>
    <message>
        <source>Steps to trace</source>
        <translation>Aufzuzeichnende Schritte</translation>
    </message>
    <message>
        <source>Steps to trace, like 1,4-6,last; empty: every step</source>
        <translation>Aufzuzeichnende Schritte, etwa 1,4-6,last; leer: jeder Schritt</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Trace both runs</source>
        <translation>Beide Läufe aufzeichnen</translation>
    </message>
    <message>
        <source>Two files …</source>
        <translation>Zwei Dateien …</translation>
    </message>
    <message>
        <source>Compare two trace files: Denoir&apos;s or PyTorch&apos;s</source>
        <translation>Zwei Aufzeichnungen vergleichen: von Denoir oder PyTorch</translation>
    </message>
    <message>
        <source>Export …</source>
        <translation>Exportieren …</translation>
    </message>
    <message>
        <source>Write the comparison as a page (HTML), JSON or a table (CSV)</source>
        <translation>Den Vergleich als Seite (HTML), JSON oder Tabelle (CSV) schreiben</translation>
    </message>
    <message>
        <source>Progress of the comparison</source>
        <translation>Fortschritt des Vergleichs</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Part of the model</source>
        <translation>Teil des Modells</translation>
    </message>
    <message>
        <source>By block</source>
        <translation>Nach Blöcken</translation>
    </message>
    <message>
        <source>One row for each block, with the largest error in it</source>
        <translation>Eine Zeile je Block, mit dem größten Fehler darin</translation>
    </message>
    <message>
        <source>First error</source>
        <translation>Erster Fehler</translation>
    </message>
    <message>
        <source>Go to the first layer that makes an error of its own</source>
        <translation>Zur ersten Schicht, die selbst einen Fehler macht</translation>
    </message>
    <message>
        <source>Smaller</source>
        <translation>Kleiner</translation>
    </message>
    <message>
        <source>Smaller cells (−, or Ctrl and wheel)</source>
        <translation>Kleinere Felder (−, oder Strg und Rad)</translation>
    </message>
    <message>
        <source>Larger</source>
        <translation>Größer</translation>
    </message>
    <message>
        <source>Larger cells, with figures (+, or Ctrl and wheel)</source>
        <translation>Größere Felder, mit Zahlen (+, oder Strg und Rad)</translation>
    </message>
    <message>
        <source>%1 is A. Drop or open the trace that it is to be compared with.</source>
        <translation>%1 ist A. Jetzt die Aufzeichnung öffnen oder hierher ziehen, mit der verglichen wird.</translation>
    </message>
    <message>
        <source>Two traces: A, then B</source>
        <translation>Zwei Aufzeichnungen: A, dann B</translation>
    </message>
    <message>
        <source>Traces (*.safetensors *.pth *.gguf);;All files (*)</source>
        <translation>Aufzeichnungen (*.safetensors *.pth *.gguf);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Choose two runs as A and B first.</source>
        <translation>Zuerst zwei Läufe als A und B wählen.</translation>
    </message>
    <message>
        <source>There is no comparison of layers yet.</source>
        <translation>Es gibt noch keinen Vergleich der Schichten.</translation>
    </message>
    <message>
        <source>Export the comparison of layers</source>
        <translation>Den Vergleich der Schichten exportieren</translation>
    </message>
    <message>
        <source>Page (*.html);;JSON (*.json);;Table (*.csv)</source>
        <translation>Seite (*.html);;JSON (*.json);;Tabelle (*.csv)</translation>
    </message>
    <message>
        <source>Computes both runs once more and keeps the layers chosen here, in turn with the queue</source>
        <translation>Rechnet beide Läufe noch einmal und behält die hier gewählten Schichten, im Wechsel mit der Warteschlange</translation>
    </message>
    <message>
        <source>comparing</source>
        <translation>vergleiche</translation>
    </message>
    <message>
        <source>tracing %1: %2</source>
        <translation>zeichne %1 auf: %2</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Choose a cell: its numbers and the histograms of both tensors appear here.</source>
        <translation>Ein Feld wählen: Hier erscheinen seine Zahlen und die Histogramme beider Tensoren.</translation>
    </message>
    <message>
        <source>largest</source>
        <translation>größter</translation>
    </message>
    <message>
        <source>%1 (A %2, B %3)</source>
        <translation>%1 (A %2, B %3)</translation>
    </message>
    <message>
        <source>normalised</source>
        <translation>normiert</translation>
    </message>
    <message>
        <source>relative</source>
        <translation>relativ</translation>
    </message>
    <message>
        <source>of its inputs</source>
        <translation>der Eingänge</translation>
    </message>
    <message>
        <source>explained</source>
        <translation>erklärt</translation>
    </message>
    <message>
        <source>cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>dtypes</source>
        <translation>Datentypen</translation>
    </message>
    <message>
        <source>%1 in A, %2 in B</source>
        <translation>%1 in A, %2 in B</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>not finite</source>
        <translation>nicht endlich</translation>
    </message>
    <message>
        <source>The error begins here.</source>
        <translation>Hier beginnt der Fehler.</translation>
    </message>
    <message>
        <source>More than rounding and the inputs explain: error is made here.</source>
        <translation>Mehr, als Rundung und Eingänge erklären: Hier entsteht Fehler.</translation>
    </message>
    <message>
        <source>Not of the two that are shown: %1</source>
        <translation>Nicht von den beiden gezeigten: %1</translation>
    </message>
    <message>
        <source>A and B exchanged: %1</source>
        <translation>A und B vertauscht: %1</translation>
    </message>
    <message>
        <source>largest: the largest difference, and the two values there
normalised: that over the mean size of B&apos;s values
relative: norm of the difference over that of B
of its inputs: the largest relative difference among what the layer is given
explained: relative difference that rounding and its inputs account for
cosine: of the angle between both; 1: they point the same way</source>
        <translation>größter: der größte Unterschied und die beiden Werte dort
normiert: dieser durch den mittleren Betrag von Bs Werten
relativ: Norm des Unterschieds durch die von B
der Eingänge: der größte relative Unterschied dessen, was die Schicht bekommt
erklärt: relativer Unterschied, den Rundung und Eingänge erklären
Kosinus: des Winkels zwischen beiden; 1: beide zeigen in dieselbe Richtung</translation>
    </message>
</context>
<context>
    <name>denoir::ui::LogPanel</name>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>Protokoll durchsuchen</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Not only of one run</source>
        <translation>Nicht nur von einem Lauf</translation>
    </message>
    <message>
        <source>Copy the selected lines, or all that are shown</source>
        <translation>Die gewählten Zeilen kopieren, oder alle gezeigten</translation>
    </message>
    <message>
        <source>Open the folder with log.txt</source>
        <translation>Den Ordner mit log.txt öffnen</translation>
    </message>
    <message>
        <source>What Denoir does, and what goes wrong, is written here line by line.</source>
        <translation>Was Denoir tut und was schiefgeht, steht hier Zeile für Zeile.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::LoraList</name>
    <message>
        <source>Add…</source>
        <translation>Hinzufügen …</translation>
    </message>
    <message>
        <source>Add a LoRA: a file that changes the model&apos;s style, characters or motion</source>
        <translation>LoRA hinzufügen: eine Datei, die Stil, Figuren oder Bewegung des Modells ändert</translation>
    </message>
    <message>
        <source>Add a LoRA</source>
        <translation>LoRA hinzufügen</translation>
    </message>
    <message>
        <source>Strength of %1</source>
        <translation>Stärke von %1</translation>
    </message>
    <message>
        <source>Strength: 1 as it was made, 0 not at all</source>
        <translation>Stärke: 1 wie gemacht, 0 gar nicht</translation>
    </message>
    <message>
        <source>Leave this LoRA out</source>
        <translation>Diese LoRA weglassen</translation>
    </message>
    <message>
        <source>Leave %1 out</source>
        <translation>%1 weglassen</translation>
    </message>
    <message>
        <source>LoRA (*.safetensors);;All files (*)</source>
        <translation>LoRA (*.safetensors);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>both experts</source>
        <translation>beide Experten</translation>
    </message>
    <message>
        <source>Which of the model&apos;s two experts it changes: %1</source>
        <translation>Welchen der beiden Experten des Modells sie ändert: %1</translation>
    </message>
    <message>
        <source>Expert of %1: %2</source>
        <translation>Experte von %1: %2</translation>
    </message>
    <message>
        <source>by its name: high noise</source>
        <translation>nach ihrem Namen: viel Rauschen</translation>
    </message>
    <message>
        <source>by its name: low noise</source>
        <translation>nach ihrem Namen: wenig Rauschen</translation>
    </message>
    <message>
        <source>by its name: both experts</source>
        <translation>nach ihrem Namen: beide Experten</translation>
    </message>
    <message>
        <source>high noise, the first steps</source>
        <translation>viel Rauschen, die ersten Schritte</translation>
    </message>
    <message>
        <source>low noise, the last steps</source>
        <translation>wenig Rauschen, die letzten Schritte</translation>
    </message>
    <message>
        <source>high</source>
        <translation>viel</translation>
    </message>
    <message>
        <source>low</source>
        <translation>wenig</translation>
    </message>
    <message>
        <source>both</source>
        <translation>beide</translation>
    </message>
</context>
<context>
    <name>denoir::ui::LostRuns</name>
    <message>
        <source>Restore its parameters</source>
        <translation>Parameter wiederherstellen</translation>
    </message>
    <message>
        <source>“%1” was deleted outside of Denoir: only what is seen is left.</source>
        <translation>„%1“ wurde außerhalb von Denoir gelöscht: nur was zu sehen ist, ist noch da.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::MainWindow</name>
    <message>
        <source>Describe the video, then press Generate.
A video, picture or run dropped here is shown.</source>
        <translation>Schreiben, was zu sehen sein soll, dann Erzeugen drücken.
Ein Video, Bild oder Lauf wird gezeigt, wenn man es hierher zieht.</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Vorlagen</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Messwerte</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Wiedergabe</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>&amp;New project</source>
        <translation>&amp;Neues Projekt</translation>
    </message>
    <message>
        <source>&amp;Open …</source>
        <translation>Ö&amp;ffnen …</translation>
    </message>
    <message>
        <source>&amp;Save project</source>
        <translation>Projekt &amp;speichern</translation>
    </message>
    <message>
        <source>Save project &amp;as …</source>
        <translation>Projekt speichern &amp;unter …</translation>
    </message>
    <message>
        <source>&amp;Export the cut …</source>
        <translation>Den Schnitt &amp;exportieren …</translation>
    </message>
    <message>
        <source>Watch a folder of &amp;models …</source>
        <translation>Einen Ordner mit &amp;Modellen beobachten …</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>Write the &amp;prompt</source>
        <translation>Den &amp;Prompt schreiben</translation>
    </message>
    <message>
        <source>Prompt used &amp;before</source>
        <translation>Prompt &amp;davor</translation>
    </message>
    <message>
        <source>Prompt used a&amp;fter</source>
        <translation>Prompt da&amp;nach</translation>
    </message>
    <message>
        <source>Use the model&apos;s negative prompt</source>
        <translation>Den negativen Prompt des Modells nehmen</translation>
    </message>
    <message>
        <source>Choose the start &amp;image …</source>
        <translation>&amp;Startbild wählen …</translation>
    </message>
    <message>
        <source>Choose the &amp;end image …</source>
        <translation>&amp;Endbild wählen …</translation>
    </message>
    <message>
        <source>Paste as start image</source>
        <translation>Als Startbild einfügen</translation>
    </message>
    <message>
        <source>Start image from the &amp;camera …</source>
        <translation>Startbild von der &amp;Kamera …</translation>
    </message>
    <message>
        <source>Swap start and end image</source>
        <translation>Start- und Endbild tauschen</translation>
    </message>
    <message>
        <source>All parameters to their &amp;defaults</source>
        <translation>Alle Parameter auf &amp;Vorgabe</translation>
    </message>
    <message>
        <source>&amp;Create</source>
        <translation>&amp;Gestalten</translation>
    </message>
    <message>
        <source>Co&amp;mpare</source>
        <translation>&amp;Vergleichen</translation>
    </message>
    <message>
        <source>&amp;Find any action</source>
        <translation>&amp;Eine Aktion suchen</translation>
    </message>
    <message>
        <source>&amp;Search runs</source>
        <translation>Läufe &amp;suchen</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>Vollbild</translation>
    </message>
    <message>
        <source>Theme of the desktop</source>
        <translation>Farben des Desktops</translation>
    </message>
    <message>
        <source>Light theme</source>
        <translation>Helle Farben</translation>
    </message>
    <message>
        <source>Dark theme</source>
        <translation>Dunkle Farben</translation>
    </message>
    <message>
        <source>&amp;Generate</source>
        <translation>&amp;Erzeugen</translation>
    </message>
    <message>
        <source>Generate &amp;next in line</source>
        <translation>Als &amp;Nächstes erzeugen</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>&amp;Pause the queue</source>
        <translation>Warteschlange &amp;pausieren</translation>
    </message>
    <message>
        <source>Bring back cleared queue entries</source>
        <translation>Geleerte Einträge wiederherstellen</translation>
    </message>
    <message>
        <source>&amp;Watch the run at work</source>
        <translation>Dem laufenden Lauf &amp;zusehen</translation>
    </message>
    <message>
        <source>&amp;Branch from the step shown</source>
        <translation>Ab dem gezeigten Schritt &amp;abzweigen</translation>
    </message>
    <message>
        <source>&amp;Restore the run&apos;s parameters</source>
        <translation>&amp;Parameter des Laufs wiederherstellen</translation>
    </message>
    <message>
        <source>S&amp;tar</source>
        <translation>S&amp;tern</translation>
    </message>
    <message>
        <source>&amp;Verify: render again and compare</source>
        <translation>&amp;Prüfen: neu rechnen und vergleichen</translation>
    </message>
    <message>
        <source>Reveal in &amp;folder</source>
        <translation>Im &amp;Ordner zeigen</translation>
    </message>
    <message>
        <source>&amp;Delete the selected runs</source>
        <translation>Ausgewählte Läufe &amp;löschen</translation>
    </message>
    <message>
        <source>Bring back &amp;deleted runs</source>
        <translation>&amp;Gelöschte Läufe wiederherstellen</translation>
    </message>
    <message>
        <source>&amp;Add to the timeline</source>
        <translation>Auf die &amp;Zeitleiste</translation>
    </message>
    <message>
        <source>&amp;Play or pause</source>
        <translation>&amp;Abspielen oder anhalten</translation>
    </message>
    <message>
        <source>Ten frames back</source>
        <translation>Zehn Bilder zurück</translation>
    </message>
    <message>
        <source>&amp;Loop</source>
        <translation>&amp;Schleife</translation>
    </message>
    <message>
        <source>&amp;Fit the picture</source>
        <translation>Bild &amp;einpassen</translation>
    </message>
    <message>
        <source>&amp;True size</source>
        <translation>&amp;Wahre Größe</translation>
    </message>
    <message>
        <source>&amp;Compare the selected runs</source>
        <translation>Ausgewählte Läufe &amp;vergleichen</translation>
    </message>
    <message>
        <source>&amp;Side by side</source>
        <translation>&amp;Nebeneinander</translation>
    </message>
    <message>
        <source>&amp;Wipe</source>
        <translation>&amp;Blende</translation>
    </message>
    <message>
        <source>&amp;Difference</source>
        <translation>&amp;Unterschied</translation>
    </message>
    <message>
        <source>&amp;Onion</source>
        <translation>Ü&amp;berlagert</translation>
    </message>
    <message>
        <source>&amp;Flip A and B</source>
        <translation>Zwischen A und B &amp;umschalten</translation>
    </message>
    <message>
        <source>S&amp;wap A and B</source>
        <translation>A und B &amp;tauschen</translation>
    </message>
    <message>
        <source>Go to the w&amp;orst frame</source>
        <translation>Zum s&amp;chlechtesten Bild</translation>
    </message>
    <message>
        <source>&amp;End the comparison</source>
        <translation>Vergleich be&amp;enden</translation>
    </message>
    <message>
        <source>&amp;Split at the playhead</source>
        <translation>Am Abspielkopf &amp;teilen</translation>
    </message>
    <message>
        <source>&amp;Remove the shot, close the gap</source>
        <translation>Einstellung &amp;entfernen, Lücke schließen</translation>
    </message>
    <message>
        <source>&amp;Extend the shot</source>
        <translation>Einstellung &amp;verlängern</translation>
    </message>
    <message>
        <source>Re&amp;take the shot</source>
        <translation>Neuer &amp;Take der Einstellung</translation>
    </message>
    <message>
        <source>Re&amp;name the run or shot</source>
        <translation>Lauf oder Einstellung &amp;umbenennen</translation>
    </message>
    <message>
        <source>&amp;Play the cut</source>
        <translation>Schnitt &amp;abspielen</translation>
    </message>
    <message>
        <source>Show the whole cut</source>
        <translation>Den ganzen Schnitt zeigen</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts …</source>
        <translation>&amp;Tastenkürzel …</translation>
    </message>
    <message>
        <source>&amp;About Denoir</source>
        <translation>Ü&amp;ber Denoir</translation>
    </message>
    <message>
        <source>About Denoir</source>
        <translation>Über Denoir</translation>
    </message>
    <message>
        <source>&lt;b&gt;Denoir %1&lt;/b&gt;&lt;p&gt;A studio for generated video. The models run in this program, on this machine; nothing leaves it.&lt;/p&gt;&lt;p&gt;Free software: studio GPL-3.0-or-later, engine Apache-2.0.&lt;/p&gt;</source>
        <translation>&lt;b&gt;Denoir %1&lt;/b&gt;&lt;p&gt;Ein Studio für erzeugtes Video. Die Modelle rechnen in diesem Programm, auf diesem Rechner; nichts verlässt ihn.&lt;/p&gt;&lt;p&gt;Freie Software: Studio GPL-3.0-or-later, Engine Apache-2.0.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Docks</source>
        <translation>&amp;Docks</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Lauf</translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation>&amp;Wiedergabe</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>&amp;Vergleich</translation>
    </message>
    <message>
        <source>&amp;Timeline</source>
        <translation>&amp;Zeitleiste</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>%1: find any action</source>
        <translation>%1: eine Aktion suchen</translation>
    </message>
    <message>
        <source>Find any action</source>
        <translation>Eine Aktion suchen</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) deleted.</source>
        <translation>
            <numerusform>%n Lauf gelöscht.</numerusform>
            <numerusform>%n Läufe gelöscht.</numerusform>
        </translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Export side by side …</source>
        <translation>Nebeneinander exportieren …</translation>
    </message>
    <message>
        <source>Export the &amp;report …</source>
        <translation>Be&amp;richt exportieren …</translation>
    </message>
    <message>
        <source>Choose an A and a B first.</source>
        <translation>Erst ein A und ein B wählen.</translation>
    </message>
    <message>
        <source>stopping …</source>
        <translation>hält an …</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Compare what is shown with a &amp;file …</source>
        <translation>Das Gezeigte mit einer &amp;Datei vergleichen …</translation>
    </message>
    <message>
        <source>Compare &amp;layer by layer</source>
        <translation>Schicht für &amp;Schicht vergleichen</translation>
    </message>
    <message>
        <source>Compare two &amp;traces …</source>
        <translation>Zwei &amp;Aufzeichnungen vergleichen …</translation>
    </message>
    <message>
        <source>Go to the first layer that makes an error</source>
        <translation>Zur ersten Schicht, die einen Fehler macht</translation>
    </message>
    <message>
        <source>No layer makes an error of its own.</source>
        <translation>Keine Schicht macht selbst einen Fehler.</translation>
    </message>
    <message>
        <source>Export the comparison of layers …</source>
        <translation>Den Vergleich der Schichten exportieren …</translation>
    </message>
    <message>
        <source>Pixel &amp;values</source>
        <translation>Bildpunkt&amp;werte</translation>
    </message>
    <message>
        <source>F&amp;licker</source>
        <translation>F&amp;lackern</translation>
    </message>
    <message>
        <source>Differs only in</source>
        <translation>Unterschiede der Clips</translation>
    </message>
    <message>
        <source>&amp;Sweep</source>
        <translation>&amp;Reihe rechnen</translation>
    </message>
    <message>
        <source>&amp;Tune</source>
        <translation>&amp;Abstimmen</translation>
    </message>
    <message>
        <source>T&amp;une</source>
        <translation>Ab&amp;stimmen</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>Abstimmen</translation>
    </message>
    <message>
        <source>Edit the &amp;axes</source>
        <translation>&amp;Achsen bearbeiten</translation>
    </message>
    <message>
        <source>S&amp;wap rows and columns</source>
        <translation>&amp;Zeilen und Spalten tauschen</translation>
    </message>
    <message>
        <source>Take the axes of the sweep sh&amp;own</source>
        <translation>Achsen der ge&amp;zeigten Reihe übernehmen</translation>
    </message>
    <message>
        <source>&amp;Render what is missing</source>
        <translation>&amp;Fehlendes rechnen</translation>
    </message>
    <message>
        <source>&amp;Leave out what still waits</source>
        <translation>&amp;Weglassen, was noch wartet</translation>
    </message>
    <message>
        <source>&amp;Take the clip&apos;s values</source>
        <translation>Werte des Clips ü&amp;bernehmen</translation>
    </message>
    <message>
        <source>Restore the clip&apos;s w&amp;hole request</source>
        <translation>Ganzen Auftrag des Clips wieder&amp;herstellen</translation>
    </message>
    <message>
        <source>&amp;Compare the selected clips</source>
        <translation>Gewählte Clips &amp;vergleichen</translation>
    </message>
    <message>
        <source>&amp;Measure against the selected clip</source>
        <translation>Am gewählten Clip &amp;messen</translation>
    </message>
    <message>
        <source>Export the grid as a &amp;video …</source>
        <translation>Raster als Vi&amp;deo exportieren …</translation>
    </message>
    <message>
        <source>Export a contact &amp;sheet …</source>
        <translation>&amp;Kontaktbogen exportieren …</translation>
    </message>
    <message>
        <source>Export the sweep&apos;s re&amp;port …</source>
        <translation>Be&amp;richt der Reihe exportieren …</translation>
    </message>
    <message>
        <source>Export the figures as CS&amp;V …</source>
        <translation>Zahlen als &amp;CSV exportieren …</translation>
    </message>
    <message>
        <source>B one frame earlier</source>
        <translation>B ein Bild früher</translation>
    </message>
    <message>
        <source>B one frame later</source>
        <translation>B ein Bild später</translation>
    </message>
    <message>
        <source>Go to the picture</source>
        <translation>Zum Bild</translation>
    </message>
    <message>
        <source>Go to the timeline</source>
        <translation>Zur Zeitleiste</translation>
    </message>
    <message>
        <source>Compare what is shown with a folder of f&amp;rames …</source>
        <translation>Das Gezeigte mit einem O&amp;rdner von Bildern vergleichen …</translation>
    </message>
    <message>
        <source>The timeline is not shown. %1 goes to it.</source>
        <translation>Die Zeitleiste ist nicht zu sehen. %1 führt zu ihr.</translation>
    </message>
    <message>
        <source>An export is being written. Quitting stops it, and nothing of it is kept.</source>
        <translation>Ein Export wird gerade geschrieben. Beenden bricht ihn ab, und nichts davon bleibt.</translation>
    </message>
    <message>
        <source>Stop it and quit</source>
        <translation>Abbrechen und beenden</translation>
    </message>
    <message>
        <source>Add &amp;videos or pictures …</source>
        <translation>Videos oder B&amp;ilder hinzufügen …</translation>
    </message>
    <message>
        <source>Add a &amp;folder of frames …</source>
        <translation>Einen &amp;Ordner mit Bildern hinzufügen …</translation>
    </message>
    <message>
        <source>Pair frames by their &amp;number, not by time</source>
        <translation>Bilder nach &amp;Nummer statt nach Zeit paaren</translation>
    </message>
    <message>
        <source>The cut is empty. Put what is shown on it first (%1), or drop a video or picture on the timeline.</source>
        <translation>Der Schnitt ist leer. Erst das Gezeigte hineinnehmen (%1) oder ein Video oder Bild auf die Zeitleiste ziehen.</translation>
    </message>
    <message>
        <source>&amp;Free the steps of old runs without asking</source>
        <translation>Schritte alter Läufe ohne Nachfrage &amp;löschen</translation>
    </message>
    <message>
        <source>&amp;Tell the desktop when a run has ended</source>
        <translation>Dem &amp;Desktop melden, wenn ein Lauf zu Ende ist</translation>
    </message>
    <message>
        <source>A draft is being written. Quitting stops it, and nothing of it is kept.</source>
        <translation>Ein Entwurf wird gerade geschrieben. Beenden bricht ihn ab, und nichts davon bleibt.</translation>
    </message>
    <message>
        <source>&amp;Disk space for runs …</source>
        <translation>&amp;Speicherplatz für Läufe …</translation>
    </message>
    <message>
        <source>Select a clip that has a video first.</source>
        <translation>Erst einen Clip auswählen, der ein Video hat.</translation>
    </message>
    <message>
        <source>Show a run, a video or a picture first, or select runs in the list.</source>
        <translation>Erst einen Lauf, ein Video oder ein Bild zeigen oder Läufe in der Liste auswählen.</translation>
    </message>
    <message>
        <source>No frame that was measured differs.</source>
        <translation>Kein gemessenes Bild weicht ab.</translation>
    </message>
    <message numerus="yes">
        <source>%n LoRA(s) put into the parameters.</source>
        <translation>
            <numerusform>%n LoRA in die Parameter übernommen.</numerusform>
            <numerusform>%n LoRAs in die Parameter übernommen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>&amp;Log: what was done and what went wrong</source>
        <translation>&amp;Protokoll: was getan wurde und was schiefging</translation>
    </message>
    <message>
        <source>S&amp;tar the clip</source>
        <translation>Den Clip mit S&amp;tern versehen</translation>
    </message>
    <message>
        <source>Export the difference as a video …</source>
        <translation>Differenz als Video exportieren …</translation>
    </message>
    <message>
        <source>Rebuild the &amp;history</source>
        <translation>&amp;Verlauf neu aufbauen</translation>
    </message>
    <message>
        <source>The history is rebuilt from the folders of its runs</source>
        <translation>Der Verlauf wird aus den Ordnern seiner Läufe neu aufgebaut</translation>
    </message>
    <message>
        <source>Reset the docks</source>
        <translation>Docks zurücksetzen</translation>
    </message>
    <message>
        <source>Res&amp;ume the selected run</source>
        <translation>Gewählten Lauf &amp;fortsetzen</translation>
    </message>
    <message>
        <source>Play backwards</source>
        <translation>Rückwärts abspielen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Play forwards</source>
        <translation>Vorwärts abspielen</translation>
    </message>
    <message>
        <source>Previous frame</source>
        <translation>Voriges Bild</translation>
    </message>
    <message>
        <source>Next frame</source>
        <translation>Nächstes Bild</translation>
    </message>
    <message>
        <source>Ten frames forward</source>
        <translation>Zehn Bilder vor</translation>
    </message>
    <message>
        <source>The preview is not part of this layout: Enter shows the selected clip in it.</source>
        <translation>Die Vorschau gehört nicht zu dieser Anordnung: Eingabe zeigt den ausgewählten Clip darin.</translation>
    </message>
    <message>
        <source>%1 is the model now; undo brings back the one before.</source>
        <translation>%1 ist jetzt das Modell; Rückgängig bringt das vorige zurück.</translation>
    </message>
    <message>
        <source>The shot is not there any more.</source>
        <translation>Die Einstellung ist nicht mehr da.</translation>
    </message>
    <message>
        <source>A has no video yet: its frames can be measured once it is rendered.</source>
        <translation>A hat noch kein Video: Gemessen werden kann, wenn es gerendert ist.</translation>
    </message>
    <message numerus="yes">
        <source>%n shot(s) of this cut use what was deleted.</source>
        <translation>
            <numerusform>%n Einstellung dieses Schnitts verwendet, was gelöscht wurde.</numerusform>
            <numerusform>%n Einstellungen dieses Schnitts verwenden, was gelöscht wurde.</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete the selected shot</source>
        <translation>Die gewählte Einstellung löschen</translation>
    </message>
    <message>
        <source>Open what the shot shows</source>
        <translation>Öffnen, was die Einstellung zeigt</translation>
    </message>
    <message>
        <source>Shot before</source>
        <translation>Einstellung davor</translation>
    </message>
    <message>
        <source>Shot after</source>
        <translation>Einstellung danach</translation>
    </message>
    <message>
        <source>Move the shot to the left</source>
        <translation>Einstellung nach links verschieben</translation>
    </message>
    <message>
        <source>Move the shot to the right</source>
        <translation>Einstellung nach rechts verschieben</translation>
    </message>
    <message>
        <source>The shot ends a frame earlier</source>
        <translation>Die Einstellung endet ein Bild früher</translation>
    </message>
    <message>
        <source>The shot ends a frame later</source>
        <translation>Die Einstellung endet ein Bild später</translation>
    </message>
    <message>
        <source>To the beginning of the cut</source>
        <translation>An den Anfang des Schnitts</translation>
    </message>
    <message>
        <source>To the end of the cut</source>
        <translation>An das Ende des Schnitts</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Wipe to the left; onion: less of B</source>
        <translation>Blende nach links; überlagert: weniger von B</translation>
    </message>
    <message>
        <source>Wipe to the right; onion: more of B</source>
        <translation>Blende nach rechts; überlagert: mehr von B</translation>
    </message>
    <message>
        <source>Select two runs in the list first.</source>
        <translation>Zuerst zwei Läufe in der Liste auswählen.</translation>
    </message>
    <message>
        <source>Go to the parameters</source>
        <translation>Zu den Parametern</translation>
    </message>
    <message>
        <source>Go to the queue</source>
        <translation>Zur Warteschlange</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>Zu %1</translation>
    </message>
    <message>
        <source>The model has no parameter %1.</source>
        <translation>Das Modell hat keinen Parameter %1.</translation>
    </message>
    <message>
        <source>Trace &amp;both runs</source>
        <translation>&amp;Beide Läufe aufzeichnen</translation>
    </message>
    <message>
        <source>The cut is empty. Put what is shown on it first, or drop a video or picture on the timeline.</source>
        <translation>Der Schnitt ist leer. Erst das Gezeigte hineinnehmen oder ein Video oder Bild auf die Zeitleiste ziehen.</translation>
    </message>
    <message>
        <source>The timeline is not shown.</source>
        <translation>Die Zeitleiste ist nicht zu sehen.</translation>
    </message>
    <message>
        <source>No run is at work.</source>
        <translation>Kein Lauf ist in Arbeit.</translation>
    </message>
    <message>
        <source>There is nothing to stop.</source>
        <translation>Es gibt nichts anzuhalten.</translation>
    </message>
    <message>
        <source>There is no picture yet.</source>
        <translation>Noch ist kein Bild da.</translation>
    </message>
    <message>
        <source>Choose wipe or onion first: nothing else has an edge to move.</source>
        <translation>Erst Blende oder Überlagert wählen: sonst gibt es keine Kante zu verschieben.</translation>
    </message>
    <message>
        <source>Nothing is compared.</source>
        <translation>Es wird nichts verglichen.</translation>
    </message>
    <message>
        <source>There are no two axes to swap.</source>
        <translation>Es gibt keine zwei Achsen zu tauschen.</translation>
    </message>
    <message>
        <source>No sweep is shown.</source>
        <translation>Keine Reihe ist gezeigt.</translation>
    </message>
    <message>
        <source>No clip is missing.</source>
        <translation>Kein Clip fehlt.</translation>
    </message>
    <message>
        <source>No clip waits.</source>
        <translation>Kein Clip wartet.</translation>
    </message>
    <message>
        <source>Called off: nothing is generated.</source>
        <translation>Was erzeugt werden sollte, ist aufgegeben.</translation>
    </message>
    <message>
        <source>No other clip is waiting.</source>
        <translation>Außer dem Clip, der gerade gerechnet wird, wartet keiner.</translation>
    </message>
    <message>
        <source>Further menus</source>
        <translation>Weitere Menüs</translation>
    </message>
    <message>
        <source>Trim the &amp;beginning to the playhead</source>
        <translation>Anfang &amp;bis zum Abspielkopf kürzen</translation>
    </message>
    <message>
        <source>Trim the en&amp;d to the playhead</source>
        <translation>En&amp;de bis zum Abspielkopf kürzen</translation>
    </message>
    <message>
        <source>%1 (in the timeline: %2)</source>
        <translation>%1 (in der Zeitleiste: %2)</translation>
    </message>
    <message>
        <source>load import</source>
        <translation>laden importieren</translation>
    </message>
    <message>
        <source>render save video mp4 mkv</source>
        <translation>rendern speichern Video MP4 MKV</translation>
    </message>
    <message>
        <source>add checkpoint weights download</source>
        <translation>hinzufügen Checkpoint Gewichte Download</translation>
    </message>
    <message>
        <source>storage quota clean</source>
        <translation>Speicher Kontingent aufräumen</translation>
    </message>
    <message>
        <source>exit</source>
        <translation>verlassen schließen</translation>
    </message>
    <message>
        <source>first picture photo</source>
        <translation>erstes Foto</translation>
    </message>
    <message>
        <source>last picture</source>
        <translation>letztes</translation>
    </message>
    <message>
        <source>webcam photo</source>
        <translation>Webcam Foto</translation>
    </message>
    <message>
        <source>settings clear</source>
        <translation>Einstellungen zurücksetzen</translation>
    </message>
    <message>
        <source>filter history</source>
        <translation>filtern Verlauf</translation>
    </message>
    <message>
        <source>panels windows</source>
        <translation>Bereiche Fenster</translation>
    </message>
    <message>
        <source>fullscreen maximize</source>
        <translation>Vollbild maximieren</translation>
    </message>
    <message>
        <source>mode appearance colours</source>
        <translation>Modus Aussehen Farben</translation>
    </message>
    <message>
        <source>mode appearance colours bright</source>
        <translation>Modus Aussehen Farben hell</translation>
    </message>
    <message>
        <source>mode appearance colours night</source>
        <translation>Modus Aussehen Farben Nacht</translation>
    </message>
    <message>
        <source>keys hotkeys preferences settings</source>
        <translation>Tasten Einstellungen</translation>
    </message>
    <message>
        <source>errors messages</source>
        <translation>Fehler Meldungen</translation>
    </message>
    <message>
        <source>version licence</source>
        <translation>Version Lizenz</translation>
    </message>
    <message>
        <source>render start make create</source>
        <translation>rendern starten erstellen</translation>
    </message>
    <message>
        <source>cancel abort interrupt</source>
        <translation>abbrechen unterbrechen</translation>
    </message>
    <message>
        <source>fork</source>
        <translation>abzweigen Fork</translation>
    </message>
    <message>
        <source>continue</source>
        <translation>weitermachen</translation>
    </message>
    <message>
        <source>favourite rate keep</source>
        <translation>Favorit bewerten behalten</translation>
    </message>
    <message>
        <source>checksum reproduce</source>
        <translation>Prüfsumme reproduzieren</translation>
    </message>
    <message>
        <source>open directory</source>
        <translation>öffnen Verzeichnis</translation>
    </message>
    <message>
        <source>remove trash</source>
        <translation>entfernen Papierkorb</translation>
    </message>
    <message>
        <source>removed trash</source>
        <translation>entfernte Papierkorb</translation>
    </message>
    <message>
        <source>append shot cut</source>
        <translation>anhängen Einstellung Schnitt</translation>
    </message>
    <message>
        <source>cut razor blade</source>
        <translation>schneiden Klinge</translation>
    </message>
    <message>
        <source>continue longer</source>
        <translation>weiterführen länger</translation>
    </message>
    <message>
        <source>redo again inpaint</source>
        <translation>neu noch einmal</translation>
    </message>
    <message>
        <source>delete ripple</source>
        <translation>löschen</translation>
    </message>
    <message>
        <source>zoom</source>
        <translation>Zoom Vergrößerung</translation>
    </message>
    <message>
        <source>zoom 100 actual pixels</source>
        <translation>Zoom 100 Originalgröße</translation>
    </message>
    <message>
        <source>eyedropper inspect rgb</source>
        <translation>Pipette RGB</translation>
    </message>
    <message>
        <source>blink toggle</source>
        <translation>blinken umschalten</translation>
    </message>
    <message>
        <source>psnr ssim</source>
        <translation>PSNR SSIM</translation>
    </message>
    <message>
        <source>reference baseline</source>
        <translation>Referenz Vergleichsbasis</translation>
    </message>
    <message>
        <source>continue resume</source>
        <translation>fortsetzen weiter</translation>
    </message>
    <message>
        <source>grid image png</source>
        <translation>Raster Bild PNG</translation>
    </message>
</context>
<context>
    <name>denoir::ui::MediaLocator</name>
    <message>
        <source>“%1” is not what is missing.</source>
        <translation>„%1“ ist etwas anderes als das, was fehlt.</translation>
    </message>
    <message numerus="yes">
        <source>“%1” is too short: %2 of %n frame(s).</source>
        <translation>
            <numerusform>„%1“ ist zu kurz: %2 von %n Bild.</numerusform>
            <numerusform>„%1“ ist zu kurz: %2 von %n Bildern.</numerusform>
        </translation>
    </message>
    <message>
        <source>Locate “%1”</source>
        <translation>„%1“ suchen</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) of the cut found again.</source>
        <translation>
            <numerusform>%n Datei des Schnitts wiedergefunden.</numerusform>
            <numerusform>%n Dateien des Schnitts wiedergefunden.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::MetricsView</name>
    <message>
        <source>PSNR and SSIM over the frames</source>
        <translation>PSNR und SSIM über die Bilder</translation>
    </message>
    <message>
        <source>from latents</source>
        <translation>aus Latents</translation>
    </message>
    <message>
        <source>Compare what the stored latents decode to, without the videos&apos; compression</source>
        <translation>Vergleicht, was die gespeicherten Latents ergeben, ohne die Kompression der Videos</translation>
    </message>
    <message>
        <source>frame %1: PSNR %2, SSIM %3</source>
        <translation>Bild %1: PSNR %2, SSIM %3</translation>
    </message>
    <message>
        <source>, worst frame %1</source>
        <translation>, schlechtestes Bild %1</translation>
    </message>
    <message>
        <source>%1 dB</source>
        <translation>%1 dB</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>too small</source>
        <translation>zu klein</translation>
    </message>
    <message>
        <source>Open a second clip as B: PSNR and SSIM of every frame appear here.</source>
        <translation>Einen zweiten Clip als B öffnen: hier erscheinen PSNR und SSIM jedes Bildes.</translation>
    </message>
    <message>
        <source>frame %1</source>
        <translation>Bild %1</translation>
    </message>
    <message>
        <source>mean %1 dB</source>
        <translation>Mittel %1 dB</translation>
    </message>
    <message>
        <source>all frames are equal</source>
        <translation>alle Bilder sind gleich</translation>
    </message>
    <message>
        <source>worst frame %1</source>
        <translation>schlechtestes Bild %1</translation>
    </message>
    <message>
        <source>mean %1</source>
        <translation>Mittel %1</translation>
    </message>
    <message>
        <source>%1. Press to try again: %2</source>
        <translation>%1. Drücken, um es noch einmal zu versuchen: %2</translation>
    </message>
    <message>
        <source>, worst frame so far %1</source>
        <translation>, bisher schlechtestes Bild %1</translation>
    </message>
    <message>
        <source>so far (%1 of %2)</source>
        <translation>bisher (%1 von %2)</translation>
    </message>
</context>
<context>
    <name>denoir::ui::ModelsPanel</name>
    <message>
        <source>looking …</source>
        <translation>sieht nach …</translation>
    </message>
    <message>
        <source>missing: %1</source>
        <translation>fehlt: %1</translation>
    </message>
    <message>
        <source>%1: ready</source>
        <translation>%1: bereit</translation>
    </message>
    <message>
        <source>%1: needs %2</source>
        <translation>%1: braucht %2</translation>
    </message>
    <message>
        <source>%1 · in use</source>
        <translation>%1 · in Gebrauch</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Models found in the watched folders are listed here, with what they can do and whether they fit. Add a folder, or drop one on the window.</source>
        <translation>Hier stehen die Modelle aus den beobachteten Ordnern, mit dem, was sie können und ob sie passen. Einen Ordner hinzufügen oder auf das Fenster ziehen.</translation>
    </message>
    <message>
        <source>Watch a folder</source>
        <translation>Einen Ordner beobachten</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Neu nachsehen</translation>
    </message>
    <message numerus="yes">
        <source>%n folder(s) watched</source>
        <translation>
            <numerusform>%n Ordner beobachtet</numerusform>
            <numerusform>%n Ordner beobachtet</numerusform>
        </translation>
    </message>
    <message>
        <source>Watch a folder of models</source>
        <translation>Einen Ordner mit Modellen beobachten</translation>
    </message>
    <message>
        <source>Use this model</source>
        <translation>Dieses Modell benutzen</translation>
    </message>
    <message>
        <source>Reveal in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>Stop watching %1</source>
        <translation>%1 nicht mehr beobachten</translation>
    </message>
    <message>
        <source>Add a folder of models</source>
        <translation>Einen Ordner mit Modellen hinzufügen</translation>
    </message>
    <message>
        <source>Choose the %1</source>
        <translation>Den %1 wählen</translation>
    </message>
    <message>
        <source>%1: %2 …</source>
        <translation>%1: %2 …</translation>
    </message>
    <message>
        <source>Look for the %1 beside the model again</source>
        <translation>Den %1 wieder beim Modell suchen</translation>
    </message>
    <message>
        <source>Tokenizers (tokenizer.json *.model *.safetensors *.gguf);;All files (*)</source>
        <translation>Tokenizer (tokenizer.json *.model *.safetensors *.gguf);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.pth *.pt *.bin *.gguf);;All files (*)</source>
        <translation>Gewichte (*.safetensors *.pth *.pt *.bin *.gguf);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>&amp;Parts from elsewhere</source>
        <translation>&amp;Teile von woanders</translation>
    </message>
</context>
<context>
    <name>denoir::ui::NumberEdit</name>
    <message>
        <source>%1 became %2: at least %3, at most %4</source>
        <translation>%1 wurde %2: mindestens %3, höchstens %4</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Opener</name>
    <message>
        <source>%1: there is no such file or folder</source>
        <translation>%1: eine solche Datei oder einen solchen Ordner gibt es nicht</translation>
    </message>
    <message>
        <source>%1 is watched for models.</source>
        <translation>%1 wird nach Modellen durchsucht.</translation>
    </message>
    <message>
        <source>Open request</source>
        <translation>Auftrag öffnen</translation>
    </message>
    <message>
        <source>The request of %1 is in the parameters.</source>
        <translation>Der Auftrag aus %1 steht in den Parametern.</translation>
    </message>
    <message>
        <source>open the axes of %1</source>
        <translation>Achsen aus %1 öffnen</translation>
    </message>
    <message>
        <source>The axes of %1 are above, its request is in the parameters.</source>
        <translation>Die Achsen aus %1 stehen oben, der Auftrag in den Parametern.</translation>
    </message>
    <message>
        <source>Restore request</source>
        <translation>Auftrag wiederherstellen</translation>
    </message>
    <message>
        <source>%1 was made by Denoir and carries its request.</source>
        <translation>%1 stammt von Denoir und trägt seinen Auftrag in sich.</translation>
    </message>
    <message>
        <source>Restore it</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Start image</source>
        <translation>Startbild</translation>
    </message>
    <message>
        <source>End image</source>
        <translation>Endbild</translation>
    </message>
    <message>
        <source>A shot of the cut</source>
        <translation>Einstellung im Schnitt</translation>
    </message>
    <message>
        <source>Only look at it</source>
        <translation>Nur ansehen</translation>
    </message>
    <message>
        <source>%1 is the start image, %2 the end image.</source>
        <translation>%1 ist das Startbild, %2 das Endbild.</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) could not be opened: %1</source>
        <translation>
            <numerusform>%n Datei konnte nicht geöffnet werden: %1</numerusform>
            <numerusform>%n Dateien konnten nicht geöffnet werden: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>„%1“</translation>
    </message>
    <message>
        <source>Looking at %1 …</source>
        <translation>%1 wird geprüft …</translation>
    </message>
</context>
<context>
    <name>denoir::ui::ParametersPanel</name>
    <message>
        <source>Frames</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source> frames</source>
        <translation> Bilder</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source> fps</source>
        <translation> fps</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Guidance</source>
        <translation>Guidance</translation>
    </message>
    <message>
        <source>Shift</source>
        <translation>Shift</translation>
    </message>
    <message>
        <source>Sampler</source>
        <translation>Sampler</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>bf16, rounded as SkyReels does</source>
        <translation>bf16, gerundet wie SkyReels</translation>
    </message>
    <message>
        <source>bf16, rounded as Wan does</source>
        <translation>bf16, gerundet wie Wan</translation>
    </message>
    <message>
        <source>f32</source>
        <translation>f32</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>First graphics card</source>
        <translation>Erste Grafikkarte</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>every core</source>
        <translation>jeder Kern</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>the latents of every step</source>
        <translation>die Latents jedes Schritts</translation>
    </message>
    <message>
        <source>the last latents alone</source>
        <translation>nur die letzten Latents</translation>
    </message>
    <message>
        <source>no latents</source>
        <translation>keine Latents</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Swap width and height</source>
        <translation>Breite und Höhe tauschen</translation>
    </message>
    <message>
        <source>“%1” is not a size; write width × height, like 256×144</source>
        <translation>„%1“ ist keine Größe; Breite × Höhe schreiben, etwa 256×144</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Draw a seed</source>
        <translation>Einen Seed ziehen</translation>
    </message>
    <message>
        <source>Lock the seed: every run starts from this noise</source>
        <translation>Seed festhalten: jeder Lauf beginnt mit diesem Rauschen</translation>
    </message>
    <message>
        <source>Lock the seed</source>
        <translation>Seed festhalten</translation>
    </message>
    <message>
        <source>a seed is at most 18446744073709551615</source>
        <translation>ein Seed ist höchstens 18446744073709551615</translation>
    </message>
    <message>
        <source>AR step</source>
        <translation>AR-Schritt</translation>
    </message>
    <message>
        <source>Each block of frames runs this many steps behind the one before; 0: all frames together</source>
        <translation>Jeder Block von Bildern ist so viele Schritte hinter dem davor; 0: alle Bilder zusammen</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>Block</translation>
    </message>
    <message>
        <source> latent frames</source>
        <translation> latente Bilder</translation>
    </message>
    <message>
        <source>Latent frames that share a timestep</source>
        <translation>Latente Bilder, die einen Zeitschritt teilen</translation>
    </message>
    <message>
        <source>How many runs, each with its own seed</source>
        <translation>Wie viele Läufe, jeder mit eigenem Seed</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>random</source>
        <translation>zufällig</translation>
    </message>
    <message>
        <source>%1 (incomplete)</source>
        <translation>%1 (unvollständig)</translation>
    </message>
    <message>
        <source>Bundled model</source>
        <translation>Mitgeliefertes Modell</translation>
    </message>
    <message>
        <source>Nothing was measured on this machine yet</source>
        <translation>Auf diesem Rechner wurde noch nichts gemessen</translation>
    </message>
    <message>
        <source>, or </source>
        <translation>, oder </translation>
    </message>
    <message>
        <source>It does not fit into this machine&apos;s memory.</source>
        <translation>Es passt nicht in den Speicher dieses Rechners.</translation>
    </message>
    <message>
        <source>looking at the model …</source>
        <translation>sieht das Modell an …</translation>
    </message>
    <message>
        <source>cannot start yet</source>
        <translation>kann noch nicht beginnen</translation>
    </message>
    <message>
        <source>Estimate: %1</source>
        <translation>Schätzung: %1</translation>
    </message>
    <message>
        <source>To make all of it fit: %1.</source>
        <translation>Damit alles hineinpasst: %1.</translation>
    </message>
    <message>
        <source>It does not fit. To make it fit: %1.</source>
        <translation>Das passt nicht hinein. Damit es passt: %1.</translation>
    </message>
    <message>
        <source>%1 became %2: one more than a multiple of four</source>
        <translation>%1 wurde %2: eins mehr als ein Vielfaches von vier</translation>
    </message>
    <message>
        <source>LoRA</source>
        <translation>LoRA</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>A longer clip is made in windows of this many frames, each continuing the one before; automatic: as long as the clips that the model was made for</source>
        <translation>Ein längerer Clip entsteht in Fenstern von so vielen Bildern, jedes geht nach dem davor weiter; automatisch: so lang wie die Clips, für die das Modell gemacht ist</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>Überlappung</translation>
    </message>
    <message>
        <source>Frames that a window takes over from the one before, or a clip from the video that it continues</source>
        <translation>Bilder, die einem Fenster von dem davor gegeben sind, oder einem Clip von dem Video, nach dem er weitergeht</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>TeaCache: steps that hardly differ take over what an earlier one computed. 0.05 to 0.1 for small models, 0.15 to 0.3 for large ones save about half of the work, at the price of changed motion and fine detail. 0: off</source>
        <translation>TeaCache: Schritte, die sich kaum unterscheiden, übernehmen, was ein früherer berechnet hat. 0,05 bis 0,1 bei kleinen, 0,15 bis 0,3 bei großen Modellen lassen etwa die Hälfte der Arbeit weg; Bewegung und feine Einzelheiten weichen von der ganzen Berechnung ab. 0: aus</translation>
    </message>
    <message>
        <source>Cond. noise</source>
        <translation>Vorgabe-R.</translation>
    </message>
    <message>
        <source>Noise on the frames that are given, in thousandths: 20 keeps long clips from drifting, at most 60; 0: none</source>
        <translation>Rauschen auf dem Gegebenen, in Tausendsteln: 20 hält lange Clips beieinander, höchstens 60; 0: keines</translation>
    </message>
    <message numerus="yes">
        <source>made in %n window(s) of %1 frames, each after the last %2 of the one before</source>
        <translation>
            <numerusform>entsteht in %n Fenster von %1 Bildern, jedes nach den letzten %2 von dem davor</numerusform>
            <numerusform>entsteht in %n Fenstern von %1 Bildern, jedes nach den letzten %2 von dem davor</numerusform>
        </translation>
    </message>
    <message>
        <source>Guid. low</source>
        <translation>Guid. niedrig</translation>
    </message>
    <message>
        <source>Guidance of the low-noise expert, which takes the last steps</source>
        <translation>Guidance des Experten für wenig Rauschen, der die letzten Schritte macht</translation>
    </message>
    <message>
        <source>the first and the last</source>
        <translation>der erste und der letzte</translation>
    </message>
    <message>
        <source>the first five</source>
        <translation>die ersten fünf</translation>
    </message>
    <message>
        <source>Steps that are always computed in full. “The first five” (ret_steps) also measures differences after the time projection, usually nearer to the whole computation and slower</source>
        <translation>Schritte, die immer ganz gerechnet werden. „Die ersten fünf“ (ret_steps) misst Unterschiede außerdem hinter der Zeitprojektion: meist näher an der ganzen Rechnung, und langsamer</translation>
    </message>
    <message>
        <source>In full</source>
        <translation>Ganz</translation>
    </message>
    <message>
        <source>Load %1</source>
        <translation>Laden %1</translation>
    </message>
    <message>
        <source>text %1</source>
        <translation>Text %1</translation>
    </message>
    <message>
        <source>pictures encoded %1</source>
        <translation>Bilder kodieren %1</translation>
    </message>
    <message>
        <source>%1 a step</source>
        <translation>%1 je Schritt</translation>
    </message>
    <message>
        <source>decode %1</source>
        <translation>Dekodieren %1</translation>
    </message>
    <message>
        <source>“%1” is not possible: each side is a multiple of %2, from %2 to %3</source>
        <translation>„%1“ ist nicht möglich: jede Seite ist ein Vielfaches von %2, von %2 bis %3</translation>
    </message>
    <message>
        <source>It does not fit into the card&apos;s memory.</source>
        <translation>Es passt nicht in den Speicher der Karte.</translation>
    </message>
    <message>
        <source>+%1 s</source>
        <translation>+%1 s</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>Ordner hinzufügen …</translation>
    </message>
    <message>
        <source>Changed: %1</source>
        <translation>Geändert: %1</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>One more than a multiple of four: 5, 9, 13, …; or the seconds: 2 s</source>
        <translation>Eins mehr als ein Vielfaches von vier: 5, 9, 13, …; oder die Sekunden: 2 s</translation>
    </message>
    <message>
        <source>A branch begins with its run&apos;s noise: every copy would be the same</source>
        <translation>Ein Zweig beginnt mit dem Rauschen seines Laufs: jede Kopie wäre dieselbe</translation>
    </message>
    <message>
        <source>%1 became %2: each side is a multiple of %3</source>
        <translation>%1 wurde %2: jede Seite ist ein Vielfaches von %3</translation>
    </message>
    <message>
        <source>Every parameter is already at its default.</source>
        <translation>Alle Parameter stehen schon auf ihren Vorgaben.</translation>
    </message>
    <message>
        <source>the end</source>
        <translation>zum Ende</translation>
    </message>
    <message>
        <source>Guidance ends where the time, which falls from 1000 to 0, gets below this: a step without it takes half as long, and fine detail needs none. 500 is a good start</source>
        <translation>Guidance endet, wo die Zeit, die von 1000 auf 0 fällt, darunter sinkt: ein Schritt ohne sie dauert halb so lang, und feine Einzelheiten brauchen sie nicht. 500 ist ein guter Anfang</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n step(s)</source>
        <translation>
            <numerusform>%1 von %n Schritt</numerusform>
            <numerusform>%1 von %n Schritten</numerusform>
        </translation>
    </message>
    <message>
        <source>Guid. until</source>
        <translation>Guid. bis</translation>
    </message>
    <message>
        <source>End of guidance, precision, device, threads and forcing</source>
        <translation>Ende der Guidance, Genauigkeit, Gerät, Threads und Forcing</translation>
    </message>
    <message>
        <source>each %1</source>
        <translation>je %1</translation>
    </message>
    <message>
        <source> frame</source>
        <translation> Bild</translation>
    </message>
    <message>
        <source> latent frame</source>
        <translation> latentes Bild</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Playback</name>
    <message>
        <source>Nothing that plays is shown.</source>
        <translation>Es ist nichts gezeigt, das sich abspielen lässt.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::PreviewView</name>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Nothing to show yet.
Drop a video, a run or a picture here.</source>
        <translation>Noch nichts zu zeigen.
Ein Video, einen Lauf oder ein Bild hierher ziehen.</translation>
    </message>
    <message>
        <source>Drop here: hold it against A, as B</source>
        <translation>Hier ablegen: als B neben A halten</translation>
    </message>
    <message>
        <source>Drop here: show it</source>
        <translation>Hier ablegen: zeigen</translation>
    </message>
    <message>
        <source>Choose an A and a B first.</source>
        <translation>Erst ein A und ein B wählen.</translation>
    </message>
    <message>
        <source>Drop here: choose what it is for</source>
        <translation>Hier ablegen: wählen, wofür es ist</translation>
    </message>
    <message>
        <source>Drop here: open it</source>
        <translation>Hier ablegen: öffnen</translation>
    </message>
    <message>
        <source>Drop here: open them</source>
        <translation>Hier ablegen: alle öffnen</translation>
    </message>
</context>
<context>
    <name>denoir::ui::ProjectFiles</name>
    <message>
        <source>clear prompt and parameters</source>
        <translation>Prompt und Parameter leeren</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Projects, videos, pictures, requests (*.denoir %1 %2 *.json);;All files (*)</source>
        <translation>Projekte, Videos, Bilder, Aufträge (*.denoir %1 %2 *.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>take the project&apos;s prompt and parameters</source>
        <translation>Prompt und Parameter des Projekts übernehmen</translation>
    </message>
    <message numerus="yes">
        <source>%n shot(s) of the cut cannot be shown: %1</source>
        <translation>
            <numerusform>%n Einstellung des Schnitts kann nicht gezeigt werden: %1</numerusform>
            <numerusform>%n Einstellungen des Schnitts können nicht gezeigt werden: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>Gespeichert.</translation>
    </message>
    <message>
        <source>Save project</source>
        <translation>Projekt speichern</translation>
    </message>
    <message>
        <source>project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Denoir project (%1)</source>
        <translation>Denoir-Projekt (%1)</translation>
    </message>
    <message>
        <source>Saved as %1</source>
        <translation>Gespeichert als %1</translation>
    </message>
    <message>
        <source>Denoir</source>
        <translation>Denoir</translation>
    </message>
    <message>
        <source>Save the changes of “%1”?</source>
        <translation>Die Änderungen an „%1“ speichern?</translation>
    </message>
    <message>
        <source>none yet</source>
        <translation>noch keine</translation>
    </message>
    <message>
        <source>an untitled cut</source>
        <translation>ein unbenannter Schnitt</translation>
    </message>
    <message numerus="yes">
        <source>Denoir ended unexpectedly. Kept: %1, as of %2 (%n shot(s)).</source>
        <translation>
            <numerusform>Denoir endete unerwartet. Noch da: %1, Stand %2 (%n Einstellung).</numerusform>
            <numerusform>Denoir endete unerwartet. Noch da: %1, Stand %2 (%n Einstellungen).</numerusform>
        </translation>
    </message>
    <message>
        <source>Recover</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>recover</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>The changes of “%1” cannot be kept for the next start. Make room, or save it elsewhere.</source>
        <translation>Die Änderungen an „%1“ können nicht für den nächsten Start aufgehoben werden. Platz schaffen oder woanders speichern.</translation>
    </message>
    <message>
        <source>Close all the same</source>
        <translation>Trotzdem schließen</translation>
    </message>
    <message numerus="yes">
        <source>The last changes could not be kept. Kept: %1, as of %2 (%n shot(s)).</source>
        <translation>
            <numerusform>Die letzten Änderungen konnten nicht behalten werden. Noch da: %1, Stand %2 (%n Einstellung).</numerusform>
            <numerusform>Die letzten Änderungen konnten nicht behalten werden. Noch da: %1, Stand %2 (%n Einstellungen).</numerusform>
        </translation>
    </message>
    <message>
        <source>Saving %1 …</source>
        <translation>%1 wird gespeichert …</translation>
    </message>
    <message>
        <source>Saving %1; the window closes when that is done …</source>
        <translation>%1 wird gespeichert; danach schließt sich das Fenster …</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>Fenster schließen</translation>
    </message>
    <message>
        <source>“%1” is not saved yet: the disk does not answer. The window can be closed; Denoir saves it in the background as soon as the disk answers.</source>
        <translation>„%1“ ist noch nicht gespeichert: Die Platte antwortet nicht. Das Fenster kann geschlossen werden; Denoir speichert im Hintergrund, sobald sie antwortet.</translation>
    </message>
    <message>
        <source>The disk does not answer. The window can be closed; Denoir ends as soon as the disk answers.</source>
        <translation>Die Platte antwortet nicht. Das Fenster kann geschlossen werden; Denoir endet, sobald sie antwortet.</translation>
    </message>
    <message numerus="yes">
        <source>Kept from the last session, not saved yet: %1, as of %2 (%n shot(s)).</source>
        <translation>
            <numerusform>Aus der letzten Sitzung behalten, noch nicht gespeichert: %1, Stand %2 (%n Einstellung).</numerusform>
            <numerusform>Aus der letzten Sitzung behalten, noch nicht gespeichert: %1, Stand %2 (%n Einstellungen).</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::PromptPanel</name>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>What the video shows, in a sentence or two.</source>
        <translation>Was zu sehen sein soll, in ein, zwei Sätzen.</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>Negativer Prompt</translation>
    </message>
    <message>
        <source>Sample prompts and prompts used before</source>
        <translation>Beispiele und frühere Prompts</translation>
    </message>
    <message>
        <source>Negative</source>
        <translation>Negativ</translation>
    </message>
    <message>
        <source>Show the negative prompt</source>
        <translation>Den negativen Prompt zeigen</translation>
    </message>
    <message>
        <source>Model&apos;s default</source>
        <translation>Modellvorgabe</translation>
    </message>
    <message>
        <source>Use the negative prompt of the model&apos;s authors</source>
        <translation>Den negativen Prompt nehmen, den die Autoren des Modells benutzen</translation>
    </message>
    <message>
        <source>Tokens as the model&apos;s own tokenizer counts them, end mark included; what exceeds the limit is cut off</source>
        <translation>Tokens des modelleigenen Tokenizers, mit Endzeichen; was über die Grenze geht, wird abgeschnitten</translation>
    </message>
    <message>
        <source>no tokenizer</source>
        <translation>kein Tokenizer</translation>
    </message>
    <message>
        <source>What the video should not show. This model&apos;s default is nothing.</source>
        <translation>Was nicht zu sehen sein soll. Vorgabe dieses Modells: nichts.</translation>
    </message>
    <message>
        <source>The model&apos;s default: %1</source>
        <translation>Vorgabe des Modells: %1</translation>
    </message>
    <message>
        <source>Seed %1: %2</source>
        <translation>Seed %1: %2</translation>
    </message>
    <message>
        <source>%1 of %2 tokens</source>
        <translation>%1 von %2 Tokens</translation>
    </message>
    <message>
        <source>Hide the negative prompt</source>
        <translation>Den negativen Prompt ausblenden</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Used before</source>
        <translation>Früher benutzt</translation>
    </message>
    <message>
        <source>For example: %1</source>
        <translation>Zum Beispiel: %1</translation>
    </message>
    <message>
        <source>Prompt before</source>
        <translation>Voriger Prompt</translation>
    </message>
    <message>
        <source>Prompt after</source>
        <translation>Nächster Prompt</translation>
    </message>
    <message>
        <source>What the video should not show: nothing, instead of the model&apos;s default.</source>
        <translation>Was nicht zu sehen sein soll: nichts, statt der Vorgabe des Modells.</translation>
    </message>
    <message>
        <source>No older prompt is known.</source>
        <translation>Kein älterer Prompt ist bekannt.</translation>
    </message>
    <message>
        <source>No newer prompt is known.</source>
        <translation>Kein neuerer Prompt ist bekannt.</translation>
    </message>
    <message>
        <source>The model has no negative prompt of its own.</source>
        <translation>Das Modell hat keinen eigenen negativen Prompt.</translation>
    </message>
    <message>
        <source>The request is still being looked at; its model&apos;s negative prompt is known in a moment.</source>
        <translation>Die Anfrage wird noch geprüft; der negative Prompt ihres Modells ist gleich bekannt.</translation>
    </message>
    <message>
        <source>%1/%2 · end is cut off</source>
        <translation>%1/%2 · Ende entfällt</translation>
    </message>
</context>
<context>
    <name>denoir::ui::QueuePanel</name>
    <message>
        <source>waits</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>step %1/%2</source>
        <translation>Schritt %1/%2</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>seed %1</source>
        <translation>Seed %1</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Runs wait here for the engine. Generate puts one in line; the line survives closing the window.</source>
        <translation>Hier warten Läufe auf die Engine. Erzeugen reiht einen ein; die Schlange überlebt das Schließen des Fensters.</translation>
    </message>
    <message>
        <source>Pause: nothing new is started, the run at work goes on</source>
        <translation>Pause: Neues beginnt nicht, der laufende Lauf geht weiter</translation>
    </message>
    <message>
        <source>Pause the queue</source>
        <translation>Warteschlange pausieren</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Clear the queue</source>
        <translation>Warteschlange leeren</translation>
    </message>
    <message>
        <source>What ended</source>
        <translation>Was beendet ist</translation>
    </message>
    <message>
        <source>What waits</source>
        <translation>Was wartet</translation>
    </message>
    <message>
        <source>Bring back what was cleared last</source>
        <translation>Wiederherstellen, was zuletzt geleert wurde</translation>
    </message>
    <message numerus="yes">
        <source>%n waiting</source>
        <translation>
            <numerusform>%n wartet</numerusform>
            <numerusform>%n warten</numerusform>
        </translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>%1 · paused</source>
        <translation>%1 · pausiert</translation>
    </message>
    <message>
        <source>Edit queue entry</source>
        <translation>Eintrag der Warteschlange bearbeiten</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>Nach unten</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>waits for the engine</source>
        <translation>wartet auf die Engine</translation>
    </message>
    <message>
        <source>stopped before it began</source>
        <translation>vor dem Beginn angehalten</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>stopped · can be resumed</source>
        <translation>angehalten · lässt sich fortsetzen</translation>
    </message>
    <message>
        <source>interrupted · can be resumed</source>
        <translation>unterbrochen · lässt sich fortsetzen</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>There is no removed entry to bring back.</source>
        <translation>Kein Eintrag wurde entfernt, der zurückkommen könnte.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::RemovalUndo</name>
    <message>
        <source>deleting runs</source>
        <translation>Löschen von Läufen</translation>
    </message>
    <message>
        <source>removing from the queue</source>
        <translation>Entfernen aus der Warteschlange</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Undo %1</source>
        <translation>&amp;Rückgängig: %1</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>&amp;Redo %1</source>
        <translation>&amp;Wiederholen: %1</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Retaking</name>
    <message>
        <source>This shot does not carry the request it was made with, so it cannot be made again.</source>
        <translation>Diese Einstellung ist von anderswo: es gibt keinen Auftrag, den man wiederholen könnte.</translation>
    </message>
    <message>
        <source>This part of the shot is made again with the shot&apos;s own prompt and parameters; the new take joins it when it is done.</source>
        <translation>Dieser Teil der Einstellung wird mit ihrem eigenen Prompt und ihren eigenen Parametern neu gerechnet; der neue Take kommt dazu, wenn er fertig ist.</translation>
    </message>
    <message>
        <source>The new take is made with the shot&apos;s own prompt and parameters; it joins the shot when it is done.</source>
        <translation>Der neue Take entsteht mit dem Prompt und den Parametern der Einstellung; er kommt zu ihr, wenn er fertig ist.</translation>
    </message>
    <message>
        <source>With the prompt as it is now</source>
        <translation>Mit dem jetzigen Prompt</translation>
    </message>
</context>
<context>
    <name>denoir::ui::RunNews</name>
    <message numerus="yes">
        <source>The queue is paused; %n run(s) wait.</source>
        <translation>
            <numerusform>Die Warteschlange ist pausiert; %n Lauf wartet.</numerusform>
            <numerusform>Die Warteschlange ist pausiert; %n Läufe warten.</numerusform>
        </translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Weitermachen</translation>
    </message>
    <message>
        <source>A video is ready: %1</source>
        <translation>Ein Video ist fertig: %1</translation>
    </message>
    <message>
        <source>A run failed: %1</source>
        <translation>Ein Lauf ist fehlgeschlagen: %1</translation>
    </message>
    <message>
        <source>The queue is paused: the last two runs failed for the same reason. %1</source>
        <translation>Die Warteschlange ist pausiert: die letzten zwei Läufe schlugen aus demselben Grund fehl. %1</translation>
    </message>
    <message>
        <source>Continue all the same</source>
        <translation>Trotzdem weitermachen</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>“%1” failed: %2</source>
        <translation>„%1“ ist fehlgeschlagen: %2</translation>
    </message>
    <message>
        <source>“%1” was interrupted at step %2 of %3. Nothing of it is lost.</source>
        <translation>„%1“ wurde bei Schritt %2 von %3 unterbrochen. Nichts davon ist verloren.</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>“%1” was stopped at step %2 of %3. Nothing of it is lost.</source>
        <translation>„%1“ wurde bei Schritt %2 von %3 angehalten. Nichts davon ist verloren.</translation>
    </message>
    <message numerus="yes">
        <source>%n more can be resumed from the queue.</source>
        <translation>
            <numerusform>%n weiterer lässt sich aus der Warteschlange fortsetzen.</numerusform>
            <numerusform>%n weitere lassen sich aus der Warteschlange fortsetzen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::RunsPanel</name>
    <message>
        <source>Search prompts and parameters</source>
        <translation>Prompts, Parameter suchen</translation>
    </message>
    <message>
        <source>Words, or fields: seed:7 steps:20 size:256x144 mode:i2v state:done</source>
        <translation>Wörter oder Felder: seed:7 steps:20 size:256x144 mode:i2v state:done</translation>
    </message>
    <message>
        <source>Starred runs only</source>
        <translation>Nur Läufe mit Stern</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Every run is kept here: its picture, its parameters, each of its steps. Press Generate for the first.</source>
        <translation>Jeder Lauf bleibt hier: sein Bild, seine Parameter, jeder seiner Schritte. Für den ersten Erzeugen drücken.</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n Lauf</numerusform>
            <numerusform>%n Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · %2 of %3</source>
        <translation>%1 · %2 von %3</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Disk use of all runs. Over the limit, latents of unstarred old runs go first, after asking once.</source>
        <translation>Plattenplatz aller Läufe. Über der Grenze gehen zuerst die Latents alter Läufe ohne Stern, nach einmaliger Frage.</translation>
    </message>
    <message>
        <source>Restore parameters</source>
        <translation>Parameter wiederherstellen</translation>
    </message>
    <message>
        <source>No file manager answers. The run is at %1</source>
        <translation>Kein Dateimanager antwortet. Der Lauf liegt in %1</translation>
    </message>
    <message>
        <source>Name of the run</source>
        <translation>Name des Laufs</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Compare the two</source>
        <translation>Die beiden vergleichen</translation>
    </message>
    <message>
        <source>Compare with what is shown</source>
        <translation>Mit dem Gezeigten vergleichen</translation>
    </message>
    <message>
        <source>Remove star</source>
        <translation>Stern entfernen</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>Stern</translation>
    </message>
    <message>
        <source>Name …</source>
        <translation>Name …</translation>
    </message>
    <message>
        <source>Add to the timeline</source>
        <translation>Auf die Zeitleiste</translation>
    </message>
    <message>
        <source>Reveal in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>Verify: render again and compare</source>
        <translation>Prüfen: neu rechnen und vergleichen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Compare the two layer by layer</source>
        <translation>Die beiden Schicht für Schicht vergleichen</translation>
    </message>
    <message>
        <source>Compare with …</source>
        <translation>Vergleichen mit …</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Select a run in the list first.</source>
        <translation>Zuerst einen Lauf in der Liste wählen.</translation>
    </message>
    <message>
        <source>%1×%2</source>
        <translation>%1×%2</translation>
    </message>
    <message>
        <source>%1×%2×%3</source>
        <translation>%1×%2×%3</translation>
    </message>
    <message>
        <source>%1 · seed %2</source>
        <translation>%1 · Seed %2</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>No run matches this search.</source>
        <translation>Kein Lauf passt zu dieser Suche.</translation>
    </message>
    <message>
        <source>A run at work cannot be deleted; stop it first.</source>
        <translation>Ein laufender Lauf lässt sich nicht löschen; ihn zuerst anhalten.</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>compared as %1</source>
        <translation>verglichen als %1</translation>
    </message>
    <message>
        <source>starred</source>
        <translation>mit Stern</translation>
    </message>
    <message>
        <source>The run that is shown is not in the list: it cannot be starred, renamed or deleted.</source>
        <translation>Der gezeigte Lauf steht nicht in der Liste: Er bekommt keinen Stern und keinen Namen und wird nicht gelöscht.</translation>
    </message>
    <message>
        <source>from step %1</source>
        <translation>ab Schritt %1</translation>
    </message>
    <message>
        <source>The parameters are already those of the run.</source>
        <translation>Die Parameter sind schon die des Laufs.</translation>
    </message>
    <message>
        <source>There is no deleted run to bring back.</source>
        <translation>Kein Lauf wurde gelöscht, der zurückkommen könnte.</translation>
    </message>
    <message>
        <source>The run was deleted meanwhile.</source>
        <translation>Der Lauf wurde inzwischen gelöscht.</translation>
    </message>
    <message>
        <source>No run with a star matches this search.</source>
        <translation>Kein Lauf mit Stern passt zu dieser Suche.</translation>
    </message>
    <message>
        <source>No run has a star yet. Show all runs and click the star of one.</source>
        <translation>Noch hat kein Lauf einen Stern. Alle Läufe zeigen und bei einem auf den Stern klicken.</translation>
    </message>
    <message>
        <source>compared with itself, as A and B</source>
        <translation>mit sich selbst verglichen, als A und B</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Scrubber</name>
    <message>
        <source>Frame</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>frame %1: the worst</source>
        <translation>Bild %1: das schlechteste</translation>
    </message>
    <message>
        <source>frame %1</source>
        <translation>Bild %1</translation>
    </message>
</context>
<context>
    <name>denoir::ui::ShortcutEditor</name>
    <message>
        <source>Set</source>
        <translation>Setzen</translation>
    </message>
    <message>
        <source>No key</source>
        <translation>Keine Taste</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Search actions and keys</source>
        <translation>Aktionen und Tasten durchsuchen</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>New keys</source>
        <translation>Neue Tasten</translation>
    </message>
    <message>
        <source>All to default</source>
        <translation>Alle auf Vorgabe</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Choose an action, then press its new keys.</source>
        <translation>Eine Aktion wählen, dann ihre neuen Tasten drücken.</translation>
    </message>
    <message>
        <source>Press the new keys in the field, then Set.</source>
        <translation>Die neuen Tasten in das Feld drücken, dann Setzen.</translation>
    </message>
    <message>
        <source>%1 belongs to “%2”. Taking it over leaves that action without this key.</source>
        <translation>%1 gehört zu „%2“. Wird es übernommen, bleibt jene Aktion ohne diese Taste.</translation>
    </message>
    <message>
        <source>Take over</source>
        <translation>Übernehmen</translation>
    </message>
    <message>
        <source>The change holds until you close Denoir: the settings folder cannot be written.</source>
        <translation>Die Änderung gilt, bis Denoir geschlossen wird: der Einstellungsordner lässt sich nicht schreiben.</translation>
    </message>
    <message>
        <source>Press the keys</source>
        <translation>Tasten drücken</translation>
    </message>
    <message>
        <source>Press the new keys in the field, then Set. They replace %1; its other keys stay.</source>
        <translation>Die neuen Tasten in das Feld drücken, dann Setzen. Sie ersetzen %1; die anderen Tasten bleiben.</translation>
    </message>
    <message>
        <source>No action has this name or these keys.</source>
        <translation>Diese Aktion gibt es nicht, und keine hat solche Tasten.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::ShotAdder</name>
    <message>
        <source>reading · file %1/%2</source>
        <translation>liest · Datei %1/%2</translation>
    </message>
    <message>
        <source>Videos, pictures (%1 %2);;All files (*)</source>
        <translation>Videos, Bilder (%1 %2);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Add videos or pictures</source>
        <translation>Videos oder Bilder hinzufügen</translation>
    </message>
    <message>
        <source>Add a folder of frames</source>
        <translation>Einen Ordner mit Bildern hinzufügen</translation>
    </message>
    <message numerus="yes">
        <source>Each of the %n picture(s) is a shot of its own. Drop their folder to have them as frames of one.</source>
        <translation>
            <numerusform>%n Bild ist eine eigene Einstellung. Seinen Ordner hierher ziehen, damit es das Bild einer Folge ist.</numerusform>
            <numerusform>Jedes der %n Bilder ist eine eigene Einstellung. Ihren Ordner hierher ziehen, damit sie die Bilder einer einzigen sind.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n shot(s) added to the timeline.</source>
        <translation>
            <numerusform>%n Einstellung in die Zeitleiste aufgenommen.</numerusform>
            <numerusform>%n Einstellungen in die Zeitleiste aufgenommen.</numerusform>
        </translation>
    </message>
    <message>
        <source>The new clip is ready. It comes in with your next edit; until then, what was undone can be done again.</source>
        <translation>Der neue Clip ist fertig. Mit der nächsten Änderung kommt er dazu; bis dahin lässt sich wiederholen, was rückgängig gemacht wurde.</translation>
    </message>
    <message>
        <source>The new clips are ready. They come in with your next edit; until then, what was undone can be done again.</source>
        <translation>Die neuen Clips sind fertig. Mit der nächsten Änderung kommen sie dazu; bis dahin lässt sich wiederholen, was rückgängig gemacht wurde.</translation>
    </message>
    <message>
        <source>Put in now</source>
        <translation>Jetzt einsetzen</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) have no video yet: wait for them, or resume them.</source>
        <translation>
            <numerusform>%n Lauf hat noch kein Video: auf ihn warten, oder ihn fortsetzen.</numerusform>
            <numerusform>%n Läufe haben noch kein Video: auf sie warten, oder sie fortsetzen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n could not be added: %1</source>
        <translation>
            <numerusform>%n ließ sich nicht hinzufügen: %1</numerusform>
            <numerusform>%n ließen sich nicht hinzufügen: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n added.</source>
        <translation>
            <numerusform>%n hinzugefügt.</numerusform>
            <numerusform>%n hinzugefügt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other(s) of these videos look otherwise, too.</source>
        <translation>
            <numerusform>Auch %n weiteres dieser Videos sieht anders aus.</numerusform>
            <numerusform>Auch %n weitere dieser Videos sehen anders aus.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>denoir::ui::StatusLine</name>
    <message>
        <source>Progress of the run</source>
        <translation>Fortschritt des Laufs</translation>
    </message>
    <message>
        <source>%1 · %2 of %3</source>
        <translation>%1 · %2 von %3</translation>
    </message>
    <message>
        <source>Device · memory of Denoir, and of this machine</source>
        <translation>Gerät · Speicher von Denoir und dieses Rechners</translation>
    </message>
    <message>
        <source>step %1/%2</source>
        <translation>Schritt %1/%2</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>bereit</translation>
    </message>
    <message>
        <source>%1 · host %2 of %3</source>
        <translation>%1 · Rechner %2 von %3</translation>
    </message>
    <message>
        <source>%1 stops it</source>
        <translation>%1 hält an</translation>
    </message>
    <message>
        <source>%1 a step</source>
        <translation>%1 je Schritt</translation>
    </message>
    <message>
        <source>%1 %2 · %3 of %4</source>
        <translation>%1 %2 · %3 von %4</translation>
    </message>
    <message>
        <source>%1 %2 · %3</source>
        <translation>%1 %2 · %3</translation>
    </message>
    <message>
        <source>Device · its memory, and what all programs use of it. Denoir has %1 of this machine&apos;s %2.</source>
        <translation>Gerät · sein Speicher und was alle Programme davon belegen. Denoir belegt %1 von %2 dieses Rechners.</translation>
    </message>
    <message>
        <source>waits for the engine</source>
        <translation>wartet auf die Engine</translation>
    </message>
</context>
<context>
    <name>denoir::ui::StepReel</name>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>The steps of a run appear here: press Generate, or open a run.</source>
        <translation>Hier erscheinen die Schritte eines Laufs: Erzeugen drücken oder einen Lauf öffnen.</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>, noise %1 %</source>
        <translation>, Rauschen %1 %</translation>
    </message>
</context>
<context>
    <name>denoir::ui::StepStrip</name>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Latent</source>
        <translation>Latent</translation>
    </message>
    <message>
        <source>The latent itself, noise and all</source>
        <translation>Das Latent selbst, mit allem Rauschen</translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation>Schätzung</translation>
    </message>
    <message>
        <source>The model&apos;s estimate of the clean latent</source>
        <translation>Was das Modell für das reine Latent hält</translation>
    </message>
    <message>
        <source>Decoded</source>
        <translation>Dekodiert</translation>
    </message>
    <message>
        <source>The estimate through the true VAE: exact, takes a moment</source>
        <translation>Die Schätzung durch den wahren VAE: genau, dauert einen Moment</translation>
    </message>
    <message>
        <source>Frame of the pictures</source>
        <translation>Bild der Vorschaubilder</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>Show the newest step as it comes</source>
        <translation>Den neuesten Schritt zeigen, sobald er kommt</translation>
    </message>
    <message>
        <source>Branch from here</source>
        <translation>Hier abzweigen</translation>
    </message>
    <message>
        <source>Go on from this step with other settings; the steps before are not computed again</source>
        <translation>Ab diesem Schritt mit anderen Einstellungen weiter; die Schritte davor werden nicht neu gerechnet</translation>
    </message>
    <message>
        <source>Keep draft</source>
        <translation>Entwurf behalten</translation>
    </message>
    <message>
        <source>Save what this step would have become as a video</source>
        <translation>Was aus diesem Schritt geworden wäre, als Video speichern</translation>
    </message>
    <message>
        <source>latent</source>
        <translation>Latent</translation>
    </message>
    <message>
        <source>estimate</source>
        <translation>Schätzung</translation>
    </message>
    <message>
        <source>decoded</source>
        <translation>dekodiert</translation>
    </message>
    <message>
        <source>step %1 of %2, %3</source>
        <translation>Schritt %1 von %2, %3</translation>
    </message>
    <message>
        <source>frame %1</source>
        <translation>Bild %1</translation>
    </message>
    <message>
        <source>step %1/%2</source>
        <translation>Schritt %1/%2</translation>
    </message>
    <message>
        <source>decoding…</source>
        <translation>dekodiert …</translation>
    </message>
    <message>
        <source>What the pictures show</source>
        <translation>Was die Bilder zeigen</translation>
    </message>
    <message>
        <source>What the pictures show: %1</source>
        <translation>Was die Bilder zeigen: %1</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Compute the steps that are left</source>
        <translation>Die übrigen Schritte rechnen</translation>
    </message>
    <message>
        <source>Decode the video</source>
        <translation>Das Video dekodieren</translation>
    </message>
</context>
<context>
    <name>denoir::ui::StepsPanel</name>
    <message>
        <source>After step %1 there is nothing left to do, or its state was not kept. Pick another step.</source>
        <translation>Nach Schritt %1 ist nichts mehr zu tun, oder sein Zustand wurde nicht aufgehoben. Bitte einen anderen Schritt wählen.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::SweepBar</name>
    <message>
        <source>Axis</source>
        <translation>Achse</translation>
    </message>
    <message>
        <source>Add an axis</source>
        <translation>Achse hinzufügen</translation>
    </message>
    <message>
        <source>Vary one more thing</source>
        <translation>Noch etwas ändern</translation>
    </message>
    <message>
        <source>Swap rows and columns</source>
        <translation>Zeilen und Spalten tauschen</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Reihe rechnen</translation>
    </message>
    <message>
        <source>Sweep   %1</source>
        <translation>Reihe rechnen   %1</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>beginning …</source>
        <translation>beginnt …</translation>
    </message>
    <message>
        <source>looking …</source>
        <translation>sieht nach …</translation>
    </message>
    <message numerus="yes">
        <source>%n clip(s)</source>
        <translation>
            <numerusform>%n Clip</numerusform>
            <numerusform>%n Clips</numerusform>
        </translation>
    </message>
    <message>
        <source>all of them are there</source>
        <translation>alle sind schon da</translation>
    </message>
    <message numerus="yes">
        <source>%n to render</source>
        <translation>
            <numerusform>%n zu rechnen</numerusform>
            <numerusform>%n zu rechnen</numerusform>
        </translation>
    </message>
    <message>
        <source>≈ %1</source>
        <translation>≈ %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>denoir::ui::SweepGrid</name>
    <message>
        <source>reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>%1 dB</source>
        <translation>%1 dB</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>not rendered</source>
        <translation>nicht gerechnet</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>step %1/%2</source>
        <translation>Schritt %1/%2</translation>
    </message>
    <message>
        <source>at work</source>
        <translation>bei der Arbeit</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>its run was deleted</source>
        <translation>der Lauf wurde gelöscht</translation>
    </message>
    <message>
        <source>Enter: try again</source>
        <translation>Eingabe: noch einmal</translation>
    </message>
    <message>
        <source>Enter: render it</source>
        <translation>Eingabe: rechnen</translation>
    </message>
    <message>
        <source>Grid of clips</source>
        <translation>Raster der Clips</translation>
    </message>
    <message>
        <source>starred</source>
        <translation>mit Stern</translation>
    </message>
</context>
<context>
    <name>denoir::ui::SweepModel</name>
    <message>
        <source>done, rendered before</source>
        <translation>fertig, war schon da</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Stand</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>PSNR</source>
        <translation>PSNR</translation>
    </message>
    <message>
        <source>SSIM</source>
        <translation>SSIM</translation>
    </message>
    <message>
        <source>Worst frame</source>
        <translation>Tiefpunkt</translation>
    </message>
    <message>
        <source>not comparable</source>
        <translation>nicht vergleichbar</translation>
    </message>
    <message>
        <source>reused</source>
        <translation>schon da</translation>
    </message>
</context>
<context>
    <name>denoir::ui::SweepPlot</name>
    <message>
        <source>PSNR against seconds</source>
        <translation>PSNR über Sekunden</translation>
    </message>
    <message>
        <source>%1: %2 dB in %3</source>
        <translation>%1: %2 dB in %3</translation>
    </message>
    <message>
        <source>PSNR against seconds, once two clips are measured</source>
        <translation>PSNR über Sekunden, sobald zwei Clips gemessen sind</translation>
    </message>
    <message>
        <source>dB to the reference, by seconds</source>
        <translation>dB zur Referenz, nach Sekunden</translation>
    </message>
    <message>
        <source>%1 dB</source>
        <translation>%1 dB</translation>
    </message>
</context>
<context>
    <name>denoir::ui::SweepTable</name>
    <message>
        <source>What the clips differ in</source>
        <translation>Worin sich die Clips unterscheiden</translation>
    </message>
    <message>
        <source>A line for each clip of a sweep: its values, how long it took, how far it is from the reference.</source>
        <translation>Eine Zeile für jeden Clip einer Reihe: seine Werte, wie lange er dauerte, wie weit er von der Referenz entfernt ist.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::SweepView</name>
    <message>
        <source>nothing measured</source>
        <translation>nichts gemessen</translation>
    </message>
    <message>
        <source>measured against %1</source>
        <translation>gemessen an %1</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
    <message>
        <source>The usual: most steps, least cache, f32</source>
        <translation>Das Übliche: meiste Schritte, kleinster Cache, f32</translation>
    </message>
    <message>
        <source>Only the selected clip</source>
        <translation>Nur der gewählte Clip</translation>
    </message>
    <message>
        <source>each clip&apos;s own</source>
        <translation>der eigene jedes Clips</translation>
    </message>
    <message>
        <source>Every clip is measured against this one.</source>
        <translation>Jeder Clip wird an diesem gemessen.</translation>
    </message>
    <message>
        <source>Which values are best? A sweep renders a clip for every combination of the values above and plays them beside each other.
Press Sweep, or change the axes first.</source>
        <translation>Welche Werte sind die besten? Eine Reihe rechnet für jede Kombination der Werte oben einen Clip und spielt alle nebeneinander.
„Reihe rechnen“ drücken, oder erst die Achsen ändern.</translation>
    </message>
    <message>
        <source>The clip&apos;s whole request is in the parameters.</source>
        <translation>Der ganze Auftrag des Clips steht in den Parametern.</translation>
    </message>
    <message>
        <source>The clip&apos;s values and its seed are in the parameters.</source>
        <translation>Werte und Seed des Clips stehen in den Parametern.</translation>
    </message>
    <message>
        <source>Sweep shown</source>
        <translation>Gezeigte Reihe</translation>
    </message>
    <message>
        <source>The sweeps made so far, newest first</source>
        <translation>Die bisherigen Reihen, neueste zuerst</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Export the sweep</source>
        <translation>Reihe exportieren</translation>
    </message>
    <message>
        <source>Play all together</source>
        <translation>Alle zusammen abspielen</translation>
    </message>
    <message>
        <source>frame %1/%2</source>
        <translation>Bild %1/%2</translation>
    </message>
    <message>
        <source>Loop</source>
        <translation>Schleife</translation>
    </message>
    <message>
        <source>%1 fps</source>
        <translation>%1 fps</translation>
    </message>
    <message>
        <source>What each clip is measured against</source>
        <translation>Woran jeder Clip gemessen wird</translation>
    </message>
    <message>
        <source>Reference: %1</source>
        <translation>Referenz: %1</translation>
    </message>
    <message>
        <source>clip %1 of %2</source>
        <translation>Clip %1 von %2</translation>
    </message>
    <message>
        <source>measuring …</source>
        <translation>misst …</translation>
    </message>
    <message numerus="yes">
        <source>Render %n missing</source>
        <translation>
            <numerusform>%n Fehlenden rechnen</numerusform>
            <numerusform>%n Fehlende rechnen</numerusform>
        </translation>
    </message>
    <message>
        <source>Page Up and Page Down turn the pages</source>
        <translation>Bild auf und Bild ab blättern</translation>
    </message>
    <message>
        <source>%1 of %2 clips</source>
        <translation>%1 von %2 Clips</translation>
    </message>
    <message>
        <source>Select a second clip first (Shift and an arrow, or Ctrl and click).</source>
        <translation>Erst einen zweiten Clip wählen (Umschalt und Pfeil, oder Strg und Klick).</translation>
    </message>
    <message>
        <source>One of the two has no video yet.</source>
        <translation>Einer der beiden hat noch kein Video.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Render it</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Take its values</source>
        <translation>Seine Werte übernehmen</translation>
    </message>
    <message>
        <source>Restore its whole request</source>
        <translation>Seinen ganzen Auftrag wiederherstellen</translation>
    </message>
    <message>
        <source>Compare the two</source>
        <translation>Die beiden vergleichen</translation>
    </message>
    <message>
        <source>Compare with the reference</source>
        <translation>Mit der Referenz vergleichen</translation>
    </message>
    <message>
        <source>Measure against this one</source>
        <translation>Daran messen</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>Stern</translation>
    </message>
    <message>
        <source>This clip is the reference: select a second one (Shift and an arrow, or Ctrl and click).</source>
        <translation>Dieser Clip ist die Referenz: erst einen zweiten wählen (Umschalt und Pfeil, oder Strg und Klick).</translation>
    </message>
    <message>
        <source>Remove star</source>
        <translation>Stern entfernen</translation>
    </message>
    <message>
        <source>Previous frame</source>
        <translation>Voriges Bild</translation>
    </message>
    <message>
        <source>Next frame</source>
        <translation>Nächstes Bild</translation>
    </message>
    <message>
        <source>%1 play, the others stand still</source>
        <translation>%1 laufen, die übrigen stehen</translation>
    </message>
    <message>
        <source>Frame shown</source>
        <translation>Gezeigtes Bild</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>There is no clip yet: choose axes and sweep over them first.</source>
        <translation>Noch gibt es keinen Clip: erst Achsen wählen und die Reihe rechnen lassen.</translation>
    </message>
    <message>
        <source>This clip has no video yet.</source>
        <translation>Dieser Clip hat noch kein Video.</translation>
    </message>
</context>
<context>
    <name>denoir::ui::TimelineView</name>
    <message>
        <source>%1
frames %2 to %3 of %4, %5 fps</source>
        <translation>%1
Bilder %2 bis %3 von %4, %5 fps</translation>
    </message>
    <message>
        <source>Open the run</source>
        <translation>Den Lauf öffnen</translation>
    </message>
    <message>
        <source>Extend</source>
        <translation>Verlängern</translation>
    </message>
    <message>
        <source>Split at the playhead</source>
        <translation>Am Abspielkopf teilen</translation>
    </message>
    <message>
        <source>Whole take</source>
        <translation>Ganzer Take</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>Takes</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>Remove this take</source>
        <translation>Diesen Take entfernen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>+ Extend</source>
        <translation>+ Verlängern</translation>
    </message>
    <message numerus="yes">
        <source>%n f</source>
        <comment>frames</comment>
        <translation>
            <numerusform>%n Bild</numerusform>
            <numerusform>%n Bilder</numerusform>
        </translation>
    </message>
    <message>
        <source>take %1/%2</source>
        <translation>Take %1/%2</translation>
    </message>
    <message>
        <source>%1 to %2 of %3</source>
        <translation>%1 bis %2 von %3</translation>
    </message>
    <message>
        <source>The video is missing</source>
        <translation>Das Video fehlt</translation>
    </message>
    <message>
        <source>The cut is empty</source>
        <translation>Der Schnitt ist leer</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>Name of the shot</source>
        <translation>Name der Einstellung</translation>
    </message>
    <message numerus="yes">
        <source>%n shot(s), playhead at frame %1 of %2.</source>
        <translation>
            <numerusform>%n Einstellung, Abspielkopf bei Bild %1 von %2.</numerusform>
            <numerusform>%n Einstellungen, Abspielkopf bei Bild %1 von %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Selected: shot %1, %2, %n frame(s).</source>
        <translation>
            <numerusform>Ausgewählt: Einstellung %1, %2, %n Bild.</numerusform>
            <numerusform>Ausgewählt: Einstellung %1, %2, %n Bilder.</numerusform>
        </translation>
    </message>
    <message>
        <source>The video is missing: %1.</source>
        <translation>Das Video fehlt: %1.</translation>
    </message>
    <message>
        <source>add takes</source>
        <translation>Takes hinzufügen</translation>
    </message>
    <message>
        <source>add shots</source>
        <translation>Einstellungen hinzufügen</translation>
    </message>
    <message>
        <source>Open the video</source>
        <translation>Das Video öffnen</translation>
    </message>
    <message>
        <source>Retake</source>
        <translation>Neuer Take</translation>
    </message>
    <message numerus="yes">
        <source>%1
a picture, for %2 s: %n frame(s) at %3 fps</source>
        <translation>
            <numerusform>%1
ein Bild, %2 s lang: %n Bild mit %3 fps</numerusform>
            <numerusform>%1
ein Bild, %2 s lang: %n Bilder mit %3 fps</numerusform>
        </translation>
    </message>
    <message>
        <source>Open the picture</source>
        <translation>Das Bild öffnen</translation>
    </message>
    <message>
        <source>Open the frames</source>
        <translation>Die Bilder öffnen</translation>
    </message>
    <message>
        <source>Two seconds long</source>
        <translation>Zwei Sekunden lang</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>The picture is missing</source>
        <translation>Das Bild fehlt</translation>
    </message>
    <message>
        <source>The frames are missing</source>
        <translation>Die Bilder fehlen</translation>
    </message>
    <message>
        <source>The picture is missing: %1.</source>
        <translation>Das Bild fehlt: %1.</translation>
    </message>
    <message>
        <source>The folder of frames is missing: %1.</source>
        <translation>Der Ordner mit den Bildern fehlt: %1.</translation>
    </message>
    <message>
        <source>the cut would become too long</source>
        <translation>der Schnitt würde zu lang</translation>
    </message>
    <message>
        <source>begin another project</source>
        <translation>ein anderes Projekt beginnen</translation>
    </message>
    <message numerus="yes">
        <source>%n shot(s), playhead at the end.</source>
        <translation>
            <numerusform>%n Einstellung, Abspielkopf am Ende.</numerusform>
            <numerusform>%n Einstellungen, Abspielkopf am Ende.</numerusform>
        </translation>
    </message>
    <message>
        <source>Drag runs, videos, pictures or folders of frames here; then trim, split and export.</source>
        <translation>Läufe, Videos, Bilder oder Ordner mit Bildern hierher ziehen; dann kürzen, teilen und exportieren.</translation>
    </message>
    <message>
        <source>Drag runs, videos, pictures or folders of frames here, or press %1 on a run; then trim, split and export.</source>
        <translation>Läufe, Videos, Bilder oder Ordner mit Bildern hierher ziehen oder %1 auf einem Lauf drücken; dann kürzen, teilen und exportieren.</translation>
    </message>
    <message>
        <source>Empty. Drop a run, a video, a picture or a folder of frames here.</source>
        <translation>Leer. Einen Lauf, ein Video, ein Bild oder einen Ordner mit Bildern hierher ziehen.</translation>
    </message>
    <message>
        <source>Empty. Drop a run, a video, a picture or a folder of frames here, or press %1 on a run.</source>
        <translation>Leer. Einen Lauf, ein Video, ein Bild oder einen Ordner mit Bildern hierher ziehen oder %1 auf einem Lauf drücken.</translation>
    </message>
    <message>
        <source>Locate …</source>
        <translation>Suchen …</translation>
    </message>
    <message>
        <source>It is already the first shot.</source>
        <translation>Es ist schon die erste Einstellung.</translation>
    </message>
    <message>
        <source>It is already the last shot.</source>
        <translation>Es ist schon die letzte Einstellung.</translation>
    </message>
    <message>
        <source>Put the playhead inside a shot first: at its edge there is nothing to split.</source>
        <translation>Den Abspielkopf erst in eine Einstellung setzen: an ihrem Rand gibt es nichts zu teilen.</translation>
    </message>
    <message>
        <source>A shot has at least one frame.</source>
        <translation>Eine Einstellung hat mindestens ein Bild.</translation>
    </message>
    <message>
        <source>The take ends there.</source>
        <translation>Der Take endet dort.</translation>
    </message>
    <message>
        <source>The playhead is behind the last shot.</source>
        <translation>Der Abspielkopf steht hinter der letzten Einstellung.</translation>
    </message>
    <message>
        <source>The shot already begins at the playhead.</source>
        <translation>Die Einstellung beginnt schon am Abspielkopf.</translation>
    </message>
    <message>
        <source>The shot already ends at the playhead.</source>
        <translation>Die Einstellung endet schon am Abspielkopf.</translation>
    </message>
    <message>
        <source>“%1” %2</source>
        <translation>„%1“ %2</translation>
    </message>
</context>
<context>
    <name>denoir::ui::TransportBar</name>
    <message>
        <source>Single</source>
        <translation>Einzeln</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>Nebeneinander</translation>
    </message>
    <message>
        <source>Wipe</source>
        <translation>Blende</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>Flicker</source>
        <translation>Flackern</translation>
    </message>
    <message>
        <source>A and B in turn, twice a second</source>
        <translation>A und B im Wechsel, zweimal in der Sekunde</translation>
    </message>
    <message>
        <source>Onion</source>
        <translation>Überlagert</translation>
    </message>
    <message>
        <source>Amplification of the difference</source>
        <translation>Verstärkung des Unterschieds</translation>
    </message>
    <message>
        <source>Swap A and B</source>
        <translation>A und B tauschen</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Wiedergabe</translation>
    </message>
    <message>
        <source>Play in a loop</source>
        <translation>In Schleife abspielen</translation>
    </message>
    <message>
        <source>Time, minutes, seconds and frames</source>
        <translation>Zeit, Minuten, Sekunden und Bilder</translation>
    </message>
    <message>
        <source>frame %1/%2</source>
        <translation>Bild %1/%2</translation>
    </message>
    <message>
        <source>True size</source>
        <translation>Wahre Größe</translation>
    </message>
    <message>
        <source>Fit into the window</source>
        <translation>In das Fenster einpassen</translation>
    </message>
    <message>
        <source>%1 fps</source>
        <translation>%1 fps</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>%1 dB</source>
        <translation>%1 dB</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>Measured on frames that no codec has touched</source>
        <translation>Gemessen an Bildern, die kein Codec berührt hat</translation>
    </message>
    <message>
        <source>Measured on the videos&apos; frames</source>
        <translation>Gemessen an den Bildern der Videos</translation>
    </message>
    <message>
        <source>How much of B lies over A</source>
        <translation>Wie stark B über A liegt</translation>
    </message>
    <message>
        <source> frames</source>
        <translation> Bilder</translation>
    </message>
    <message>
        <source>B is ahead by</source>
        <translation>B ist voraus um</translation>
    </message>
    <message>
        <source>Pixel values</source>
        <translation>Pixelwerte</translation>
    </message>
    <message>
        <source>Frame shown</source>
        <translation>Gezeigtes Bild</translation>
    </message>
    <message>
        <source>Pixel values under the cursor, else in the middle; Ctrl and an arrow move the picture</source>
        <translation>Pixelwerte unter dem Zeiger, sonst in der Mitte; Strg und ein Pfeil bewegen das Bild</translation>
    </message>
    <message>
        <source>lowest %1: frame %2</source>
        <translation>niedrigste %1: Bild %2</translation>
    </message>
    <message>
        <source>Go to the frame with the lowest %1</source>
        <translation>Zum Bild mit der niedrigsten %1</translation>
    </message>
    <message>
        <source>Go to the frame with the lowest %1, %2</source>
        <translation>Zum Bild mit der niedrigsten %1, %2</translation>
    </message>
    <message>
        <source>One at a time; flipping shows the other</source>
        <translation>Eines zur Zeit; Umschalten zeigt das andere</translation>
    </message>
    <message>
        <source>Wipe: drag the line</source>
        <translation>Blende: die Linie ziehen</translation>
    </message>
    <message>
        <source>Difference, amplified</source>
        <translation>Unterschied, verstärkt</translation>
    </message>
    <message>
        <source>B half over A</source>
        <translation>B halb über A</translation>
    </message>
    <message>
        <source>By how many frames B is ahead: frame 1 of A is held against frame 1 + this of B. Where their rates and lengths differ, frames are paired by time, unless the menu says by number.</source>
        <translation>Um wie viele Bilder B voraus ist: Bild 1 von A wird gegen Bild 1 + dies von B gehalten. Sind beide verschieden schnell und verschieden lang, wird nach Zeit gepaart, außer das Menü sagt: nach Nummer.</translation>
    </message>
    <message>
        <source>Difference of the frames shown</source>
        <translation>Unterschied der gezeigten Bilder</translation>
    </message>
    <message>
        <source>Previous frame</source>
        <translation>Voriges Bild</translation>
    </message>
    <message>
        <source>Next frame</source>
        <translation>Nächstes Bild</translation>
    </message>
    <message>
        <source>lowest %1 so far: frame %2</source>
        <translation>niedrigste %1 bisher: Bild %2</translation>
    </message>
    <message>
        <source>B </source>
        <translation>B </translation>
    </message>
    <message>
        <source> frame</source>
        <translation> Bild</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Verifications</name>
    <message>
        <source>verifying · waits for the engine</source>
        <translation>Prüfen · wartet auf die Engine</translation>
    </message>
    <message>
        <source>verifying · step %1/%2</source>
        <translation>Prüfen · Schritt %1/%2</translation>
    </message>
    <message>
        <source>verifying · %1</source>
        <translation>Prüfen · %1</translation>
    </message>
    <message>
        <source>“%1” verified: every step comes out byte for byte the same.</source>
        <translation>„%1“ geprüft: Jeder Schritt kommt Byte für Byte gleich heraus.</translation>
    </message>
    <message>
        <source>“%1” comes out otherwise.</source>
        <translation>„%1“ kommt anders heraus.</translation>
    </message>
    <message>
        <source>The first step that differs is step %1.</source>
        <translation>Der erste Schritt, der anders herauskommt, ist Schritt %1.</translation>
    </message>
    <message>
        <source>Changed since the run: %1</source>
        <translation>Seit dem Lauf verändert: %1</translation>
    </message>
    <message>
        <source>“%1” could not be verified: %2</source>
        <translation>„%1“ ließ sich nicht prüfen: %2</translation>
    </message>
</context>
<context>
    <name>denoir::ui::Viewer</name>
    <message>
        <source>Stopped at step %1. Resume it, or branch from any step.</source>
        <translation>Angehalten bei Schritt %1. Fortsetzen, oder ab einem beliebigen Schritt abzweigen.</translation>
    </message>
    <message>
        <source>%1 · no video yet</source>
        <translation>%1 · noch kein Video</translation>
    </message>
    <message>
        <source>The run waits for the engine.</source>
        <translation>Der Lauf wartet auf die Engine.</translation>
    </message>
    <message>
        <source>The first step is being computed.</source>
        <translation>Der erste Schritt wird gerechnet.</translation>
    </message>
    <message>
        <source>Before the first step: %1.</source>
        <translation>Vor dem ersten Schritt: %1.</translation>
    </message>
    <message>
        <source>Stopped before the first step. It can be resumed.</source>
        <translation>Vor dem ersten Schritt angehalten. Der Lauf kann fortgesetzt werden.</translation>
    </message>
    <message>
        <source>Step %1 is being computed.</source>
        <translation>Schritt %1 wird berechnet.</translation>
    </message>
    <message>
        <source>Before step %1: %2.</source>
        <translation>Vor Schritt %1: %2.</translation>
    </message>
</context>
</TS>
