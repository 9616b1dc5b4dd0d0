/** Of all pages, in light and dark colours. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #fbfbfa; --raised: #fff; --text: #1d2126; --quiet: #4d5660; --line: #d5d9de; --empty: #e4e7ea;
  --base: #6b7682; --head: #0b57a8; --failed: #b3201f; --focus: #b25000;
  --l0: #0b57a8; --l1: #a33b00; --l2: #1a6b35; --l3: #8b1f7a; --l4: #5b5200; --l5: #006a70; --l6: #a3142f; --l7: #4d4dbb;
  font: 15px / 1.45 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --raised: #1c2024; --text: #e6e9ec; --quiet: #a9b2bb; --line: #363d44; --empty: #2e343a;
    --base: #8b96a1; --head: #7fb8ff; --failed: #ff8f8a; --focus: #ffb266;
    --l0: #7fb8ff; --l1: #ffab7a; --l2: #76cf92; --l3: #ea9bdc; --l4: #d6c95a; --l5: #5fd0d6; --l6: #ff96a6; --l7: #b3b3ff;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); }
main { max-width: 100rem; margin: 0 auto; padding: 0.5rem 1rem 3rem; }
h1 { margin: 0.6rem 0; font-size: 1.45rem; }
h2 { margin: 1.8rem 0 0.5rem; font-size: 1.15rem; }
h1, h2, li, th, td { overflow-wrap: anywhere; }
ul { margin: 0.3rem 0; padding-left: 1.2rem; }
bdi { font-family: ui-monospace, monospace; font-size: 0.93em; }
.failed { border-left: 4px solid var(--failed); padding: 0.1rem 0.8rem; background: var(--raised); }
.failed h2 { margin: 0.3rem 0; color: var(--failed); }
.quiet, caption, .search span { color: var(--quiet); }
.search input { font: inherit; padding: 0.15rem 0.4rem; max-width: 100%; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.scroll { overflow-x: auto; margin: 0.5rem 0; }
table { border-collapse: collapse; background: var(--raised); }
caption { text-align: left; padding: 0.2rem 0; }
th, td { padding: 0.25rem 0.6rem; border: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; min-width: 6rem; max-width: 24rem; }
thead th { font-weight: 600; overflow-wrap: normal; white-space: nowrap; }
.filled { min-width: 8rem; }
.bar { display: block; width: 8rem; max-width: 100%; height: 7px; margin: 2px 0; fill: var(--base); }
.bar.head { fill: var(--head); }
.bar .all { fill: var(--empty); }
del, ins { text-decoration: none; }
.plot { display: block; width: 100%; min-width: 40rem; max-width: 60rem; height: auto; }
svg text { fill: var(--quiet); font-size: 12px; }
.grid { stroke: var(--line); stroke-width: 1; }
.line { fill: none; stroke-width: 2; }
.spark { display: block; width: 8rem; height: 1.6rem; }
.spark .line { stroke: var(--head); }
${Array.from({ length: 8 }, (_each, index) => `.l${index} .line { stroke: var(--l${index}); } .l${index} circle, svg .l${index} text { fill: var(--l${index}); }`).join("\n")}
@media (max-width: 30rem) { main { padding: 0.5rem 0.6rem 2rem; } th, td { padding: 0.2rem 0.4rem; } }
@media print { .search { display: none; } .scroll { overflow: visible; } }
`;
