import { spawn } from "node:child_process";
import { isRecord } from "../isRecord";
import { isHeaderValue } from "./accessToken";

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

/**
 * Runs the command line in the system's shell. Its stderr is passed on, its stdout is read and never shown.
 * @throws Error for the user that names nothing that the command printed
 */
export function runCredentialCommand(command: string): Promise<CommandToken> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "inherit"], windowsHide: true });
    const pieces: Buffer[] = [];
    let size = 0;
    let hasSucceeded = false;
    const end = (settle: () => void) => {
      clearTimeout(timer);
      // A child process of the command can keep the pipe open. Without this line, our process would wait for it.
      child.stdout.destroy();
      settle();
    };
    const fail = (problem: string) => {
      child.kill("SIGKILL");
      end(() => reject(new Error(problem)));
    };
    const timer = setTimeout(() => fail(`did not end within ${commandTimeout / 1000} s`), commandTimeout);
    const output = () => Buffer.concat(pieces).toString("utf8");
    const succeed = () => {
      try {
        const token = tokenIn(output());
        end(() => resolve(token));
      } catch (error) {
        end(() => reject(error));
      }
    };
    child.stdout.on("data", (piece: Buffer) => {
      size += piece.length;
      pieces.push(piece);
      if (size > largestOutput) fail("printed more than 1 MiB");
      else if (hasSucceeded && isJson(output())) succeed();
    });
    child.on("error", () => fail("could not be started"));
    child.on("exit", (code, signal) => {
      hasSucceeded = code === 0;
      if (!hasSucceeded) fail(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`);
      // The rest of the output can still be in the pipe. Complete JSON counts as the end of the output, even if the pipe stays open.
      else if (isJson(output())) succeed();
    });
    child.on("close", () => {
      if (hasSucceeded) succeed();
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
