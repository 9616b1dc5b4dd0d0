import type { PeersResult, PhaseName } from "../peers/result";
import { extrapolatedNote } from "./extrapolate";

const width = 460;
const height = 320;
const margin = { left: 52, right: 140, top: 34, bottom: 40 };
const colours = ["#0b6e4f", "#c1121f", "#b36b00", "#3d5a80", "#7b2d8b"];

interface Point {
  x: number;
  y: number;
  measured: boolean;
}

/**
 * Plots the seconds of two phases over the number of tasks, both axes logarithmic, as an SVG for light and dark pages.
 * @param labels of the peers that are shown, by their names. Each stands at the end of its line, so a peer without a result of the largest
 *   stack is not shown
 */
export function plotOf(results: readonly PeersResult[], labels: Readonly<Record<string, string>>): string {
  const unlimited = results.filter(({ requestsPerSecond }) => requestsPerSecond === undefined);
  const panels = (["first up", "unchanged up"] as const).map((phase, index) =>
    panel(unlimited, phase, { labels, left: index * width }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * width} ${height}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#ffffff"/>
${panels.join("\n")}
</svg>
`;
}

interface Panel {
  labels: Readonly<Record<string, string>>;
  left: number;
}

function panel(results: readonly PeersResult[], phase: PhaseName, { labels, left }: Panel): string {
  const names = Object.keys(labels);
  const largest = Math.max(...results.map(({ tasks }) => tasks));
  const lines = names
    .map((name) => ({ name, points: pointsOf(results, name, phase) }))
    .filter(({ points }) => points.at(-1)?.x === largest);
  const all = lines.flatMap(({ points }) => points);
  const xScale = scale(
    all.map(({ x }) => x),
    [margin.left, width - margin.right],
  );
  const yScale = scale(
    all.map(({ y }) => y),
    [height - margin.bottom, margin.top],
  );
  const ends = spread(lines.map(({ points }) => yScale(points.at(-1)?.y ?? 1)));
  const drawn = lines.map(({ name, points }, index) => {
    const colour = colours[names.indexOf(name) % colours.length];
    const path = points.map(({ x, y }) => `${xScale(x).toFixed(1)},${yScale(y).toFixed(1)}`).join(" ");
    const dots = points.map(
      ({ x, y, measured }) =>
        `<circle cx="${xScale(x).toFixed(1)}" cy="${yScale(y).toFixed(1)}" r="3" fill="${measured ? colour : "#ffffff"}" stroke="${colour}"/>`,
    );
    const text = `<text x="${width - margin.right + 8}" y="${((ends[index] ?? 0) + 4).toFixed(1)}" fill="${colour}">${labels[name]}</text>`;
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>${dots.join("")}${text}`;
  });
  const xTicks = [...new Set(all.map(({ x }) => x))];
  const yTicks = ticks(all.map(({ y }) => y));
  const grid = [
    ...yTicks.map((y) => {
      const at = yScale(y).toFixed(1);
      return `<line x1="${margin.left}" x2="${width - margin.right}" y1="${at}" y2="${at}" stroke="#e5e5e5"/><text x="${margin.left - 6}" y="${Number(at) + 4}" text-anchor="end" fill="#555555">${y}</text>`;
    }),
    ...xTicks.map(
      (x) =>
        `<text x="${xScale(x).toFixed(1)}" y="${height - margin.bottom + 16}" text-anchor="middle" fill="#555555">${x}</text>`,
    ),
  ];
  const title = `<text x="${margin.left}" y="18" font-size="13" fill="#222222">${phase}, seconds over tasks</text>`;
  return `<g transform="translate(${left})">\n${title}\n${grid.join("\n")}\n${drawn.join("\n")}\n</g>`;
}

function pointsOf(results: readonly PeersResult[], name: string, phase: PhaseName): Point[] {
  return results.flatMap(({ tasks, peers }) => {
    const found = peers.find(({ peer }) => peer === name);
    const seconds = found?.phases[phase]?.wallSeconds;
    return seconds === undefined ? [] : [{ x: tasks, y: seconds, measured: found?.note !== extrapolatedNote }];
  });
}

/** A logarithmic scale. A single value is in the middle. */
function scale(values: readonly number[], [from, to]: readonly [number, number]): (value: number) => number {
  const least = Math.log(Math.min(...values));
  const span = Math.log(Math.max(...values)) - least;
  return (value) => (span === 0 ? (from + to) / 2 : from + ((Math.log(value) - least) / span) * (to - from));
}

/** 1, 2, 5, 10, … within the range of the values. */
function ticks(values: readonly number[]): number[] {
  const candidates = [-1, 0, 1, 2, 3].flatMap((power) =>
    [1, 2, 5].map((digit) => Number((digit * 10 ** power).toPrecision(1))),
  );
  return candidates.filter((tick) => tick >= Math.min(...values) && tick <= Math.max(...values));
}

/** Moves labels so that they do not overlap. */
function spread(wanted: readonly number[]): number[] {
  const least = 13;
  const order = wanted.map((_, index) => index).sort((one, other) => (wanted[one] ?? 0) - (wanted[other] ?? 0));
  const placed: number[] = [...wanted];
  let before = Number.NEGATIVE_INFINITY;
  for (const index of order) {
    before = Math.max(wanted[index] ?? 0, before + least);
    placed[index] = before;
  }
  return placed;
}
