// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html.h"

namespace denoir::report {

const char style_sheet[] = R"css(
:root { --ground: #f6f7f9; --panel: #ffffff; --ink: #1b1f27; --faint: #5d6675; --rule: #dfe3ea; --grid: #e8ebf0;
  --a: #1f66d1; --b: #b8580a; --c: #0b7a53; --d: #8a3fb0; --e: #c02a5b; --good: #0b7a53; --fair: #8a6100; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14161a; --panel: #1d2026; --ink: #e9ebf0; --faint: #9aa3b2; --rule: #323741; --grid: #2a2e37;
    --a: #6ea8ff; --b: #ffab5e; --c: #54d1a0; --d: #d19bf2; --e: #ff8fb0; --good: #54d1a0; --fair: #e6bd4c; --bad: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 32px 24px 56px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 6px; letter-spacing: -0.01em; }
h2 { font-size: 17px; margin: 0 0 12px; }
h3 { font-size: 14px; margin: 0 0 6px; font-weight: 600; }
p { margin: 0 0 10px; max-width: 90ch; }
section { margin-top: 36px; }
.eyebrow { color: var(--faint); font-size: 13px; letter-spacing: 0.06em; text-transform: uppercase; margin: 0 0 8px; }
.lead { font-size: 17px; margin: 12px 0 0; } .lead + figure, .lead + .panel { margin-top: 12px; }
.faint, .remark { color: var(--faint); }
.small { font-size: 13px; }
.badge { display: inline-block; padding: 2px 12px; border-radius: 999px; border: 1.5px solid currentColor; font-weight: 600; font-size: 15px; }
.good { color: var(--good); } .fair { color: var(--fair); } .bad { color: var(--bad); }
.panel, figure.chart, .tiles > div { background: var(--panel); border: 1px solid var(--rule); border-radius: 10px; }
.panel { padding: 14px 18px; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 14px; }
.side { display: flex; gap: 14px; align-items: flex-start; overflow-wrap: anywhere; }
.key { flex: none; width: 30px; height: 30px; border-radius: 7px; display: grid; place-items: center; font-weight: 700; color: var(--panel); }
.key.a { background: var(--a); } .key.b { background: var(--b); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 14px; margin: 0; }
.tiles > div { padding: 12px 16px; }
.tiles dt { color: var(--faint); font-size: 13px; }
.tiles dd { margin: 0; font-size: 22px; font-weight: 600; font-variant-numeric: tabular-nums; }
.tiles dd.remark { font-size: 13px; font-weight: 400; overflow-wrap: anywhere; }
ul.notes { margin: 0; padding-left: 20px; } ul.notes li { margin: 4px 0; }
figure { margin: 0; }
figure.chart { padding: 14px 16px 10px; margin-bottom: 14px; position: relative; }
figure.chart figcaption { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: baseline; font-weight: 600; margin-bottom: 6px; }
figcaption .faint { font-weight: 400; font-size: 13px; }
.legend { font-weight: 400; font-size: 13px; color: var(--faint); display: inline-flex; gap: 6px; align-items: center; }
.legend i { width: 16px; height: 3px; border-radius: 2px; background: currentColor; display: inline-block; }
.legend i.dashed { background: repeating-linear-gradient(90deg, currentColor 0 4px, transparent 4px 6px); }
.readout { font-weight: 400; font-size: 13px; margin-left: auto; font-variant-numeric: tabular-nums; color: var(--ink); min-height: 1.5em; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--faint); font: 12px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-variant-numeric: tabular-nums; }
svg .grid { stroke: var(--grid); stroke-width: 1; } svg .axis { stroke: var(--rule); stroke-width: 1; }
svg .mark { stroke: var(--faint); stroke-width: 1; stroke-dasharray: 4 4; opacity: .75; } svg .marktext { font-size: 11px; }
svg .line { fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
svg .dashed { stroke-dasharray: 7 5; }
svg .area { fill: currentColor; stroke: none; opacity: .28; }
svg .bar, svg .dot { fill: currentColor; stroke: none; }
svg .pointer { stroke: var(--ink); stroke-width: 1; opacity: .6; visibility: hidden; }
.s0 { color: var(--a); } .s1 { color: var(--b); } .s2 { color: var(--c); } .s3 { color: var(--d); } .s4 { color: var(--faint); } .s5 { color: var(--e); }
.three { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 14px; }
.two { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 14px; }
.three figure.chart, .two figure.chart { margin-bottom: 0; }
.worst { margin-bottom: 14px; } .worst img { width: 100%; height: auto; display: block; border-radius: 6px; background: #000; image-rendering: auto; border: 1px solid var(--rule); }
.worst img.own { width: auto; max-width: 100%; }
.worst img.tiny { image-rendering: pixelated; }
.worst .cap { margin: 0 0 10px; display: flex; flex-wrap: wrap; gap: 2px 18px; font-variant-numeric: tabular-nums; }
.worst figcaption { font-size: 13px; color: var(--faint); margin-top: 4px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { text-align: left; padding: 5px 12px 5px 0; border-bottom: 1px solid var(--rule); vertical-align: top;
  overflow-wrap: anywhere; min-width: 6em; } /* breaks long words, as of a path or a layer's name, but not the short ones of a narrow column */
th { color: var(--faint); font-weight: 600; font-size: 13px; } .n { text-align: right; overflow-wrap: normal; white-space: nowrap; min-width: 0; }
details > summary { cursor: pointer; color: var(--a); margin-bottom: 8px; } details .scroll { max-height: 460px; overflow-y: auto; }
details thead th { position: sticky; top: 0; background: var(--panel); }
footer { margin-top: 40px; color: var(--faint); font-size: 13px; }
@media (max-width: 760px) { .pair, .three, .two { grid-template-columns: 1fr; } main { padding: 20px 14px 40px; } }
@media screen and (max-width: 760px) { figure.chart { overflow-x: auto; } figure.chart svg { min-width: min(var(--wide, 0px), 860px); }
  .scroll td, .scroll th { overflow-wrap: break-word; } }
@page { size: A4; margin: 14mm; }
@media print {
  :root { --ground: #fff; --panel: #fff; --ink: #000; --faint: #4a5260; --rule: #c9ced8; --grid: #e4e7ec;
    --a: #1f66d1; --b: #b8580a; --c: #0b7a53; --d: #8a3fb0; --e: #c02a5b; --good: #0b7a53; --fair: #8a6100; --bad: #b3261e; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 10.5pt; } main { max-width: none; padding: 0; } section { margin-top: 20px; }
  .pair { grid-template-columns: repeat(2, minmax(0, 1fr)); } .three { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .two { grid-template-columns: repeat(2, minmax(0, 1fr)); } .tiles { grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 8px; }
  figure, .worst, .tiles > div, tr, .panel { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .readout, section:has(details:not([open])), script { display: none; } svg text { font-size: 16px; } details .scroll { max-height: none; }
}
)css";

const char pointer_script[] = R"js(
for (const figure of document.querySelectorAll("figure[data-chart]")) {
  const chart = JSON.parse(figure.dataset.chart), svg = figure.querySelector("svg"), line = svg.querySelector(".pointer");
  const readout = figure.querySelector(".readout");
  const leave = () => { line.style.visibility = "hidden"; readout.textContent = ""; };
  svg.addEventListener("pointerleave", leave);
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(), x = (event.clientX - box.left) / box.width * chart.width;
    const share = (x - chart.left) / (chart.right - chart.left);
    if (share < -0.02 || share > 1.02 || chart.x.length === 0) return leave();
    const first = chart.x[0], last = chart.x[chart.x.length - 1], wanted = first + share * (last - first);
    let best = 0;
    for (let i = 1; i < chart.x.length; ++i) if (Math.abs(chart.x[i] - wanted) < Math.abs(chart.x[best] - wanted)) best = i;
    const at = last > first ? chart.left + (chart.x[best] - first) / (last - first) * (chart.right - chart.left) : (chart.left + chart.right) / 2;
    line.setAttribute("x1", at); line.setAttribute("x2", at); line.style.visibility = "visible";
    readout.textContent = chart.axis + " " + chart.x[best] + ":  " + chart.series.map((s) =>
      s.name + " " + (s.y[best] === null ? chart.none : s.y[best])).join(",  ");
  });
}
)js";

} // namespace denoir::report
