import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import type { Behaviour } from "webextract-emulator";
import fc from "../../fastCheck";
import { skipWaits } from "../../service/skipWaits";
import { KillableProcess } from "../killing";
import type { Declared } from "../life";
import { World } from "../life";

/** Something that happens elsewhere just before a request: rows arrive in a batch, or somebody starts the task. */
interface Event {
  beforeRequest: number;
  batch: number;
  rows: number;
  /** Rows that are like others to the letter. */
  alike: boolean;
  startsRun: boolean;
}

interface Command {
  killBefore?: number;
  lost?: { request: number; when: "lostBefore" | "lostAfter" };
  events: Event[];
}

/** One history of a task's rows and of the exports that mark them. */
export interface ExportLife {
  /** Rows of each batch at the beginning. */
  batches: number[];
  behaviour: Partial<Behaviour>;
  /** What is configured: with `task` the service may mark only what it handed out. */
  markScope: "task" | "returned";
  scope: "all" | "notExported" | "batch";
  format: "ndjson" | "json" | "csv";
  pageSize: number;
  maxRows?: number;
  maxRetries: number;
  commands: Command[];
}

const event = fc.record<Event>({
  beforeRequest: fc.nat(14),
  batch: fc.nat(3),
  rows: fc.integer({ min: 1, max: 4 }),
  alike: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
  startsRun: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
});

const command = fc.record<Command, "events">(
  {
    killBefore: fc.nat(28),
    lost: fc.record({ request: fc.nat(10), when: fc.constantFrom("lostBefore", "lostAfter") }),
    events: fc.array(event, { maxLength: 2 }),
  },
  { requiredKeys: ["events"] },
);

const behaviour = fc.record({
  offsetResponse: fc.constantFrom("asked", "next", "cursor", "zero"),
  endOfData: fc.constantFrom("restTotal", "emptyPage", "offsetStays"),
  notExportedCounts: fc.constantFrom("usual", "usual", "allRows"),
  dataPageMax: fc.constantFrom(0, 2, 3),
  pageTooLarge: fc.constantFrom("refused", "clamped"),
  rowsArriveLate: fc.constantFrom(0, 0, 1, 2, 3),
  splitting: fc.constantFrom("always", "never"),
  subtaskListLag: fc.constantFrom(0, 0, 1, 3),
  subtaskPageMax: fc.constantFrom(0, 1),
  refuseEvery: fc.constantFrom(0, 0, 4),
}) satisfies fc.Arbitrary<Partial<Behaviour>>;

const marks = fc.constantFrom(
  { markScope: "task", service: "task" },
  { markScope: "task", service: "returned" },
  { markScope: "returned", service: "returned" },
) as fc.Arbitrary<{ markScope: "task" | "returned"; service: "task" | "returned" }>;

export const exportLife: fc.Arbitrary<ExportLife> = fc
  .record({
    batches: fc.array(fc.nat(6), { minLength: 1, maxLength: 3 }),
    behaviour,
    mark: marks,
    scope: fc.constantFrom("all", "notExported", "batch"),
    format: fc.constantFrom("ndjson", "json", "csv"),
    pageSize: fc.constantFrom(1, 2, 3, 5, 50),
    maxRows: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    maxRetries: fc.constantFrom(0, 1, 5),
    commands: fc.array(command, { minLength: 1, maxLength: 4 }),
  })
  .map(({ mark: { markScope, service }, scope, maxRows, behaviour: usual, ...rest }) => ({
    ...rest,
    markScope,
    behaviour: { ...usual, markScope: service },
    scope: markScope === "returned" ? "notExported" : scope,
    maxRows: markScope === "returned" ? maxRows : undefined,
  })) as fc.Arbitrary<ExportLife>;

const taskId = "task-1";

/** Lives it, and looks after each command whether every row that is marked is in a file. */
export async function live(life: ExportLife): Promise<void> {
  const world = await World.create({
    tasks: [{ taskId, taskGroupId: "group-1", actions: [], syntheticRows: 0, syntheticSubtasks: 2 }],
    config: { markScope: life.markScope, pageSize: String(life.pageSize), maxRetries: String(life.maxRetries) },
  });
  const waits = skipWaits();
  try {
    await new Living(life, world).run();
  } finally {
    waits.restore();
    await world.remove();
  }
}

class Living {
  private readonly declared: Declared;
  private readonly lotNos: string[] = [];
  private rowsMade = 0;
  /** Files that have their own name, with the content that they had when they were first seen. */
  private readonly finished = new Map<string, string>();
  /** After a refused mark the next attempt may replace the file. */
  private replaceable: string | undefined;
  /** Files that an error or a warning named, by their names there. */
  private readonly named = new Set<string>();
  /** Rows that came between the last look and the mark, where an error said so. */
  private readonly confessed = new Set<string>();
  private visibleAtLastLook = 0;
  private windowWasHit = false;

  constructor(
    private readonly life: ExportLife,
    private readonly world: World,
  ) {
    this.declared = world.declare("DataExport");
  }

  async run(): Promise<void> {
    const { behaviour, batches } = this.life;
    this.world.emulator.setBehaviour({ rowsArriveLate: behaviour.rowsArriveLate, splitting: behaviour.splitting });
    for (const rows of batches) {
      const lotNo = await this.world.finishedRun(taskId);
      this.lotNos.push(lotNo);
      this.addRows(lotNo, rows, false);
    }
    this.world.emulator.setBehaviour(behaviour);
    for (const [index, each] of [...this.life.commands, { events: [] }, { events: [] }].entries()) {
      await this.command(index, each);
    }
  }

  private async command(index: number, command: Command): Promise<void> {
    const before = this.marked();
    const { file, pending } = this.declared.state as { file?: string; pending?: string[] };
    this.replaceable = pending?.includes("mark") ? file : undefined;
    const { message, killed } = await this.up(this.args(index), command);
    for (const [, name = ""] of message.matchAll(/"([^"]*)"/g)) {
      this.named.add(name);
    }
    if (this.windowWasHit && (killed || /may be marked as exported without/.test(message))) {
      for (const id of this.marked()) {
        if (!before.has(id)) this.confessed.add(id);
      }
    }
    this.check(killed);
  }

  private async up(args: object, { killBefore, lost, events }: Command): Promise<{ message: string; killed: boolean }> {
    let requests = -1;
    this.windowWasHit = false;
    const process = new KillableProcess({
      killBefore,
      onRequest: (path) => {
        requests += 1;
        this.happen(
          path,
          events.filter(({ beforeRequest }) => beforeRequest === requests),
        );
        return lost?.request === requests ? lost.when : "answered";
      },
    });
    try {
      const kept = this.declared.keep();
      const message = await this.declared.up({ ...args }).then(
        () => "",
        (error: Error) => error.message,
      );
      if (process.dead) {
        kept.restore();
      }
      const warnings = this.world.warnings.splice(0).join(" ");
      return { message: process.dead ? "" : `${message} ${warnings}`, killed: process.dead };
    } finally {
      process.restore();
    }
  }

  /** Under scope task nothing comes between the last look and the mark by our doing: that no client can see. */
  private happen(path: string, events: Event[]): void {
    const { emulator } = this.world;
    if (path.endsWith("/data/markexported") && this.life.markScope === "task") {
      this.windowWasHit ||= emulator.inspect.visibleCount(taskId) > this.visibleAtLastLook;
      return;
    }
    for (const { batch, rows, alike, startsRun } of events) {
      if (startsRun) {
        this.lotNos.push(emulator.change.startRun(taskId));
      }
      this.addRows(this.lotNos[batch % this.lotNos.length] ?? "", rows, alike);
    }
    this.visibleAtLastLook = emulator.inspect.visibleCount(taskId);
  }

  private addRows(lotNo: string, rows: number, alike: boolean): void {
    const texts = Array.from({ length: rows }, () => rowText(alike ? "alike" : `r${this.rowsMade++}`));
    this.world.emulator.change.insertRows(taskId, texts, lotNo);
  }

  private args(index: number): object {
    const { scope, format, maxRows } = this.life;
    const lotNo = scope === "batch" ? this.lotNos[index % this.lotNos.length] : undefined;
    const path = `out/${scope === "batch" ? "{lotNo}-" : ""}{n}.${format}`;
    return { taskId, scope, lotNo, format, maxRows, path, markExported: true, triggers: [index] };
  }

  private marked(): Set<string> {
    const rows = this.world.emulator.inspect.rowsWithMarks(taskId);
    return new Set(rows.flatMap(({ row, exported }) => (exported ? [String(row.id)] : [])));
  }

  private files(): string[] {
    const folder = this.world.path("out");
    return existsSync(folder) ? readdirSync(folder).map((name) => `out/${name}`) : [];
  }

  /** What a killed export has left may still be named: by the next one. */
  private check(killed: boolean): void {
    const files = this.files();
    const contents: string[] = [];
    for (const file of files) {
      const content = this.world.content(file);
      if (!/\.(part|tmp)$/.test(file)) {
        const before = file === this.replaceable ? content : (this.finished.get(file) ?? content);
        assert.equal(before, content, `${file} was overwritten`);
        this.finished.set(file, content);
        contents.push(content);
      } else if (killed || [...this.named].some((name) => name.endsWith(file))) {
        contents.push(content);
      }
    }
    for (const file of this.finished.keys()) {
      assert.ok(files.includes(file), `${file} was removed`);
    }
    const there = new Set(contents.flatMap((content) => content.split("\n")));
    for (const id of this.marked()) {
      if (this.confessed.has(id)) continue;
      const forms = [rowText(id), `${rowText(id)},`, rowLine(id)];
      assert.ok(
        forms.some((form) => there.has(form)),
        `row ${id} is marked as exported and in no file`,
      );
    }
  }
}

/** Changed by whatever parses and writes it anew. */
function rowText(id: string): string {
  return `{"id":"${id}","price":1.10,"number":12345678901234567890}`;
}

/** The same as CSV. */
function rowLine(id: string): string {
  return `${id},1.10,12345678901234567890`;
}
