import { promisify } from "node:util";
import type * as Grpc from "@grpc/grpc-js";
import type * as Clients from "@pulumi/pulumi/proto/engine_grpc_pb";
import type * as Protocol from "@pulumi/pulumi/proto/engine_pb";
import { shownText } from "../service/errors/foreignText";
import { engineAddress, hostModules } from "./hostModules";

/** Warnings and progress, as the engine shows them. */
export interface EngineLog {
  warn(message: string, urn?: string): void;
  /** A warning that a step took over what a killed command made. One or a few are shown; of many, `end` shows one summary. */
  tookOver(message: string, type: string, urn?: string): void;
  /** Replaces the resource's last progress message. */
  progress(message: string, urn?: string): void;
  /**
   * Shows an error of the stack. Resolves when the engine has received it. Call it only if the command fails anyway, because the engine
   * continues.
   */
  error(message: string): Promise<void>;
  /** Shows the warnings that were held back. Call it when no step is in progress, because the engine can end the process then. */
  flush(): void;
  /** Shows what concerns the whole command. Call it when the engine ends this process. Resolves when the engine has received it. */
  end(): Promise<void>;
}

type Kind = "warning" | "progress" | "error";

/** Shows one message. Returns a promise if that takes time. */
export type ShowMessage = (message: string, urn: string | undefined, kind: Kind) => unknown;

/** The number of warnings that are shown one by one. */
const mostShown = 10;

/** The number of takeovers that are shown one by one. */
const mostTakeovers = 3;

interface Takeover {
  message: string;
  type: string;
  urn: string | undefined;
}

/** Shows the first warnings of a run, then one warning for each kind, with the number of warnings and the names that they are about. */
export class SummedUpLog implements EngineLog {
  private shown = 0;
  private readonly more = new Map<string, string[]>();
  private readonly lastProgress = new Map<string, string>();
  private readonly takeovers: Takeover[] = [];
  private shownTakeovers = 0;

  private readonly log: ShowMessage;

  constructor(log: ShowMessage) {
    this.log = (message, urn, kind) => log(shownText(message), urn, kind);
  }

  warn(message: string, urn?: string): void {
    this.shown++;
    if (this.shown <= mostShown) {
      void this.log(message, urn, "warning");
    } else {
      const form = formOf(message);
      this.more.set(form, [...(this.more.get(form) ?? []), message]);
    }
  }

  tookOver(message: string, type: string, urn?: string): void {
    this.takeovers.push({ message, type, urn });
  }

  flush(): void {
    if (this.takeovers.length <= mostTakeovers) {
      for (const { message, urn } of this.takeovers.slice(this.shownTakeovers)) {
        this.warn(message, urn);
      }
      this.shownTakeovers = this.takeovers.length;
    }
    for (const messages of this.more.values()) {
      void this.log(summedUp(messages), undefined, "warning");
    }
    this.more.clear();
  }

  async end(): Promise<void> {
    const all = this.takeovers.splice(0);
    if (all.length > mostTakeovers) {
      await this.log(describeTakeovers(all), undefined, "warning");
    }
  }

  progress(message: string, urn?: string): void {
    // A log that is not a terminal gets a line for each message, so the same message is not sent again.
    if (urn !== undefined && this.lastProgress.get(urn) !== message) {
      this.lastProgress.set(urn, message);
      void this.log(message, urn, "progress");
    }
  }

  async error(message: string): Promise<void> {
    await this.log(message, undefined, "error");
  }
}

const names = /"[^"]*"|\d+/g;

/** Messages that differ only in names and numbers have one form. */
function formOf(message: string): string {
  return message.replace(names, "…");
}

/** The first name in a warning is what it is about. All names are shown, because a warning can be the only place that names a task. */
function summedUp([first = "", ...others]: string[]): string {
  if (others.length === 0) {
    return first;
  }
  const about = others.map((message) => message.match(/"[^"]*"/)?.[0] ?? message);
  return `${first} (${others.length + 1} warnings like this one; the others are about ${about.join(", ")}.)`;
}

function describeTakeovers(all: readonly Takeover[]): string {
  const numbers = new Map<string, number>();
  for (const { type } of all) {
    numbers.set(type, (numbers.get(type) ?? 0) + 1);
  }
  const byType = [...numbers]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([type, count]) => `${count} ${type}`);
  return (
    `${all.length} resources were taken over: ${byType.join(", ")}. A run that ended before it could save its state had made them. ` +
    "No second one was made, and the state has them now."
  );
}

/** The modules of gRPC and of the engine's protocol. */
export interface EngineModules {
  grpc: typeof Grpc;
  clients: typeof Clients;
  protocol: typeof Protocol;
}

function modulesOfHost(): EngineModules {
  const load = hostModules();
  return {
    grpc: load("@grpc/grpc-js"),
    clients: load("@pulumi/pulumi/proto/engine_grpc_pb"),
    protocol: load("@pulumi/pulumi/proto/engine_pb"),
  };
}

/** The log of the engine. Where it cannot be reached, messages go to standard error, which the engine shows under the stack. */
export function engineLog(modules: () => EngineModules = modulesOfHost): EngineLog {
  return new SummedUpLog(sendsToEngine(modules) ?? toStandardError);
}

function sendsToEngine(modules: () => EngineModules): ShowMessage | undefined {
  const address = engineAddress();
  if (address === undefined) {
    return undefined;
  }
  try {
    const { grpc, clients, protocol } = modules();
    const client = new clients.EngineClient(address, grpc.credentials.createInsecure());
    const { INFO, WARNING, ERROR } = protocol.LogSeverity;
    const severities = { progress: INFO, warning: WARNING, error: ERROR };
    return async (message, urn, kind) => {
      try {
        const request = new protocol.LogRequest();
        request.setSeverity(severities[kind]);
        request.setMessage(message);
        request.setUrn(urn ?? "");
        request.setEphemeral(kind === "progress");
        await promisify<Protocol.LogRequest, unknown>(client.log.bind(client))(request);
      } catch {
        // A message that cannot be sent must not fail its step.
        toStandardError(message, urn, kind);
      }
    };
  } catch {
    return undefined;
  }
}

function toStandardError(message: string, _urn: string | undefined, kind: Kind): void {
  if (kind !== "progress") {
    console.error(`${kind}: ${message}`);
  }
}
