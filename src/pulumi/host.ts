import { setTimeout as sleep } from "node:timers/promises";
import pLimit, { type LimitFunction } from "p-limit";
import type { Context, Settings } from "../resources/resource";
import { ServiceClient } from "../service/client";
import { AccountGuard } from "./accountGuard";
import { originOf, type ProviderConfig, parseConfig, type ReadKey } from "./config";
import type { Display } from "./progress";

/** What all resources of one provider process share: configuration, clients, the order of writes to a task. */
export class Host {
  readonly accountGuard = new AccountGuard();
  private readonly config: ProviderConfig;
  private readonly configProblems: readonly string[];
  private readonly clients = new Map<string | undefined, ServiceClient>();
  private readonly writers = new Map<string, LimitFunction>();

  constructor(
    read: ReadKey,
    private readonly display: Display,
    private readonly folder: string = process.cwd(),
  ) {
    const { config, problems } = parseConfig(read);
    this.config = config;
    this.configProblems = problems;
  }

  get settings(): Settings {
    return this.config.settings;
  }

  get programFolder(): string {
    return this.folder;
  }

  /** Problems with a resource's profile, for a check. */
  profileProblem(profile: string): string | undefined {
    try {
      this.config.clientOptions(profile);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Where a profile's service is; undefined where the configuration doesn't say. */
  origin(profile: string | undefined): string | undefined {
    const { baseUrl } = this.config.clientOptions(profile);
    return baseUrl === undefined ? undefined : originOf(baseUrl);
  }

  movedFrom(origin: string): boolean {
    return this.config.movedFrom.includes(origin);
  }

  /** What a resource works with; `urn` is where its warnings and progress show. */
  context(profile: string | undefined, urn: string | undefined): Context {
    return {
      client: this.client(profile),
      settings: this.settings,
      folder: this.folder,
      exclusive: (taskId, work) => this.writer(taskId)(work),
      saw: (taskId, presence) => this.accountGuard.saw(taskId, presence),
      warn: (message) => this.display.warn(message, urn),
      progress: (message) => this.display.progress(message, urn),
      now: () => performance.now(),
      sleep: (milliseconds) => sleep(milliseconds),
    };
  }

  private client(profile: string | undefined): ServiceClient {
    if (this.configProblems.length > 0) {
      throw new Error(this.configProblems.join(" "));
    }
    let client = this.clients.get(profile);
    if (client === undefined) {
      const warn = (message: string): void => this.display.warn(message);
      client = new ServiceClient({ ...this.config.clientOptions(profile), warn });
      this.clients.set(profile, client);
    }
    return client;
  }

  private writer(taskId: string): LimitFunction {
    let writer = this.writers.get(taskId);
    if (writer === undefined) {
      writer = pLimit(1);
      this.writers.set(taskId, writer);
    }
    return writer;
  }
}
