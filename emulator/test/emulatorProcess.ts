import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** The built program, which starts four times as fast as its sources. */
export const main = join(__dirname, "../../emulator/bin/webextract-emulator.js");

/** An emulator in a process of its own. */
export interface Running {
  process: ChildProcessWithoutNullStreams;
  output(): string;
  /** Resolves with what `pattern` finds in the output. */
  says(pattern: RegExp): Promise<string>;
  ended: Promise<number | null>;
}

export function emulator(...args: string[]): Running {
  const child = spawn(process.execPath, [main, ...args]);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = once(child, "close").then(([code]) => code as number | null);
  return {
    process: child,
    output: () => output,
    ended,
    async says(pattern) {
      for (;;) {
        const found = pattern.exec(output);
        if (found !== null) return found[1] ?? found[0];
        if (child.exitCode !== null) throw new Error(`ended without saying ${pattern}: ${output}`);
        await Promise.race([once(child.stdout, "data"), ended]);
      }
    },
  };
}
