import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { isRecord } from "../../values/isRecord";
import { clock } from "../clock";
import { shownText } from "../errors/foreignText";
import { onAbort } from "../onAbort";
import { parsedJson } from "../parsedJson";
import type { AccessToken } from "./accessToken";
import { accessTokenOf, isHeaderValue } from "./accessToken";

/** What a credential command must print, as JSON. */
export interface CommandCredential {
  /** Version of this format. */
  Version: 1;
  /** The access token. */
  AccessToken: string;
  /** When the token expires, as an ISO date. Absent: the token is used until the service refuses it. */
  Expiration?: string;
}

/** Milliseconds a credential command can take. */
const commandTimeout = 60_000;
const largestOutput = 1024 * 1024;
/** Milliseconds in which the output of a command that has ended must arrive. A process that it leaves behind can keep the pipe open. */
const longestOutput = 1000;

const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs the command line in the system's shell. Its stderr is passed on, its stdout is read and never shown. If it fails, at its time limit, at an
 * interruption and at the end of this process, the command ends with all that it has started.
 * @throws Error for the user that names nothing that the command printed
 */
export async function runCredentialCommand(command: string, interrupted: AbortSignal): Promise<AccessToken> {
  // As a process group of its own, all of it can be ended together. On Windows, a detached process would open a window.
  const detached = process.platform !== "win32";
  const child = spawn(command, { shell: true, detached, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
  createInterface({ input: child.stderr }).on("line", (line) => process.stderr.write(`${shownText(line)}\n`));
  const pieces: Buffer[] = [];
  let size = 0;
  let stoppedBecause: string | undefined;
  const kill = () => killGroup(child);
  const stop = (why: string) => {
    stoppedBecause ??= why;
    kill();
  };
  child.stdout.on("data", (piece: Buffer) => {
    size += piece.length;
    if (size > largestOutput) stop("printed more than 1 MiB");
    else pieces.push(piece);
  });
  const cancelLimit = clock.deadline(commandTimeout, () => stop(`did not end within ${commandTimeout / 1000} s`));
  // A command that starts after the interruption serves a request that completes what has begun.
  const stopListening = onAbort(interrupted, () => stop("was ended because the command was interrupted"));
  // First and once: when the listener of proper-lockfile is called, it sees whether other listeners are left, and ends this process if there are none.
  for (const signal of endingSignals) process.prependOnceListener(signal, kill);
  process.on("exit", kill);
  try {
    const problem = await endingOf(child);
    if (stoppedBecause !== undefined || problem !== undefined) throw new Error(stoppedBecause ?? problem);
    return tokenIn(Buffer.concat(pieces).toString("utf8"));
  } catch (error) {
    kill();
    throw error;
  } finally {
    cancelLimit();
    stopListening();
    for (const end of ["exit", ...endingSignals]) process.off(end, kill);
    // Our process must not wait for a process that the command has left.
    child.stdout.destroy();
    (child.stderr as Socket).unref();
  }
}

/** Resolves when the command has ended and its output has arrived, with why it failed. */
function endingOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.on("error", () => resolve("could not be started"));
    child.on("exit", (code, signal) => {
      const failed = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
      const end = () => {
        cancel();
        resolve(code === 0 ? undefined : failed);
      };
      const cancel = clock.wait(longestOutput, end);
      child.on("close", end);
    });
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/PID", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
    return;
  }
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}

function tokenIn(output: string): AccessToken {
  const printed = parsedJson(output);
  if (printed === undefined) throw new Error("did not print JSON on stdout");
  if (!isRecord(printed)) throw new Error("did not print a JSON object");
  const { Version, AccessToken, Expiration } = printed;
  if (Version !== 1) throw new Error("printed no Version, or one other than 1");
  if (typeof AccessToken !== "string" || !isHeaderValue(AccessToken)) throw new Error("printed no usable AccessToken");
  const now = Date.now();
  if (Expiration === undefined || Expiration === null) {
    return accessTokenOf("credentialCommand", AccessToken, now, undefined);
  }
  const expiresAt = typeof Expiration === "string" ? Date.parse(Expiration) : Number.NaN;
  if (Number.isNaN(expiresAt)) throw new Error("printed an Expiration that is not an ISO date");
  if (expiresAt <= now) throw new Error("printed a token that has already expired");
  return accessTokenOf("credentialCommand", AccessToken, now, expiresAt);
}
