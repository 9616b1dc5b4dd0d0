import assert from "node:assert/strict";
import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { setEnvironment } from "../environment";
import { failure, World } from "../resources/life";
import type { TestDatabase } from "./databases";
import { DuckDb, MariaDb, PostgreSql, Sqlite } from "./databases";
import { readPage, repository } from "./readPage";

interface Server {
  /** The name of its export in the program of the page. */
  readonly name: string;
  readonly title: string;
  readonly database: TestDatabase;
  /** An expression of the columns of a row as one text. */
  readonly text: (...columns: string[]) => string;
  /** How it reports `free` as a price. */
  readonly misfit: RegExp;
  readonly version: string;
  /** A price as its column has it. */
  readonly price: (text: string) => string;
  /** The files that the command opens in the program's folder. */
  readonly files?: readonly string[];
}

const joined =
  (type: string) =>
  (...columns: string[]): string =>
    `concat_ws('|', ${columns.map((name) => `coalesce(cast(${name} AS ${type}), '<null>')`).join(", ")})`;

const servers: readonly Server[] = [
  {
    ...{ name: "books", title: "PostgreSQL", database: new PostgreSql(), text: joined("text") },
    misfit: /exit code 3\..*invalid input syntax/s,
    version: "SHOW server_version",
    price: (text) => text,
  },
  {
    ...{ name: "mariadb", title: "MariaDB", database: new MariaDb(), text: joined("char(100)") },
    misfit: /exit code 1\..*Incorrect decimal value/s,
    version: "SELECT version()",
    price: (text) => Number(text).toFixed(2),
  },
  {
    ...{ name: "sqlite", title: "SQLite", database: new Sqlite() },
    text: (...columns) => columns.map((name) => `coalesce(${name}, '<null>')`).join(" || '|' || "),
    ...{ misfit: /exit code 1\..*cannot store TEXT/s, version: "SELECT sqlite_version()", files: ["shop.db"] },
    price: (text) => (Number.isInteger(Number(text)) ? Number(text).toFixed(1) : String(Number(text))),
  },
  {
    ...{ name: "duckdb", title: "DuckDB", database: new DuckDb(), text: joined("varchar") },
    ...{ misfit: /exit code 1\..*Could not convert string/s, version: "SELECT version()", files: ["shop.duckdb"] },
    price: (text) => Number(text).toFixed(2),
  },
];

const lot = "639308323497897245";
const dayOne = [
  '{"sku":"007","title":"NULL","price":12.50}',
  String.raw`{"sku":"${lot}","title":"C:\\new \"x\", \\N é","price":"3"}`,
  String.raw`{"sku":"3","title":"\\N","price":""}`,
  '{"sku":"4","title":"a","price":null}',
];
const dayTwo = [
  `{"sku":"007","title":"NULL","price":"13","stock":${lot}}`,
  '{"sku":"8","title":"b","price":1.10,"stock":"2"}',
];

const misfits = ['{"sku":"x","title":"t","price":"free"}', '{"sku":"y","title":"t","price":"1"}'];

describe("docs/how-to/pipe.md with a database", function () {
  this.timeout(600_000);

  /** The arguments of the exports that the program of the page declares. */
  let declared: Record<string, Record<string, unknown>>;
  before(async () => {
    declared = {};
    await pulumi.runtime.setMocks({
      newResource: ({ name, type, inputs }) => {
        if (type.endsWith(":DataExport")) {
          declared[name] = inputs;
        }
        return { id: `${name}-id`, state: { ...inputs } };
      },
      call: () => ({}),
    });
    const program = join(repository, "examples/howTo/pipe.ts");
    delete require.cache[program];
    await pulumi.runtime.runInPulumiStack(async () => require(program));
    delete require.cache[program];
    await (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
    pulumi.runtime.setAllConfig({});
  });

  for (const { name, title, database, text, misfit, version, price, files = [] } of servers) {
    describe(title, () => {
      let world: World;
      let missing: string | undefined;
      let restore = (): void => undefined;
      before(async () => {
        missing = await database.start();
        if (missing !== undefined) {
          console.error(`NOT TESTED: ${title}, because ${missing}`);
        }
        restore = setEnvironment(database.environment);
        world = await World.create();
        cpSync(join(repository, "examples/load"), world.path("load"), { recursive: true });
        for (const file of files) {
          symlinkSync(join(database.folder, file), world.path(file));
        }
      });
      after(async () => {
        restore();
        await world.remove();
        await database.stop();
      });

      const batch = (rows: readonly string[]): string => {
        const { change } = world.emulator;
        change.holdRuns();
        const lotNo = change.startRun("task-1");
        change.insertRows("task-1", rows, lotNo);
        change.setSubtaskStatus(lotNo, "finished");
        change.releaseRuns();
        return lotNo;
      };
      const table = (from: string): string[] =>
        database.query(`SELECT ${text("sku", "title", "price", "stock")} FROM ${from} ORDER BY 1`);

      it("loads each run once with all its values, updates by key, and marks only after COMMIT", async () => {
        if (missing !== undefined) {
          return;
        }
        const { path, format, checks, pipe } = declared[name] ?? {};
        const args = { taskId: "task-1", scope: "batch", path, format, checks, pipe, markExported: true };
        const each = world.declare("DataExport");
        const first = batch(dayOne);
        await each.up({ ...args, lotNo: first });
        const firstRows = [
          `007|NULL|${price("12.50")}|<null>`,
          "3|\\N|<null>|<null>",
          "4|a|<null>|<null>",
          `${lot}|C:\\new "x", \\N é|${price("3")}|<null>`,
        ];
        assert.deepEqual(table("books").sort(), [...firstRows].sort());
        await each.up({ ...args, lotNo: first, triggers: "again" });
        assert.deepEqual(table("book_rows").sort(), [...firstRows].sort(), "the same up twice");
        await each.up({ ...args, lotNo: batch(dayTwo) });
        const nextRows = [`007|NULL|${price("13")}|${lot}`, `8|b|${price("1.10")}|2`];
        const now = [...firstRows.slice(1), ...nextRows].sort();
        assert.deepEqual(table("books").sort(), now);
        assert.deepEqual(table("book_rows").sort(), [...firstRows, ...nextRows].sort());
        // Those of the last command.
        const isMarked = (): boolean => world.operations().includes("markExported");
        assert.equal(isMarked(), true);
        assert.match(await failure(each.up({ ...args, lotNo: batch(misfits) })), misfit);
        assert.deepEqual([table("books").sort(), table("book_rows").length, isMarked()], [now, 6, false]);
      });

      it("does with a CSV what the page says", () => {
        if (missing !== undefined) {
          return;
        }
        writeFileSync(
          join(database.folder, "t.csv"),
          String.raw`k,v
1,
2,""
3,NULL
4,\N
5,C:\new
6,${lot}
`,
        );
        const page = readPage("docs/how-to/pipe.md");
        const lines = [...page.matchAll(new RegExp(`^\\| ${title} ([\\d.]+), \`([^\`]+)\` \\| (.*) \\|$`, "gm"))];
        assert.ok(lines.length > 0);
        for (const [, stated = "", how = "", cells = ""] of lines) {
          const [found = ""] = database.query(version);
          if (!found.replace("v", "").startsWith(stated)) {
            console.error(`The page says ${title} ${stated}, and this is ${found}`);
          }
          assert.deepEqual(loaded(title, how, database, text), cells.split(" | ").map(asLoaded), how);
        }
      });
    });
  }
});

/** What the page calls a value. */
function asLoaded(cell: string): string {
  return { null: "<null>", empty: "", "line break": "C:\new", kept: "kept" }[cell] ?? cell.replaceAll("`", "");
}

/** Loads the file as the page says, and returns the values, with `kept` for the digits. */
function loaded(title: string, how: string, database: TestDatabase, text: Server["text"]): string[] {
  const file = join(database.folder, "t.csv");
  const create = "CREATE TABLE t (k int, v text)";
  const select = `SELECT ${text("k", "v")} FROM t ORDER BY k`;
  const statements: Record<string, string> = {
    PostgreSQL: `DROP TABLE IF EXISTS t; ${create}; COPY t FROM PROGRAM 'cat ${file}' ${how.replace("COPY ", "")}; ${select}`,
    MariaDB: `DROP TABLE IF EXISTS t; ${create}; LOAD DATA LOCAL INFILE '${file}' INTO TABLE t CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' ${how} LINES TERMINATED BY '\\n' IGNORE 1 LINES; ${select}`,
    SQLite: `DROP TABLE IF EXISTS t\n${how} ${file} t\n${select}`,
    DuckDB: `CREATE OR REPLACE TABLE t AS FROM ${how.replace("FILE", `'${file}'`)}; ${select}`,
  };
  const rows = database
    .query(statements[title] ?? "")
    .join("\n")
    .split(/\n(?=\d\|)/);
  return rows.map((row) => row.slice(2).replace(lot, "kept"));
}
