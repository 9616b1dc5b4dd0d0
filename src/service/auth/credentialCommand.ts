import type { ChildProcessByStdio } from "node:child_process";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { ProcessGroup } from "../../system/processGroup";
import { isRecord } from "../../values/plain";
import { shownText } from "../errors/foreignText";
import { parsedJson } from "../parsedJson";
import type { AccessToken } from "./accessToken";
import { accessTokenOf, faultOf } from "./accessToken";

/** What a credential command must print, as JSON. */
export interface CommandCredential {
  /** Version of this format. */
  Version: 1;
  /** The access token. */
  AccessToken: string;
  /** When the token expires, as an ISO date. Absent: the token is used until the service refuses it. */
  Expiration?: string;
}

/** Seconds a credential command can take. */
const longest = 60;
const largestOutput = 1024 * 1024;

/**
 * Runs the command line in the system's shell. Its stderr is passed on, its stdout is read and never shown. If it
 * fails, at its time limit, at an interruption and at the end of this process, the command ends with all that it has
 * started. A command that starts after the interruption serves a request that completes what has begun.
 * @throws Error for the user that names nothing that the command printed
 */
export async function runCredentialCommand(command: string, interrupted: AbortSignal): Promise<AccessToken> {
  const group = new ProcessGroup(command, [], { shell: true, stdio: ["ignore", "pipe", "pipe"], endsAtOnce: true });
  const { stdout, stderr } = group.command as ChildProcessByStdio<null, Readable, Socket>;
  createInterface({ input: stderr }).on("line", (line) => process.stderr.write(`${shownText(line)}\n`));
  const pieces: Buffer[] = [];
  let size = 0;
  stdout.on("data", (piece: Buffer) => {
    size += piece.length;
    if (size > largestOutput) group.stop("printed more than 1 MiB");
    else pieces.push(piece);
  });
  try {
    const problem = await group.ended({ seconds: longest, interrupted, work: "command" });
    if (problem !== undefined) throw new Error(problem);
    return tokenIn(Buffer.concat(pieces).toString("utf8"));
  } catch (error) {
    group.kill();
    throw error;
  } finally {
    group.release();
    // Our process must not wait for a process that the command has left.
    stdout.destroy();
    stderr.unref();
  }
}

function tokenIn(output: string): AccessToken {
  const printed = parsedJson(output);
  if (printed === undefined) throw new Error("did not print JSON on stdout");
  if (!isRecord(printed)) throw new Error("did not print a JSON object");
  const { Version, AccessToken, Expiration } = printed;
  if (Version !== 1) throw new Error("printed no Version, or one other than 1");
  if (typeof AccessToken !== "string" || AccessToken === "") throw new Error("printed no usable AccessToken");
  const fault = faultOf(AccessToken);
  if (fault !== undefined) throw new Error(`printed no usable AccessToken: it ${fault}`);
  const now = Date.now();
  if (Expiration === undefined || Expiration === null) {
    return accessTokenOf("credentialCommand", AccessToken, now, undefined);
  }
  const expiresAt = typeof Expiration === "string" ? Date.parse(Expiration) : Number.NaN;
  if (Number.isNaN(expiresAt)) throw new Error("printed an Expiration that is not an ISO date");
  // Nobody can tell whether it is the time of this machine or of another one.
  if (!/(?:Z|[+-]\d\d:?\d\d)$/i.test(String(Expiration))) {
    throw new Error("printed an Expiration without a time zone, such as Z at its end");
  }
  if (expiresAt <= now) throw new Error("printed a token that has already expired");
  return accessTokenOf("credentialCommand", AccessToken, now, expiresAt);
}
