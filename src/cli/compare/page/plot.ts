import type { Markup } from "./html";
import { html, shortName } from "./html";

/** A line of a plot. A point without a value is left out. */
export interface Series {
  name: string;
  values: readonly (number | undefined)[];
}

interface Plot {
  /** What it shows, for people who cannot see it. */
  title: string;
  series: readonly Series[];
  /** Of the points. */
  names: readonly string[];
  /** The value at the top, more than 0. */
  most: number;
  describe(value: number): string;
}

/** In units of the picture. The right margin has the names of the lines. */
const size = { width: 760, height: 280, left: 64, right: 200, top: 12, bottom: 28 };
const labelHeight = 15;
const mostPoints = 100;

/** Lines over files, each with its name beside its end. */
export function linePlot({ title, series, names, most, describe }: Plot): Markup {
  const { width, height, left, right, top, bottom } = size;
  const inner = { width: width - left - right, height: height - top - bottom };
  const x = (index: number): number =>
    rounded(left + (names.length < 2 ? inner.width / 2 : (index / (names.length - 1)) * inner.width));
  const y = (value: number): number => rounded(top + (1 - value / most) * inner.height);
  const grid = [0, most / 2, most].map(
    (value) =>
      html`<line class="grid" x1="${left}" x2="${width - right}" y1="${y(value)}" y2="${y(value)}"/><text x="${left - 8}" y="${y(value) + 4}" text-anchor="end">${describe(value)}</text>`,
  );
  const labels = labelPlaces(series.map((each) => y(lastOf(each) ?? 0)));
  const lines = series.map((each, index) => {
    const value = lastOf(each);
    const label = `${shortName(each.name)} ${value === undefined ? "" : describe(value)}`;
    return html`<g class="l${index}">${runsOf(each.values).map((run) => html`<polyline class="line" points="${run.map((at) => `${x(at)},${y(each.values[at] ?? 0)}`).join(" ")}"/>`)}${pointsOf(each, x, y)}<text x="${width - right + 10}" y="${(labels[index] ?? 0) + 4}">${label}</text></g>\n`;
  });
  const [first = "", last = ""] = [names[0], names.at(-1)];
  const ends = html`<text x="${left}" y="${height - 6}">${shortName(first)}</text>${names.length < 2 ? html`` : html`<text x="${width - right}" y="${height - 6}" text-anchor="end">${shortName(last)}</text>`}`;
  return html`<div class="scroll" role="region" aria-label="${title}" tabindex="0"><svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">${grid}${ends}
${lines}</svg></div>`;
}

/** A small line of shares from 0 to 1. The cells beside it say the most important of it. */
export function sparkline(values: readonly (number | undefined)[]): Markup {
  const x = (index: number): number => rounded(values.length < 2 ? 50 : (index / (values.length - 1)) * 100);
  const runs = runsOf(values).map(
    (run) =>
      html`<polyline class="line" vector-effect="non-scaling-stroke" points="${(run.length === 1 ? [run[0], run[0]] : run).map((at = 0, end) => `${x(at) + (run.length === 1 ? end : 0)},${rounded(22 - (values[at] ?? 0) * 20)}`).join(" ")}"/>`,
  );
  return html`<svg class="spark" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">${runs}</svg>`;
}

/** The indexes of values without a gap between them. */
function runsOf(values: readonly (number | undefined)[]): number[][] {
  const runs: number[][] = [[]];
  for (const [index, value] of values.entries()) {
    if (value === undefined) {
      runs.push([]);
    } else {
      runs.at(-1)?.push(index);
    }
  }
  return runs.filter((run) => run.length > 0);
}

/** Many points would be a thick line. One alone would be no line. */
function pointsOf({ values }: Series, x: (index: number) => number, y: (value: number) => number): Markup[] {
  const isShown = values.length <= mostPoints;
  return runsOf(values).flatMap((run) =>
    isShown || run.length === 1
      ? run.map((at) => html`<circle cx="${x(at)}" cy="${y(values[at] ?? 0)}" r="2.5"/>`)
      : [],
  );
}

function lastOf({ values }: Series): number | undefined {
  return values.findLast((value) => value !== undefined);
}

/** Places of labels near these ones, so that none lies on another. */
function labelPlaces(wanted: readonly number[]): number[] {
  const order = wanted.map((place, index) => ({ place, index })).sort((one, other) => one.place - other.place);
  const { height, top, bottom } = size;
  let next = top;
  for (const each of order) {
    each.place = Math.max(each.place, next);
    next = each.place + labelHeight;
  }
  let limit = height - bottom;
  for (const each of order.reverse()) {
    each.place = Math.min(each.place, limit);
    limit = each.place - labelHeight;
  }
  return order.sort((one, other) => one.index - other.index).map(({ place }) => rounded(place));
}

function rounded(number: number): number {
  return Number(number.toFixed(1));
}
