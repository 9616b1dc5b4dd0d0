import { createHash } from "node:crypto";
import { InvalidArgumentError } from "commander";
import type { CommandContext } from "../../commandContext";
import { confirmedToReplace, writeFiles } from "../../output/writeFiles";
import type { Drawing, Part, Report, ReportTable } from "../report";
import { foreignText, html, Markup } from "./html";
import { style } from "./style";

/** Searches and sorts the tables of a page. A row is shown if it contains each word. Empty cells come last. */
const script = `
for (const search of document.querySelectorAll(".search")) {
  const rows = [...search.nextElementSibling.querySelector("tbody").rows].map((row) => ({
    row,
    text: [...row.cells].map((cell) => cell.textContent.toLowerCase()).join("\\n"),
  }));
  const status = search.querySelector("[role=status]");
  search.hidden = rows.length < 2;
  search.querySelector("input").addEventListener("input", ({ target }) => {
    const words = target.value.toLowerCase().split(" ").filter((word) => word !== "");
    let shown = 0;
    for (const { row, text } of rows) {
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    status.textContent = shown + " of " + rows.length + " lines";
  });
}
const { compare } = new Intl.Collator([], { numeric: true });
const ordered = (one, other) => (one.number - other.number) || compare(one.text, other.text);
for (const { tHead, tBodies: [body] } of document.querySelectorAll("table")) {
  const titles = [...tHead.rows[0].cells];
  for (const [column, title] of titles.entries()) {
    const button = document.createElement("button");
    button.append(...title.childNodes);
    title.append(button);
    button.addEventListener("click", () => {
      const way = title.ariaSort === "ascending" ? -1 : 1;
      for (const each of titles) each.ariaSort = null;
      title.ariaSort = way === 1 ? "ascending" : "descending";
      const rows = [...body.rows].map((row) => {
        const text = row.cells[column].textContent;
        return { row, text, number: parseFloat(text) };
      });
      rows.sort((one, other) => (one.text === "") - (other.text === "") || way * ordered(one, other));
      body.append(...rows.map(({ row }) => row));
    });
  }
}
`;

/** A report as a whole page. It loads nothing, and runs no script but its own. */
export function pageOf(title: string, { failures, lines, tables }: Report): string {
  const policy = `default-src 'none'; style-src ${sourceHash(style)}; script-src ${sourceHash(script)}; base-uri 'none'; form-action 'none'`;
  const list = (phrases: Report["lines"]): Markup =>
    phrases.length === 0 ? html`` : html`<ul>${phrases.map((phrase) => html`<li>${phrase.map(shown)}</li>`)}</ul>`;
  const failed = html`<section class="failed" aria-labelledby="failed"><h2 id="failed">Failed conditions</h2>${list(failures)}</section>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p class="quiet">Written ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC</p>
${failures.length === 0 ? html`` : failed}
${list(lines)}
${tables.map(searchTable)}
</main>
<script>${new Markup(script)}</script>
</body>
</html>
`.text;
}

function sourceHash(content: string): string {
  return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}

/** A table with a field that searches it. The first cell names the row. */
function searchTable({ what, titles, rows, note }: ReportTable): Markup {
  const lines = rows.map(
    ([first = "", ...cells]) =>
      html`<tr><th scope="row">${shown(first)}</th>${cells.map((cell) => html`<td>${shown(cell)}</td>`)}</tr>\n`,
  );
  const hasBothBars = rows
    .flat()
    .some((cell) => typeof cell !== "string" && "bars" in cell && cell.bars?.base !== undefined);
  const legend = html`<p class="quiet"><i class="key"></i> base <i class="key head"></i> head</p>`;
  return html`<h2>${what}</h2>
${hasBothBars ? legend : html``}
${note === undefined ? html`` : html`<p class="quiet">${note}</p>`}
<p class="search" hidden><label>Search <input type="search" autocomplete="off"></label> <span role="status"></span></p>
<div class="scroll" role="region" aria-label="${what}" tabindex="0"><table id="${what.replaceAll(" ", "-")}">
<thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>
${lines}</tbody>
</table></div>`;
}

function shown(part: Part): Markup {
  return typeof part === "string" ? unbroken(part) : "foreign" in part ? foreignText(part.foreign) : drawn(part);
}

/** No line breaks in a date, one or two figures, or an arrow with short sides. */
function unbroken(text: string): Markup {
  const whole = (part: string): Markup => html`<span class="whole">${part}</span>`;
  const [old = "", now] = text.split(" -> ");
  if (now === undefined ? /^[-+\d]\S*(, \S+)?$/.test(text) : text.length <= 24) return whole(text);
  return now === undefined ? html`${text}` : html`${old} ${whole("->")} ${now}`;
}

/** The text says the same as the bars and the line. */
function drawn({ text, bars, line = [] }: Drawing): Markup {
  const bar = (kind: "base" | "head"): Markup =>
    bars?.[kind] === undefined
      ? html``
      : html`<svg class="bar ${kind}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="100" height="8"/><rect width="${rounded(bars[kind] * 100)}" height="8"/></svg>`;
  const width = 100 / Math.max(line.length, 1);
  const steps = line.map((value, index) =>
    value === undefined
      ? html``
      : html`<rect x="${rounded(index * width)}" y="${rounded(98 - value * 96)}" width="${rounded(width)}" height="${rounded(2 + value * 96)}"/>`,
  );
  const plot = html`<svg class="plot" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">${steps}</svg>`;
  return html`<div class="drawing">${bar("base")}${bar("head")}${line.length === 0 ? html`` : plot}${unbroken(text)}</div>`;
}

function rounded(number: number): string {
  return String(Number(number.toFixed(2)));
}

/**
 * @throws InvalidArgumentError for any other ending, so that a forgotten name leads to no file of rows that is replaced
 */
export function pageFile(given: string): string {
  if (!/\.html?$/i.test(given)) {
    throw new InvalidArgumentError("It must be a file that ends in .html.");
  }
  return given;
}

/** A page that is written when it is complete. Asks at once before a file is replaced. */
export async function plannedPage(
  path: string,
  yes: boolean,
  cli: CommandContext,
): Promise<{ write(content: string): Promise<void> }> {
  const found = await confirmedToReplace(path, yes, cli);
  return {
    async write(content) {
      await writeFiles([{ path, content, ...found }], process.cwd(), cli.interrupted);
      cli.terminal.say(`The page is in ${path}.`);
    },
  };
}
