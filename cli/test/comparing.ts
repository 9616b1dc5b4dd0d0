import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Terminal } from "./internals/cli";
import { CommandContext, compareCommand, conditionOf } from "./internals/compare";

interface Options {
  key?: string[];
  ignore?: string[];
  failOn?: string[];
  markdown?: boolean;
  values?: boolean;
  html?: string;
  yes?: boolean;
  history?: boolean;
}

export interface Compared {
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert its parts.
  json: any;
  text: string;
  hasProblems: boolean;
}

/** A folder of files that are compared in this process. */
export class Comparing {
  readonly folder = mkdtempSync(join(tmpdir(), "webextract-comparing-"));
  readonly interruption = new AbortController();

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string | Uint8Array): string {
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  /** Rows as a file of one row a line. */
  rows(name: string, rows: readonly unknown[]): string {
    return this.write(name, rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join(""));
  }

  compare(base: string, head: string, options: Options = {}): Promise<Compared> {
    return this.run([base, head], options);
  }

  /** @param given the arguments, as a shell passes them */
  async run(given: readonly string[], { values = true, failOn, ...options }: Options = {}): Promise<Compared> {
    const streams = { input: new PassThrough(), output: new PassThrough(), errors: new PassThrough() };
    const cli = new CommandContext(new Terminal(streams), this.interruption.signal);
    const [base, head, ...later] = given;
    const chosen = { ...options, values, failOn: failOn?.map(conditionOf) };
    const result = await compareCommand.run({ arguments: [base, head, later], options: chosen }, cli);
    return {
      json: JSON.parse(JSON.stringify(result.json)),
      text: await result.text(),
      hasProblems: result.hasProblems === true,
    };
  }

  /** The message of a comparison that fails. */
  failure(base: string, head: string, options: Options = {}): Promise<string> {
    return this.failureOf([base, head], options);
  }

  async failureOf(given: readonly string[], options: Options = {}): Promise<string> {
    return this.run(given, options).then(
      () => {
        throw new Error("The comparison did not fail.");
      },
      (error: Error) => error.message,
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
