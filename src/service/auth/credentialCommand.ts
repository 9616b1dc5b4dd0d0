import { spawn } from "node:child_process";
import { isRecord } from "../isRecord";

/** What a credential command has to print, as JSON. */
export interface CommandCredential {
  /** Version of this form. */
  Version: 1;
  /** The access token. */
  AccessToken: string;
  /** End of its life as an ISO date. Absent: it is never renewed before it is refused. */
  Expiration?: string;
}

/** What a credential command printed. */
export interface CommandToken {
  accessToken: string;
  /** Milliseconds since 1970; absent: the token is never renewed before it is refused. */
  expiresAt?: number;
}

/** Milliseconds a credential command may take. */
const commandTimeout = 60_000;
const largestOutput = 1024 * 1024;

/**
 * Runs the command line in the system's shell. Its stderr is passed on, its stdout is read and never shown.
 * @throws Error in words for the user, without anything that the command printed
 */
export async function runCredentialCommand(command: string): Promise<CommandToken> {
  return tokenIn(await stdoutOf(command));
}

function stdoutOf(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "inherit"], windowsHide: true });
    const pieces: Buffer[] = [];
    let size = 0;
    const end = (problem: string) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      // A grandchild may keep the pipe open: without this the process would wait for it.
      child.stdout.destroy();
      reject(new Error(problem));
    };
    const timer = setTimeout(() => end(`did not end within ${commandTimeout / 1000} s`), commandTimeout);
    child.stdout.on("data", (piece: Buffer) => {
      size += piece.length;
      if (size > largestOutput) end("printed more than 1 MiB");
      else pieces.push(piece);
    });
    child.on("error", () => end("could not be started"));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(Buffer.concat(pieces).toString("utf8"));
      else reject(new Error(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`));
    });
  });
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
  if (typeof AccessToken !== "string" || !/^[\x21-\x7e]+$/.test(AccessToken))
    throw new Error("printed no usable AccessToken");
  if (Expiration === undefined || Expiration === null) return { accessToken: AccessToken };
  const expiresAt = typeof Expiration === "string" ? Date.parse(Expiration) : Number.NaN;
  if (Number.isNaN(expiresAt)) throw new Error("printed an Expiration that is not an ISO date");
  if (expiresAt <= Date.now()) throw new Error("printed a token that has already expired");
  return { accessToken: AccessToken, expiresAt };
}
