/**
 * What services show of rows that are not exported, as a model: the responses fit some behaviours, and the others are
 * excluded.
 */

/** A read of rows that are not exported: its rows as JSON. */
export interface ShownRows {
  readonly rows: readonly string[];
  readonly total: number;
}

/** The rows of the task: how many, and the first ones as JSON, in the order of a read by offset. */
export interface KnownRows {
  readonly count: number;
  readonly first: readonly string[];
}

/** The behaviours that such reads and a mark can show, each with its values, the likeliest first. */
const values = {
  rowOrder: ["oldestFirst", "newestFirst"],
  notExported: ["untilMarked", "handedOutOnce"],
  notExportedCounts: ["usual", "notReturned", "allRows"],
  otherMarks: ["none", "half", "all"],
  markScope: ["task", "returned"],
} as const;

type Name = keyof typeof values;
type Service = { readonly [Each in Name]: (typeof values)[Each][number] };

const services = Object.entries(values).reduce<object[]>(
  (made, [name, own]) => made.flatMap((one) => own.map((value) => ({ ...one, [name]: value }))),
  [{}],
) as Service[];

/**
 * The values that fit two reads, a mark, and a third read. A behaviour is left out if each of its values fits, or if no
 * known service shows these rows.
 * @param sizes the size of each read
 */
export function fittingValues(
  known: KnownRows,
  sizes: readonly number[],
  reads: readonly ShownRows[],
): Partial<Record<Name, readonly string[]>> {
  const byRows = services.filter((service) => fits(service, known, sizes, reads, false));
  const byTotals = byRows.filter((service) => fits(service, known, sizes, reads, true));
  // A service can count in a way of its own.
  const fitting = byTotals.length > 0 ? byTotals : byRows;
  const names = (Object.keys(values) as Name[]).filter((name) => byTotals.length > 0 || name !== "notExportedCounts");
  const shown = names.map((name) => [
    name,
    values[name].filter((value) => fitting.some((service) => service[name] === value)),
  ]) as [Name, readonly string[]][];
  return Object.fromEntries(shown.filter(([name, own]) => own.length > 0 && own.length < values[name].length));
}

function fits(
  service: Service,
  { count, first }: KnownRows,
  sizes: readonly number[],
  reads: readonly ShownRows[],
  withTotals: boolean,
): boolean {
  const task = new ModelTask(service, count);
  const textOf = (row: number): string | undefined => first[service.rowOrder === "oldestFirst" ? row : count - 1 - row];
  return reads.every(({ rows, total }, at) => {
    if (at === reads.length - 1) {
      task.mark();
    }
    const expected = task.read(sizes[at] ?? 0);
    return (
      expected.end - expected.start === rows.length &&
      rows.every((row, index) => (textOf(expected.start + index) ?? row) === row) &&
      (!withTotals || expected.total === total)
    );
  });
}

/** The rows of a run by their numbers, the oldest first: those that are exported, then the returned ones, then others. */
class ModelTask {
  #exportedTo = 0;
  #returnedTo = 0;

  constructor(
    private readonly service: Service,
    private readonly count: number,
  ) {}

  read(size: number): { start: number; end: number; total: number } {
    const { notExported, notExportedCounts, otherMarks } = this.service;
    this.#exportTo({ none: 0, half: Math.floor(this.count / 2), all: this.count }[otherMarks]);
    const start = notExported === "handedOutOnce" ? this.#returnedTo : this.#exportedTo;
    const notCounted = { usual: this.#exportedTo, notReturned: start, allRows: 0 }[notExportedCounts];
    const end = Math.min(start + size, this.count);
    this.#returnedTo = Math.max(this.#returnedTo, end);
    return { start, end, total: this.count - notCounted };
  }

  mark(): void {
    this.#exportTo(this.service.markScope === "task" ? this.count : this.#returnedTo);
  }

  #exportTo(end: number): void {
    this.#exportedTo = Math.max(this.#exportedTo, end);
    this.#returnedTo = Math.max(this.#returnedTo, this.#exportedTo);
  }
}
