import { promisify } from "node:util";
import type * as Grpc from "@grpc/grpc-js";
import type * as Clients from "@pulumi/pulumi/proto/engine_grpc_pb";
import type * as Protocol from "@pulumi/pulumi/proto/engine_pb";
import { shownText } from "../service/errors/foreignText";
import { engineAddress, hostModules } from "./hostModules";

type Kind = "warning" | "progress" | "error";

/** Shows one message. Returns a promise if that takes time. */
export type ShowMessage = (message: string, urn: string | undefined, kind: Kind) => unknown;

/** The number of warnings that are shown one by one. */
const mostShown = 10;

/**
 * Warnings and progress, as the engine shows them: the first warnings of a run, then one for each kind, with the number
 * of warnings and the names that they are about.
 */
export class EngineLog {
  private shown = 0;
  private readonly more = new Map<string, string[]>();
  private readonly lastProgress = new Map<string, string>();

  constructor(private readonly show: ShowMessage) {}

  warn(message: string, urn?: string): void {
    this.shown++;
    if (this.shown <= mostShown) {
      void this.log(message, urn, "warning");
    } else {
      const form = formOf(message);
      this.more.set(form, [...(this.more.get(form) ?? []), message]);
    }
  }

  /** Replaces the resource's last progress message. */
  progress(message: string, urn?: string): void {
    // A log that is not a terminal gets a line for each message, so the same message is not sent again.
    if (urn !== undefined && this.lastProgress.get(urn) !== message) {
      this.lastProgress.set(urn, message);
      void this.log(message, urn, "progress");
    }
  }

  /**
   * Shows an error of the stack. Resolves when the engine has received it. Call it only if the command fails anyway,
   * because the engine continues.
   */
  async error(message: string): Promise<void> {
    await this.log(message, undefined, "error");
  }

  /**
   * Shows the warnings that were held back. Call it when the engine ends this process. Resolves when the engine has
   * received them.
   */
  async end(): Promise<void> {
    const held = [...this.more.values()];
    this.more.clear();
    await Promise.all(held.map((messages) => this.log(summedUp(messages), undefined, "warning")));
  }

  private async log(message: string, urn: string | undefined, kind: Kind): Promise<void> {
    await this.show(shownText(message), urn, kind);
  }
}

const names = /"[^"]*"|\d+/g;

/** Messages that differ only in names and numbers have one form. */
function formOf(message: string): string {
  return message.replace(names, "…");
}

/**
 * The first name in a warning is what it is about. All names are shown, because a warning can be the only place that
 * names a task.
 */
function summedUp([first = "", ...others]: string[]): string {
  if (others.length === 0) {
    return first;
  }
  const about = others.map((message) => message.match(/"[^"]*"/)?.[0] ?? message);
  return `${first} (${others.length + 1} warnings like this one; the others are about ${about.join(", ")}.)`;
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

/**
 * The log of the engine. Where it cannot be reached, messages go to standard error, which the engine shows under the
 * stack.
 */
export function engineLog(modules: () => EngineModules = modulesOfHost, words = (text: string) => text): EngineLog {
  const show = sendsToEngine(modules) ?? toStandardError;
  return new EngineLog((message, urn, kind) => show(words(message), urn, kind));
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
