import type { dynamic } from "@pulumi/pulumi";
import type { ConfigKey } from "../internals/config";
import type { Engine } from "../internals/engine";
import { EngineLog } from "../internals/engine";
import type { Layer, ProcessName } from "../internals/provider";
import { DynamicProvider, Host } from "../internals/provider";
import type { AnyResource } from "../internals/resources";
import { resources } from "../internals/resources";

/** What the engine puts where a preview doesn't know a value yet. */
export const unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Stands for an engine that shows nothing. */
export function noEngine(
  log: ConstructorParameters<typeof EngineLog>[0],
  interrupted: AbortSignal = new AbortController().signal,
): Engine {
  return {
    log: new EngineLog(log),
    interrupted,
    onEnd: () => undefined,
  };
}

let lastPid = 0;

/** The providers of one process without an engine: same configuration, same host, and the warnings that they show. */
export class InProcess {
  readonly warnings: string[] = [];
  readonly progress: string[] = [];
  /** Aborted where the user interrupts the command. */
  readonly interruption = new AbortController();
  /** Its name in the journal. */
  readonly name: ProcessName = { host: "here", pid: ++lastPid, start: "1" };
  private readonly host: Host;

  constructor(
    config: Partial<Record<ConfigKey, string>>,
    folder?: string,
    /** Default: those of the real provider. */
    private readonly layers?: readonly Layer[],
    /** Whether another process is running. */
    isRunning: (other: ProcessName) => boolean = () => false,
  ) {
    const engine = noEngine((message, _urn, kind) => {
      if (kind === "warning") {
        this.warnings.push(message);
      } else if (kind === "progress") {
        this.progress.push(message);
      }
    }, this.interruption.signal);
    this.host = new Host((key) => config[key], engine, {
      programFolder: folder,
      processes: { own: this.name, isRunning },
    });
  }

  /** What the end of the engine does, where it was killed. */
  async engineIsGone(): Promise<void> {
    await this.host.close();
  }

  /** What the engine's SIGINT does at the end of a command, when it has saved all results. */
  async end(): Promise<void> {
    await this.host.noteSaved();
  }

  provider(
    type: string,
    resource: AnyResource | undefined = resources[type],
  ): Required<Omit<dynamic.ResourceProvider, "configure">> {
    if (resource === undefined) {
      throw new Error(`no resource ${type}`);
    }
    return new DynamicProvider(
      resource,
      () => this.host,
      () => undefined,
      this.layers,
    );
  }

  /** The problems that a check finds, as the engine shows them. */
  async problems(type: string, args: Record<string, unknown>, olds: Record<string, unknown> = {}): Promise<string[]> {
    const { failures = [] } = await this.provider(type).check({ ...olds, __provider: "text" }, args);
    return failures.map(({ property, reason }) => `${property}${reason}`);
  }

  /** The paths of the problems that a check finds: each problem begins with the path of what is wrong. */
  async paths(type: string, args: Record<string, unknown>, olds: Record<string, unknown> = {}): Promise<string[]> {
    return (await this.problems(type, args, olds)).map(pathOf);
  }

  /** The arguments as a check leaves them; throws where it finds problems. */
  async checked(
    type: string,
    args: Record<string, unknown>,
    olds: Record<string, unknown> = {},
  ): Promise<Record<string, unknown>> {
    const { inputs, failures = [] } = await this.provider(type).check({ ...olds, __provider: "text" }, args);
    if (failures.length > 0) {
      throw new Error(failures.map(({ reason }) => reason).join("; "));
    }
    return inputs;
  }
}

/** The path that a problem begins with. */
export function pathOf(problem: string): string {
  return /^[\w.[\]]*/.exec(problem)?.[0] ?? "";
}
