import { engineAddress, hostModules } from "./hostModules";

/** Warnings and progress, as the engine shows them. */
export interface EngineLog {
  warn(message: string, urn?: string): void;
  /** Takes the place of the resource's last progress message. */
  progress(message: string, urn?: string): void;
  /** Shows the warnings that were held back. To be called when no step is under way: the engine may end the process then. */
  flush(): void;
}

/** Nobody reads more warnings than this. */
const mostWarnings = 10;

/** Shows the first warnings of a run, then one warning for each kind, with the number of warnings and the names that they are about. */
export class SummedUpLog implements EngineLog {
  private warnings = 0;
  private readonly more = new Map<string, string[]>();
  private readonly lastProgress = new Map<string, string>();

  constructor(private readonly log: (message: string, urn: string | undefined, ephemeral: boolean) => void) {}

  warn(message: string, urn?: string): void {
    this.warnings++;
    if (this.warnings <= mostWarnings) {
      this.log(message, urn, false);
    } else {
      const kind = kindOfWarning(message);
      this.more.set(kind, [...(this.more.get(kind) ?? []), message]);
    }
  }

  flush(): void {
    for (const messages of this.more.values()) {
      this.log(summedUp(messages), undefined, false);
    }
    this.more.clear();
  }

  progress(message: string, urn?: string): void {
    // A log that is not a terminal gets a line for each message, so the same message is not sent again.
    if (urn !== undefined && this.lastProgress.get(urn) !== message) {
      this.lastProgress.set(urn, message);
      this.log(message, urn, true);
    }
  }
}

const names = /"[^"]*"|\d+/g;

/** Warnings that differ only in names and numbers are of one kind. */
function kindOfWarning(message: string): string {
  return message.replace(names, "…");
}

/** The name that a warning is about stands first in it. No name is left out: only the warning may name a task that stays behind. */
function summedUp([first = "", ...others]: string[]): string {
  if (others.length === 0) {
    return first;
  }
  const about = others.map((message) => message.match(/"[^"]*"/)?.[0] ?? message);
  return `${first} (${others.length + 1} warnings like this one; the others are about ${about.join(", ")}.)`;
}

interface LogRequest {
  setSeverity(severity: number): void;
  setMessage(message: string): void;
  setUrn(urn: string): void;
  setStreamid(id: number): void;
  setEphemeral(ephemeral: boolean): void;
}

interface EngineProtocol {
  LogRequest: new () => LogRequest;
  LogSeverity: { INFO: number; WARNING: number };
}

interface EngineClient {
  log(request: LogRequest, done: (error: unknown) => void): void;
}

/** The log of the engine. Where it cannot be reached, messages go to standard error, which the engine shows under the stack. */
export function engineLog(): EngineLog {
  try {
    const sdk = hostModules();
    const address = engineAddress();
    if (address === undefined) {
      return new SummedUpLog(toStandardError);
    }
    const grpc = sdk("@grpc/grpc-js");
    const protocol: EngineProtocol = sdk("@pulumi/pulumi/proto/engine_pb");
    const { EngineClient } = sdk("@pulumi/pulumi/proto/engine_grpc_pb");
    const client: EngineClient = new EngineClient(address, grpc.credentials.createInsecure());
    const log = (message: string, urn: string | undefined, ephemeral: boolean, failed: () => void): void => {
      const request = new protocol.LogRequest();
      request.setSeverity(ephemeral ? protocol.LogSeverity.INFO : protocol.LogSeverity.WARNING);
      request.setMessage(message);
      request.setUrn(urn ?? "");
      request.setStreamid(0);
      request.setEphemeral(ephemeral);
      client.log(request, (error) => error && failed());
    };
    return new SummedUpLog((message, urn, ephemeral) => {
      const failed = (): void => toStandardError(message, urn, ephemeral);
      try {
        log(message, urn, ephemeral, failed);
      } catch {
        // A message that cannot be sent must not fail its step.
        failed();
      }
    });
  } catch {
    return new SummedUpLog(toStandardError);
  }
}

function toStandardError(message: string, _urn: string | undefined, ephemeral: boolean): void {
  if (!ephemeral) {
    console.error(`warning: ${message}`);
  }
}
