import assert from "node:assert/strict";
import type { IPty } from "@lydell/node-pty";
import { spawn } from "@lydell/node-pty";

export interface PseudoTerminalOptions {
  columns?: number;
  /** Added to an environment with PATH, `TERM=xterm-256color` and a UTF-8 locale. An undefined variable is not in it. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** Node.js on a terminal of its own: it has a width, knows colours, and its keys are those of a keyboard. */
export class PseudoTerminal {
  /** Everything that was written, with all control sequences. */
  written = "";
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
  private readonly pty: IPty;
  private readonly waiting = new Set<() => void>();
  private isOver = false;

  constructor(args: readonly string[], { columns = 80, env = {}, cwd }: PseudoTerminalOptions & { cwd: string }) {
    const all = { PATH: process.env.PATH, TERM: "xterm-256color", LANG: "C.UTF-8", ...env };
    const given = Object.entries(all).filter(([, value]) => value !== undefined);
    const options = { cols: columns, rows: 24, cwd, env: Object.fromEntries(given) };
    this.pty = spawn("/bin/sh", ["-c", shellProgram, process.execPath, ...args], options);
    this.ended = new Promise((resolve) => {
      this.pty.onData((text) => {
        this.written += text;
        const [mark, exitCode] = endMark.exec(this.written) ?? [];
        if (mark !== undefined) {
          this.written = this.written.slice(0, -mark.length);
          this.isOver = true;
          this.pty.kill();
          resolve(Number(exitCode));
        }
        this.look();
      });
    });
  }

  /** The text without control sequences. */
  get text(): string {
    return this.written.replace(controlSequence, "");
  }

  /** Resolves when the text contains this. */
  says(pattern: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (pattern.test(this.text)) {
          this.waiting.delete(look);
          resolve();
        } else if (this.isOver) {
          this.waiting.delete(look);
          reject(new assert.AssertionError({ message: `ended without saying ${pattern}: ${this.text}` }));
        }
      };
      this.waiting.add(look);
      look();
    });
  }

  press(keys: string): void {
    this.pty.write(keys);
  }

  private look(): void {
    for (const each of [...this.waiting]) {
      each();
    }
  }
}

export const keys = { ctrlC: "\u0003", ctrlD: "\u0004", enter: "\r" };

/**
 * Runs a program, then writes its exit code, and keeps the terminal open: node-pty closes it 200 ms after the end of its process, and on a busy machine
 * what was written last would not have been read. Ctrl-C must not end the shell.
 */
const shellProgram = `trap : INT; "$0" "$@"; printf '\\033]%s\\007' "$?"; read _`;

const escapeCharacter = String.fromCharCode(27);
const endMark = new RegExp(`${escapeCharacter}\\](\\d+)${String.fromCharCode(7)}$`);
const controlSequence = new RegExp(`${escapeCharacter}\\[[0-9;?]*[A-Za-z]`, "g");
