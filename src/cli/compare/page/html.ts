import { createHash } from "node:crypto";
import { inert } from "../renderReport";
import type { Part, Phrase } from "../report";
import { script } from "./script";
import { style } from "./style";

/** Markup of ours. Every other string that becomes part of a page is text, and is escaped. */
export class Markup {
  constructor(readonly text: string) {}
}

type Content = Markup | string | number | readonly Content[];

/** Markup with text in it, which cannot become markup, hides what looks like a secret, and has no invisible characters. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(parts.map((part, index) => part + textOf(contents[index] ?? "")).join(""));
}

function textOf(content: Content): string {
  if (content instanceof Markup) {
    return content.text;
  }
  return Array.isArray(content) ? content.map(textOf).join("") : escaped(inert(String(content)));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}

/** Characters of a value. */
const longestShown = 300;

/** A name or a value of others, whose direction changes nothing around it. */
export function foreignText(text: string): Markup {
  return html`<bdi>${shortened(text)}</bdi>`;
}

/** Values that look like secrets are hidden before the cut, because half of one could not be found. */
function shortened(text: string): string {
  const shown = inert(text);
  return shown.length > longestShown ? `${shown.slice(0, longestShown)}…` : shown;
}

/** A name beside a line of a plot, where there is little space. */
export function shortName(name: string): string {
  const text = inert(name);
  return text.length > mostOfName ? `${text.slice(0, mostOfName)}…` : text;
}

const mostOfName = 20;

/** A part of a report. */
export function shown(part: Part): Markup {
  return typeof part === "string" ? html`${part}` : foreignText(part.foreign);
}

export function list(phrases: readonly Phrase[]): Markup {
  return phrases.length === 0 ? html`` : html`<ul>${phrases.map((phrase) => html`<li>${phrase.map(shown)}</li>`)}</ul>`;
}

/** A whole page. It loads nothing, and runs no script but its own. */
export function pageOf(title: string, body: Markup): string {
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
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
${body}
</main>
<script>${new Markup(script)}</script>
</body>
</html>
`.text;
}

function hashOf(content: string): string {
  return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}

export interface PageTable {
  /** Unique in the page. */
  id: string;
  caption: string;
  titles: readonly string[];
  rows: readonly (readonly Markup[])[];
}

/** A table with a field that searches it. The first cell names the row. */
export function searchTable({ id, caption, titles, rows }: PageTable): Markup {
  const lines = rows.map(
    ([first = html``, ...cells]) =>
      html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`,
  );
  return html`<p class="search" data-table="${id}" hidden><label>Search <input type="search" autocomplete="off"></label> <span role="status"></span></p>
<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table id="${id}">
<caption>${caption}</caption>
<thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>
${lines}</tbody>
</table></div>`;
}

/** A share from 0 to 1 as a bar. The text beside it says the same. */
export function bar(share: number, kind: "base" | "head"): Markup {
  const width = String(Number((share * 100).toFixed(2)));
  return html`<svg class="bar ${kind}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="100" height="8"/><rect width="${width}" height="8"/></svg>`;
}
