import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { environmentWith } from "../environment";
import { shownText } from "../errors/foreignText";
import { clock } from "../http/clock";
import { onAbort } from "../http/onAbort";
import { isRecord } from "../isRecord";
import { isHeaderValue } from "./accessToken";
import { ProcessTree } from "./processTree";

/** What a credential command must print, as JSON. */
export interface CommandCredential {
  /** Version of this format. */
  Version: 1;
  /** The access token. */
  AccessToken: string;
  /** When the token expires, as an ISO date. Absent: the token is used until the service refuses it. */
  Expiration?: string;
}

/** What a credential command printed. */
export interface CommandToken {
  accessToken: string;
  /** Milliseconds since 1970. Absent: the token is used until the service refuses it. */
  expiresAt?: number;
}

/** Milliseconds a credential command can take. */
const commandTimeout = 60_000;
const largestOutput = 1024 * 1024;
/** Milliseconds in which the stderr of a command that has failed must arrive. Another process can keep the pipe open. */
const longestOutput = 1000;

/**
 * Runs the command line in the system's shell. Its stderr is passed on, its stdout is read and never shown. At its time limit, at an interruption and at
 * the end of this process, the command ends with all that it has started.
 * @throws Error for the user that names nothing that the command printed
 */
export function runCredentialCommand(command: string, interrupted: AbortSignal): Promise<CommandToken> {
  return new Promise((resolve, reject) => {
    const tree = new ProcessTree();
    const env = environmentWith(tree.mark);
    // On a terminal, the command can ask its user, and has the terminal itself. A log gets lines that no CI system takes for commands.
    const stderr = process.stderr.isTTY ? "inherit" : "pipe";
    const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", stderr], windowsHide: true, env });
    tree.watch(child.pid);
    if (child.stderr !== null) {
      createInterface({ input: child.stderr }).on("line", (line) => process.stderr.write(`${shownText(line)}\n`));
    }
    const pieces: Buffer[] = [];
    let size = 0;
    let hasSucceeded = false;
    let isStopping = false;
    const end = (settle: () => void) => {
      cancelLimit();
      stopListening();
      tree.release();
      // A child process of the command can keep the pipe open. Without this line, our process would wait for it.
      child.stdout?.destroy();
      (child.stderr as Socket | null)?.unref();
      settle();
    };
    const fail = (problem: string) => end(() => reject(new Error(problem)));
    // What the command said comes before our error.
    const failAfterStderr = (problem: string) => {
      if (child.stderr === null || child.stderr.closed) return fail(problem);
      const cancel = clock.wait(longestOutput, () => fail(problem));
      child.stderr.once("close", () => {
        cancel();
        fail(problem);
      });
    };
    const stop = (problem: string) => {
      if (isStopping) return;
      isStopping = true;
      void tree.end().then(() => fail(problem));
    };
    const cancelLimit = clock.deadline(commandTimeout, () => stop(`did not end within ${commandTimeout / 1000} s`));
    // A command that starts after the interruption serves a request that completes what has begun.
    const stopListening = onAbort(interrupted, () => stop("was ended because the command was interrupted"));
    const output = () => Buffer.concat(pieces).toString("utf8");
    const succeed = () => {
      try {
        const token = tokenIn(output());
        end(() => resolve(token));
      } catch (error) {
        end(() => reject(error));
      }
    };
    child.stdout?.on("data", (piece: Buffer) => {
      if (isStopping) return;
      size += piece.length;
      pieces.push(piece);
      if (size > largestOutput) stop("printed more than 1 MiB");
      else if (hasSucceeded && isJson(output())) succeed();
    });
    child.on("error", () => fail("could not be started"));
    child.on("exit", (code, signal) => {
      if (isStopping) return;
      hasSucceeded = code === 0;
      if (!hasSucceeded) failAfterStderr(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`);
      // The rest of the output can still be in the pipe. Complete JSON counts as the end of the output, even if the pipe stays open.
      else if (isJson(output())) succeed();
    });
    child.on("close", () => {
      if (hasSucceeded && !isStopping) succeed();
    });
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function tokenIn(output: string): CommandToken {
  let printed: unknown;
  try {
    printed = JSON.parse(output);
  } catch {
    throw new Error("did not print JSON on stdout");
  }
  if (!isRecord(printed)) throw new Error("did not print a JSON object");
  const { Version, AccessToken, Expiration } = printed;
  if (Version !== 1) throw new Error("printed no Version, or one other than 1");
  if (typeof AccessToken !== "string" || !isHeaderValue(AccessToken)) throw new Error("printed no usable AccessToken");
  if (Expiration === undefined || Expiration === null) return { accessToken: AccessToken };
  const expiresAt = typeof Expiration === "string" ? Date.parse(Expiration) : Number.NaN;
  if (Number.isNaN(expiresAt)) throw new Error("printed an Expiration that is not an ISO date");
  if (expiresAt <= Date.now()) throw new Error("printed a token that has already expired");
  return { accessToken: AccessToken, expiresAt };
}
