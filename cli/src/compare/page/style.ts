/** Of all pages, in light and dark colours. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #fbfbfa; --raised: #fff; --text: #1d2126; --quiet: #4d5660; --line: #d5d9de; --empty: #e4e7ea;
  --base: #6b7682; --head: #0b57a8; --failed: #b3201f; --focus: #b25000;
  font: 15px / 1.45 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --raised: #1c2024; --text: #e6e9ec; --quiet: #a9b2bb; --line: #363d44; --empty: #2e343a;
    --base: #8b96a1; --head: #7fb8ff; --failed: #ff8f8a; --focus: #ffb266;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); }
main { max-width: 100rem; margin: 0 auto; padding: 0.5rem 1rem 3rem; }
h1 { margin: 0.6rem 0; font-size: 1.45rem; }
h2 { margin: 1.8rem 0 0.5rem; font-size: 1.15rem; }
h2::first-letter { text-transform: uppercase; }
h1, h2, li, th, td { overflow-wrap: anywhere; }
ul { margin: 0.3rem 0; padding-left: 1.2rem; }
bdi { font-family: ui-monospace, monospace; font-size: 0.93em; }
.failed { border-left: 4px solid var(--failed); padding: 0.1rem 0.8rem; background: var(--raised); }
.failed h2 { margin: 0.3rem 0; color: var(--failed); }
.quiet, .search span { color: var(--quiet); }
.search input { font: inherit; padding: 0.15rem 0.4rem; max-width: 100%; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.scroll { overflow-x: auto; margin: 0.5rem 0; }
table { border-collapse: collapse; background: var(--raised); }
th, td { padding: 0.25rem 0.6rem; border: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; min-width: 6rem; max-width: 24rem; }
thead th { font-weight: 600; overflow-wrap: normal; white-space: nowrap; }
thead button { all: unset; cursor: pointer; }
thead button:focus-visible { outline: 3px solid var(--focus); }
[aria-sort=ascending] button::after { content: " \\2191"; }
[aria-sort=descending] button::after { content: " \\2193"; }
.drawing { min-width: 8rem; }
.bar { display: block; width: 8rem; max-width: 100%; height: 7px; margin: 2px 0; fill: var(--base); }
.bar.head { fill: var(--head); }
.bar .all { fill: var(--empty); }
.key { display: inline-block; width: 1.5rem; height: 7px; background: var(--base); }
.key.head { background: var(--head); }
.whole { white-space: nowrap; }
.plot { display: block; width: 16rem; max-width: 100%; height: 3rem; fill: var(--head); background: var(--empty); }
@media (max-width: 30rem) { main { padding: 0.5rem 0.6rem 2rem; } th, td { padding: 0.2rem 0.4rem; min-width: 3rem; } th:first-child, td:nth-child(2) { min-width: 7.5rem; } thead th { white-space: normal; } .plot { width: 8rem; } }
@media print { .search { display: none; } .scroll { overflow: visible; } }
`;
