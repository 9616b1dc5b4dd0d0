import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aptInstall } from "../aptInstall";

/** A database of its own, in a folder of its own, which the commands of the pages reach through their environment. */
export abstract class TestDatabase {
  readonly folder = mkdtempSync(join(tmpdir(), "webextract-db-"));
  private server: ReturnType<typeof spawn> | undefined;

  abstract readonly environment: Readonly<Record<string, string>>;
  /** @returns why the database cannot be had */
  abstract start(): Promise<string | undefined>;
  /** The lines of a result, with `|` between columns. */
  abstract query(sql: string): string[];

  protected run(command: string, args: readonly string[]): string[] {
    const env = { ...process.env, ...this.environment };
    const stdout = execFileSync(command, args, { env, cwd: this.folder, encoding: "utf8", stdio: "pipe" });
    return stdout.split("\n").filter((line) => line !== "");
  }

  protected async serve(command: string, args: readonly string[], ready: string, options: object): Promise<void> {
    const server = spawn(command, args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
    this.server = server;
    let log = "";
    await new Promise<void>((resolve, reject) => {
      server.once("exit", () => reject(new Error(log)));
      server.stderr?.on("data", (piece) => {
        log += String(piece);
        if (log.includes(ready)) {
          resolve();
        }
      });
    });
  }

  async stop(): Promise<void> {
    if (this.server !== undefined && this.server.exitCode === null) {
      const ended = once(this.server, "exit");
      this.server.kill("SIGTERM");
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const isRoot = process.getuid?.() === 0;

/** PostgreSQL refuses to run as root. */
export class PostgreSql extends TestDatabase {
  readonly environment = { PGHOST: this.folder, PGUSER: "loader", PGDATABASE: "postgres" };

  async start(): Promise<string | undefined> {
    const debian = "/usr/lib/postgresql";
    const missing = existsSync(debian) ? undefined : await aptInstall("pg_ctlcluster", "postgresql");
    if (missing !== undefined) {
      return missing;
    }
    const [version = ""] = readdirSync(debian, { encoding: "utf8" }).sort().reverse();
    const account = isRoot ? { uid: 65534, gid: 65534 } : {};
    chmodSync(this.folder, 0o755);
    if (isRoot) {
      chownSync(this.folder, 65534, 65534);
    }
    const options = { ...account, cwd: this.folder };
    const program = (name: string): string => join(debian, version, "bin", name);
    const data = join(this.folder, "data");
    const settings = ["-U", "loader", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"];
    execFileSync(program("initdb"), ["-D", data, ...settings], { ...options, stdio: "pipe" });
    const args = ["-D", data, "-k", this.folder, "-c", "listen_addresses=", "-c", "fsync=off"];
    await this.serve(program("postgres"), args, "ready to accept connections", options);
    return undefined;
  }

  query(sql: string): string[] {
    return this.run("psql", ["-X", "-A", "-t", "-q", "-c", sql]);
  }
}

export class MariaDb extends TestDatabase {
  private readonly socket = join(this.folder, "socket");
  readonly environment = { MARIADB_HOME: this.folder, MYSQL_HOME: this.folder };

  async start(): Promise<string | undefined> {
    const missing = await aptInstall("mariadb-install-db", "mariadb-server");
    if (missing !== undefined) {
      return missing;
    }
    // Debian names another socket in the settings of the machine.
    writeFileSync(join(this.folder, "my.cnf"), `[client]\nsocket=${this.socket}\n`);
    const data = join(this.folder, "data");
    const settings = ["--no-defaults", `--datadir=${data}`, ...(isRoot ? ["--user=root"] : [])];
    const only = ["--auth-root-authentication-method=normal", "--skip-test-db"];
    execFileSync("mariadb-install-db", [...settings, ...only], { stdio: "pipe" });
    const args = [`--socket=${this.socket}`, "--skip-networking", `--pid-file=${join(this.folder, "pid")}`];
    await this.serve("mariadbd", [...settings, ...args], "ready for connections", {});
    this.run("mariadb", ["-u", "root", "-e", "CREATE DATABASE shop"]);
    return undefined;
  }

  query(sql: string): string[] {
    const args = ["--local-infile=1", "-u", "root", "-N", "-B", "--raw", "-e", sql, "shop"];
    return this.run("mariadb", args).map((line) => line.replaceAll("\t", "|"));
  }
}

export class Sqlite extends TestDatabase {
  readonly environment = {};

  start(): Promise<string | undefined> {
    return aptInstall("sqlite3", "sqlite3");
  }

  query(sql: string): string[] {
    return this.run("sqlite3", ["shop.db", ...sql.split("\n")]);
  }
}

/** The command line of DuckDB comes from PyPI. */
export class DuckDb extends TestDatabase {
  readonly environment = { PATH: `${join(this.folder, "venv/bin")}:${process.env.PATH}` };

  async start(): Promise<string | undefined> {
    const missing = await aptInstall("python3", "python3-venv");
    if (missing !== undefined) {
      return missing;
    }
    try {
      execFileSync("python3", ["-m", "venv", "venv"], { cwd: this.folder, stdio: "pipe" });
      execFileSync("venv/bin/pip", ["install", "-q", "duckdb-cli==1.5.6"], { cwd: this.folder, stdio: "pipe" });
      return undefined;
    } catch (error) {
      return String(error);
    }
  }

  query(sql: string): string[] {
    return this.run("duckdb", ["-noheader", "-list", "shop.duckdb", "-c", sql]);
  }
}
