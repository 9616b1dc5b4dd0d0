import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setEnvironment } from "../environment";
import { failure, World } from "../resources/life";
import { readPage, repository } from "./readPage";

const folders = (process.env.PATH ?? "").split(delimiter);
const hasPostgres = ["initdb", "postgres", "psql"].every((name) =>
  folders.some((each) => existsSync(join(each, name))),
);

/** A server of its own, on a socket in a folder of its own. PostgreSQL refuses to run as root. */
class Database {
  private readonly account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  readonly folder = mkdtempSync(join(tmpdir(), "webextract-pg-"));
  private server: ReturnType<typeof spawn> | undefined;
  readonly environment = { PGHOST: this.folder, PGUSER: "loader", PGDATABASE: "postgres" };

  async start(): Promise<void> {
    chmodSync(this.folder, 0o755);
    if (this.account.uid !== undefined) {
      chownSync(this.folder, this.account.uid, this.account.gid);
    }
    const data = join(this.folder, "data");
    const options = { ...this.account, cwd: this.folder };
    execFileSync("initdb", ["-D", data, "-U", "loader", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"], {
      ...options,
      stdio: "pipe",
    });
    const args = ["-D", data, "-k", this.folder, "-c", "listen_addresses=", "-c", "fsync=off"];
    const server = spawn("postgres", args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
    this.server = server;
    let log = "";
    await new Promise<void>((resolve, reject) => {
      server.once("exit", () => reject(new Error(log)));
      server.stderr.on("data", (piece) => {
        log += String(piece);
        if (log.includes("ready to accept connections")) {
          resolve();
        }
      });
    });
  }

  query(sql: string): string {
    const env = { ...process.env, ...this.environment };
    return execFileSync("psql", ["-X", "-A", "-t", "-q", "-c", sql], { env, encoding: "utf8" }).trim();
  }

  async stop(): Promise<void> {
    if (this.server !== undefined && this.server.exitCode === null) {
      const ended = once(this.server, "exit");
      this.server.kill("SIGINT");
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

if (hasPostgres) {
  describe("docs/how-to/pipe.md with PostgreSQL", function () {
    this.timeout(60_000);
    const database = new Database();
    let world: World;
    let restore = (): void => undefined;
    before(async () => {
      await database.start();
      database.query("CREATE TABLE books (lot text, title text, price numeric)");
      world = await World.create();
      copyFileSync(join(repository, "examples/pipe/load.sql"), world.path("load.sql"));
      restore = setEnvironment(database.environment);
    });
    after(async () => {
      restore();
      await world.remove();
      await database.stop();
    });

    const batch = (rows: readonly object[]): string => {
      const { change } = world.emulator;
      change.holdRuns();
      const lotNo = change.startRun("task-1");
      change.insertRows(
        "task-1",
        rows.map((row) => JSON.stringify(row)),
        lotNo,
      );
      change.setSubtaskStatus(lotNo, "finished");
      change.releaseRuns();
      return lotNo;
    };
    const rows = [
      { title: 'The "best", or not', price: "12.50" },
      { title: "Two\nlines", price: "3" },
    ];
    const books = (): string => database.query("SELECT lot, count(*), sum(price) FROM books GROUP BY lot ORDER BY lot");

    it("loads the rows of a run once, however often the command runs, and nothing of rows that do not fit", async () => {
      const [, command = ""] = /pipe: (\[.*\]),/.exec(readPage("examples/howTo/pipe.ts")) ?? [];
      const args = { taskId: "task-1", scope: "batch", path: "books-{lotNo}.csv", format: "csv" };
      const pipe = JSON.parse(command) as string[];
      const each = world.declare("DataExport");
      const [first, second, third] = [batch(rows), batch(rows.slice(1)), batch([{ title: "x", price: "free" }])];
      await each.up({ ...args, lotNo: first, pipe });
      await each.up({ ...args, lotNo: first, pipe, triggers: "again" });
      assert.equal(books(), `${first}|2|15.50`);
      await each.up({ ...args, lotNo: second, pipe });
      assert.match(await failure(each.up({ ...args, lotNo: third, pipe })), /exit code 3\..*invalid input syntax/s);
      assert.equal(books(), `${first}|2|15.50\n${second}|1|3`);
    });
  });
}
