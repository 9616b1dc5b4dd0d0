import type { LimitFunction } from "p-limit";
import pLimit from "p-limit";
import { accountInAnyProvider, accountOf, credentialsOf, storeNameOf } from "../config/account";
import type { ProviderConfig, ReadKey } from "../config/config";
import { parseConfig, previewReadOptions } from "../config/config";
import type { Engine } from "../engine/engine";
import type { Properties } from "../engine/serialization";
import { Journal } from "../journal/journal";
import type { ResourceName } from "../journal/journalPlace";
import { openJournal } from "../journal/openJournal";
import type { Held, Owner } from "../resources/ownership";
import { Owners } from "../resources/ownership";
import type { Context, LoopWay, Tasks } from "../resources/resource";
import { idsOfActions, without } from "../resources/settings/setting";
import { warningOfUnknown } from "../resources/settings/unknownProperties";
import { ActionReader } from "../resources/task/actionReader";
import { ServiceClient } from "../service/client";
import type { ServiceClientOptions } from "../service/options";
import { serviceAddress } from "../service/serviceAddress";
import { pause } from "../system/clock";
import { onAbort } from "../system/onAbort";
import type { Processes } from "../system/processes";
import { systemProcesses } from "../system/processes";
import { messageOf } from "../values/errors";
import type { Problem } from "../values/kinds";
import { madeOnce } from "../values/plain";
import { partsOfUrn } from "../values/urn";
import type { AccountClaims } from "./accountClaims";
import { dynamicResources } from "./accountClaims";
import { AccountTasks } from "./accountTasks";
import { ProviderError } from "./providerErrors";
import { RunningSteps } from "./runningSteps";
import { SeenResources } from "./seenResources";

/** The client of one set of credentials, and the reader of actions that shares its requests. */
interface Service {
  client: ServiceClient;
  actions: ActionReader;
}

/** What resources of another provider may have. */
const heldByAnother: Pick<Tasks, "isOwnedElsewhere" | "heldBy"> = {
  isOwnedElsewhere: () => true,
  heldBy: () => "perhaps another provider of this account",
};

export interface HostParts {
  programFolder?: string;
  processes?: Processes;
  /** Absent: no other process can have the account. */
  claims?: AccountClaims;
}

/**
 * Shared by all resources of a provider process: configuration, clients, journal, owners, and the order of writes to a
 * task.
 */
export class Host {
  readonly journal: Journal;
  readonly steps = new RunningSteps();
  private readonly tasks = new Map<string, AccountTasks>();
  /** What the resources of this command have and a delete could undo. */
  readonly held = new Owners<Held>();
  /** Placeholder ids of lost responses whose result this run adopts. */
  private readonly adopted = new Set<string>();
  readonly seen = new SeenResources();
  /** The ids of what a failed create of this process has made. */
  readonly halfMade = new Set<string>();
  /** The titles of the resources that this command has deleted. */
  readonly deleted: string[] = [];
  private readonly noted = new Set<string>();
  /** The problems of arguments that are only warnings, because the state has the same, each with its URN. */
  readonly warnedOfStored = new Set<string>();
  readonly config: ProviderConfig;
  /** The program's folder. */
  readonly programFolder: string;
  private readonly claims: AccountClaims | undefined;
  private readonly configProblems: readonly string[];
  /** By the options of the client. */
  private readonly services = new Map<string, Service>();
  /** By the address of the service: a gateway can have several services below one origin. */
  private readonly loopWays = new Map<string, LoopWay>();
  private readonly writers = new Map<string, LimitFunction>();

  constructor(
    read: ReadKey,
    readonly engine: Engine,
    { programFolder = process.cwd(), processes = systemProcesses(), claims }: HostParts = {},
  ) {
    this.programFolder = programFolder;
    this.claims = claims;
    const { config, problems } = parseConfig(read);
    this.config = config;
    this.configProblems = problems;
    const warnOnce = (message: string): void => this.warnOnce(message);
    const user = { folder: programFolder, processes, interrupted: engine.interrupted, warnOnce };
    const former = config.formerJournal && openJournal({ ...config, journal: config.formerJournal }, user);
    const warn = (message: string, urn?: string): void => engine.log.warn(message, urn);
    this.journal = new Journal(openJournal(config, user), warn, config, processes, former || undefined);
    if (config.journal !== undefined) {
      onAbort(engine.interrupted, () => this.journal.warnOfRequestsInProgress());
    }
  }

  /** The address of the service of a profile; undefined if it is not configured. */
  origin(profile: string | undefined): string | undefined {
    const { baseUrl } = this.config.clientOptions(profile);
    return baseUrl === undefined ? undefined : serviceAddress(baseUrl);
  }

  /** The account behind a profile. */
  account(profile: string | undefined): string {
    return accountOf(this.config.clientOptions(profile));
  }

  /** The name of a resource in the journal; undefined if its service is not known. */
  nameOf(urn = "", profile = ""): ResourceName | undefined {
    const of = profile === "" ? undefined : profile;
    const origin = this.origin(of);
    return origin === undefined
      ? undefined
      : { urn, origin, profile, credentials: credentialsOf(this.config.clientOptions(of)) };
  }

  /** The problem if another process of the command has the account. An unknown one is claimed when it is known. */
  async claimAccount(profile: unknown): Promise<Problem[]> {
    if (profile !== undefined && typeof profile !== "string") {
      return [];
    }
    const problem = await this.claims?.claim(accountInAnyProvider(this.config.clientOptions(profile)));
    return problem === undefined ? [] : [problem];
  }

  /** Notes that this run adopts what a lost response has made. */
  async adopt(placeholderId: string): Promise<void> {
    this.adopted.add(placeholderId);
    await this.claims?.claim(placeholderId);
  }

  /** Whether this command adopts it: after `migrate`, the old provider deletes the placeholder, and another one adopts. */
  async isAdopted(placeholderId: string): Promise<boolean> {
    return this.adopted.has(placeholderId) || (await this.claims?.other(placeholderId)) !== undefined;
  }

  tasksOf(profile: string | undefined): AccountTasks {
    return madeOnce(this.tasks, this.account(profile), () => new AccountTasks());
  }

  /**
   * Runs a step of any resource. Every error of it has a message for the user and nothing else. After an interruption,
   * no step begins: those in progress end, and then the engine ends this process.
   */
  async during<T>(step: () => Promise<T>): Promise<T> {
    try {
      if (this.engine.interrupted.aborted) {
        throw new ProviderError("The command was interrupted before this step. Nothing was sent.");
      }
      return await step();
    } catch (error) {
      throw error instanceof ProviderError ? error : new ProviderError(messageOf(error));
    }
  }

  /** The engine can request the same check or diff more than once. */
  warnOnce(message: string, urn?: string): void {
    const warning = `${urn} ${message}`;
    if (!this.noted.has(warning)) {
      this.noted.add(warning);
      this.engine.log.warn(message, urn);
    }
  }

  /**
   * Warns of properties that `args` declare in addition to those of `before`, and a read of this process did not show:
   * so a preview with a refresh says what an up will say.
   */
  warnOfUnknownProperties(
    task: { profile?: unknown; taskId: unknown },
    before: Properties,
    args: Properties,
    urn?: string,
  ): void {
    const { profile, taskId } = task;
    if (typeof taskId !== "string" || (profile !== undefined && typeof profile !== "string")) {
      return;
    }
    const names = this.tasksOf(profile).names.get(taskId);
    const added = without(idsOfActions(args.actions), idsOfActions(before.actions));
    const warning = names && warningOfUnknown(taskId, added, names);
    if (warning !== undefined) {
      this.warnOnce(warning, urn);
    }
  }

  /** Call it when the engine has saved all results. */
  async noteSaved(): Promise<void> {
    this.journal.dropSaved();
    await this.engine.log.end();
  }

  /** Before the process ends: sends no more requests, and waits until the responses to those in progress are noted. */
  async close(): Promise<void> {
    const clients = [...this.services.values()].map(({ client }) => client);
    for (const client of clients) {
      client.stop();
    }
    await Promise.all([this.journal.close(), ...clients.map((client) => client.tokensSettled())]);
    for (const client of clients) {
      try {
        client.close();
      } catch {
        // A token could not be stored. A warning was shown at that time.
      }
    }
  }

  /**
   * The context of the instance that a delete shows. With another instance of the URN, it is a replaced one, to which
   * that one is another resource. Before a new one is made, the delete comes before the rest of the program.
   */
  async contextOfDelete(profile: string | undefined, urn: string | undefined): Promise<Context> {
    const instance = this.seen.instanceOf(urn);
    const owner = ownerOf(urn);
    const context = this.context(profile, urn, instance === "there" ? { ...owner, key: Symbol(owner.title) } : owner);
    const other = await this.claims?.other(accountInAnyProvider(this.config.clientOptions(profile)));
    if (other !== undefined) {
      const to = other === dynamicResources ? "dynamic" : "native";
      this.warnOnce(
        `In this command, resources of the same account belong to ${other}. What they have is not known here, so deletes leave settings, rows, runs and files ` +
          `as they are. To undo these, delete the resources in a command of its own. To move resources, run "webextract migrate --to ${to}", and then an up without other changes.`,
      );
    }
    return {
      ...context,
      isDeletedFirst: instance === "toMake",
      tasks: other === undefined ? context.tasks : { ...context.tasks, ...heldByAnother },
    };
  }

  /** The context of a resource. The engine shows warnings and progress beside the resource with this `urn`. */
  context(profile: string | undefined, urn: string | undefined, owner = ownerOf(urn)): Context {
    const options = this.optionsOf(profile);
    const { client, actions } = this.connected(options);
    const name = this.nameOf(urn, profile);
    const loopWay = madeOnce(this.loopWays, serviceAddress(options.baseUrl), () => ({}));
    return {
      client,
      tasks: this.tasksOf(profile).seenBy(owner, this.held, {
        actions,
        loopWay,
        exclusive: (taskId, work) => madeOnce(this.writers, taskId, () => pLimit(1))(work),
      }),
      journal: urn === undefined ? undefined : name && this.journal.of(name),
      settings: this.config.settings,
      folder: this.programFolder,
      redact: (text) => this.redact(text),
      warn: (message) => this.warnOnce(message, urn),
      progress: (message) => this.engine.log.progress(message, urn),
      now: () => performance.now(),
      sleep: (milliseconds) => pause(milliseconds, this.engine.interrupted),
      interrupted: this.engine.interrupted,
      replaced: urn === undefined ? undefined : this.seen.of(urn).replaced,
    };
  }

  /** The client for a read of the program. Undefined in a preview that has only a refresh token. */
  reader(profile: string | undefined, isPreview: boolean): ServiceClient | undefined {
    const all = this.optionsOf(profile);
    const options = isPreview ? previewReadOptions(all) : all;
    return options && this.connected(options).client;
  }

  private redact(text: string): string {
    // The tokens of a client can be other ones than those of the configuration: it has refreshed them.
    return [...this.services.values()].reduce((hidden, { client }) => client.redact(hidden), this.config.redact(text));
  }

  private optionsOf(profile: string | undefined): ServiceClientOptions {
    if (this.configProblems.length > 0) {
      throw new Error(this.configProblems.join(" "));
    }
    const options = this.config.clientOptions(profile);
    const problem = this.config.profileProblem(profile);
    if (problem !== undefined) {
      throw new Error(problem);
    }
    return options;
  }

  private connected(options: ServiceClientOptions): Service {
    // Profiles that differ only in their name share a client: two clients with the same refresh token could invalidate
    // each other's access token.
    const service = serviceAddress(options.baseUrl);
    const key = JSON.stringify({ ...options, baseUrl: service, profile: storeNameOf(options) });
    return madeOnce(this.services, key, () => {
      const warn = (message: string): void => this.engine.log.warn(message);
      const client = new ServiceClient({ ...options, warn, interrupted: this.engine.interrupted });
      return { client, actions: new ActionReader(client, this.steps) };
    });
  }
}

/**
 * Ends this process with the engine. Sends no request whose result the ended engine could not save. Requests that were
 * already sent are noted for the next run.
 * @param host undefined in a process that the engine has not configured
 */
export function endWithEngine(host: () => Host | undefined, { onEnd }: Engine): void {
  const end = async (isSaved: boolean): Promise<void> => {
    await (isSaved ? host()?.noteSaved() : undefined);
    await host()?.close();
    process.exit();
  };
  onEnd({ saved: () => void end(true), gone: () => void end(false) });
}

/** A resource as messages name it: its type without the module, and its name. */
export function titleOf(urn: string): string {
  const { type, name } = partsOfUrn(urn);
  return `${type.slice(type.lastIndexOf(":") + 1)} "${name}"`;
}

export function ownerOf(urn: string | undefined): Owner {
  return { key: urn, title: urn === undefined ? "A resource" : titleOf(urn) };
}
