import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Behaviour, Emulator, Fault, SeedTask } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { eachTest } from "../eachTest";
import type { ConfigKey } from "../internals/config";
import { noteUrn } from "../internals/engine";
import type { Layer } from "../internals/provider";
import { InitFailure } from "../internals/provider";
import type { EngineKind } from "../internals/resources";
import { canonical, typeToken } from "../internals/resources";
import { InProcess } from "../program/inProcess";

type Properties = Record<string, unknown>;

/** A task with an action of each kind that is configured, and rows that a run makes without opening a page. */
export const task: SeedTask = {
  taskId: "task-1",
  taskGroupId: "group-1",
  syntheticRows: 25,
  syntheticSubtasks: 3,
  actions: [
    { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://old.test/", Wait: "1" } },
    { actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: ["https://old.test/1"] },
  ],
};

/** Configuration of the same service at an address that names another service: only the system knows that it is this machine. */
export function otherAddress(url: string): { baseUrl: string; allowInsecureHttp: string } {
  return { baseUrl: url.replace("127.0.0.1", "[::ffff:7f00:1]"), allowInsecureHttp: "true" };
}

/** Gives each test of a `describe` a world. */
export function useWorld(...options: Parameters<typeof World.create>): World {
  return eachTest(() => World.create(...options));
}

/** The real emulator, a program folder, and a process of the providers for each command, as the engine starts one. */
export class World {
  providers: InProcess;
  /** All that were shown since they were last forgotten. */
  warnings: string[] = [];
  /** The ids of processes that count as running. */
  readonly running = new Set<number>();
  private inCommand = false;
  private readonly processes: InProcess[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), "webextract-life-"));

  private constructor(
    readonly emulator: Emulator,
    private config: Partial<Record<ConfigKey, string>>,
    private readonly layers: readonly Layer[] | undefined,
  ) {
    this.providers = this.process();
  }

  static async create(
    options: {
      behaviour?: Partial<Behaviour>;
      config?: Partial<Record<ConfigKey, string>>;
      tasks?: SeedTask[];
      layers?: readonly Layer[];
    } = {},
  ): Promise<World> {
    const { behaviour, config, tasks = [task], layers } = options;
    const seed = { taskGroups: [{ taskGroupId: "group-1" }, { taskGroupId: "group-2" }], tasks };
    return new World(await startEmulator({ seed, behaviour }), config ?? {}, layers);
  }

  /** Changes the configuration for the commands to come. */
  configure(config: Partial<Record<ConfigKey, string>>): void {
    this.config = { ...this.config, ...config };
    this.providers = this.process();
  }

  /** Several steps of one command, and so of one process; each other step is a command of its own. */
  async command<T>(steps: () => Promise<T>): Promise<T> {
    if (this.inCommand) {
      return steps();
    }
    this.providers = this.process();
    this.inCommand = true;
    try {
      return await steps();
    } finally {
      this.inCommand = false;
      await this.providers.end();
      this.warnings.push(...this.providers.warnings);
    }
  }

  /** Runs a step until the service holds a request of it, and kills the process there. @returns the resource as the state knows it. */
  async killed(declared: Declared, step: () => Promise<unknown>, at: Omit<Fault, "kind">): Promise<Declared> {
    const saved = declared.asSaved();
    const hold = this.emulator.hold(at);
    const ended = step().then(
      () => assert.fail("it ended before the kill"),
      () => undefined,
    );
    await Promise.race([hold.reached, ended]);
    this.inCommand = false;
    return saved;
  }

  /** Runs a step to its end, and kills the engine before it has saved any of it. @returns the resource as the state knows it. */
  async unsaved(declared: Declared, step: () => Promise<unknown>): Promise<Declared> {
    const saved = declared.asSaved();
    this.providers = this.process();
    this.inCommand = true;
    await step();
    this.inCommand = false;
    return saved;
  }

  /** The files of the journal, parsed. */
  journal(): Record<string, unknown>[] {
    const folder = this.path(join("tokens", "journal"));
    return existsSync(folder)
      ? readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")))
      : [];
  }

  /** Without a name, the engine doesn't tell its URN. */
  declare(type: string, name: string | undefined = type, kind: EngineKind = "dynamic"): Declared {
    const urn = `urn:pulumi:dev::test::${typeToken(type, kind)}::${name}`;
    return new Declared(this, type, name === "" ? undefined : urn);
  }

  /** Names of the operations since the last call, in order. */
  operations(): string[] {
    const names = this.emulator.requests.map(({ operation }) => operation);
    this.emulator.clearRequests();
    return names;
  }

  /** What was sent to one operation, in order. */
  sent(operation: string): unknown[] {
    return this.emulator.requests.filter((each) => each.operation === operation).map(({ body }) => body);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string | Buffer): void {
    writeFileSync(this.path(name), content);
  }

  content(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  /** A run that has ended. @returns its lotNo. */
  async finishedRun(taskId = "task-1"): Promise<string> {
    const lotNo = this.emulator.change.startRun(taskId);
    await this.emulator.settled();
    return lotNo;
  }

  async remove(): Promise<void> {
    await this.emulator.close();
    await Promise.all(this.processes.map((each) => each.engineIsGone()));
    rmSync(this.folder, { recursive: true });
  }

  private process(): InProcess {
    const { accessToken, apiKey } = this.emulator.credentials;
    const standard = { baseUrl: this.emulator.url, accessToken, apiKey, actionTypes: "LoopAction,NavigateAction" };
    const config = { ...standard, maxRetries: "0", tokenStore: this.path("tokens"), ...this.config };
    const started = new InProcess(config, this.folder, this.layers, ({ pid }) => this.running.has(pid));
    this.processes.push(started);
    return started;
  }
}

/** What the engine keeps of a resource, and the steps that it takes with it: the same calls in the same order. */
export class Declared {
  id: string | undefined;
  state: Properties = {};
  private inputs: Properties = {};
  private failed = false;
  /** The instance whose replacement failed after its delete. The engine makes the replacement with the next up. */
  private deleted: { id: string; state: Properties } | undefined;

  constructor(
    private readonly world: World,
    private readonly type: string,
    /** Its name in each request of the engine. */
    readonly urn: string | undefined,
  ) {}

  /** The same resource as the state holds it now, whatever becomes of this one. */
  asSaved(): Declared {
    const { id, state, inputs, failed, deleted } = this;
    return Object.assign(new Declared(this.world, this.type, this.urn), { id, state, inputs, failed, deleted });
  }

  /** As `asSaved`, in a state that was saved after the first half of a replace: the delete. */
  asDeleted(): Declared {
    const saved = this.asSaved();
    return Object.assign(saved, { id: undefined, deleted: { id: this.id ?? "", state: this.state } });
  }

  /** Brings the resource to these arguments. @returns what was done. */
  up(args: Properties): Promise<"created" | "updated" | "replaced" | "nothing"> {
    return this.world.command(() => this.bring(args));
  }

  /** What the engine has of it now. @returns what puts that back: as when the engine is killed before it could save the step to come. */
  keep(): { restore(): void } {
    const { id, state, inputs, failed, deleted } = this;
    return { restore: () => Object.assign(this, { id, state, inputs, failed, deleted }) };
  }

  /** As `pulumi up --replace` does: the new one first. */
  replaceByHand(): Promise<void> {
    return this.world.command(() => this.replace(this.inputs, false));
  }

  /** As `pulumi up --replace` does if the resource is deleted first: without a diff, and a check that does not know the old arguments. */
  replaceDeleteFirst(args: Properties): Promise<void> {
    return this.world.command(async () => this.replace(await this.checked(args, {}), true));
  }

  /** A preview of these arguments: what the engine asks without a write. */
  preview(args: Properties): Promise<void> {
    return this.world.command(async () => {
      const inputs = await this.checked(args, this.inputs);
      await (this.id === undefined ? undefined : this.provider.diff(this.id, this.state, inputs));
    });
  }

  /** @returns whether it is still there. */
  refresh(): Promise<boolean> {
    return this.world.command(() => this.read());
  }

  destroy(): Promise<void> {
    return this.world.command(async () => {
      await this.provider.delete(this.id ?? "", this.named(this.state));
      this.id = undefined;
    });
  }

  /** As if the last up had had these arguments too, and had kept these outputs. */
  hasInState(args: Properties, outputs: Properties): void {
    this.inputs = { ...this.inputs, ...args };
    this.state = { ...this.state, ...args, ...outputs };
  }

  private async bring(args: Properties): Promise<"created" | "updated" | "replaced" | "nothing"> {
    const inputs = await this.checked(args, this.inputs);
    if (this.deleted !== undefined) {
      await this.provider.diff(this.deleted.id, this.deleted.state, inputs);
      await this.create(await this.checked(args, {}));
      return "replaced";
    }
    if (this.id === undefined) {
      await this.create(inputs);
      return "created";
    }
    const { changes, replaces = [], deleteBeforeReplace } = await this.provider.diff(this.id, this.state, inputs);
    if (replaces.length > 0) {
      await this.replace(await this.checked(args, {}), deleteBeforeReplace === true);
      return "replaced";
    }
    if (this.failed || (changes ?? canonical(inputs) !== canonical(this.inputs))) {
      await this.update(inputs);
      return "updated";
    }
    // The engine keeps the new arguments also of a change that a diff hides.
    this.inputs = inputs;
    return "nothing";
  }

  private async checked(args: Properties, olds: Properties): Promise<Properties> {
    const given = this.named({ ...args, __provider: "text" });
    const news = await this.world.providers.checked(this.type, given, olds);
    return this.named({ ...news, __provider: "text" });
  }

  private async replace(inputs: Properties, deleteFirst: boolean): Promise<void> {
    const old = { id: this.id ?? "", state: this.state };
    if (deleteFirst) {
      await this.provider.delete(old.id, this.named(old.state));
      this.id = undefined;
      this.deleted = old;
    }
    await this.create(this.named(inputs));
    if (!deleteFirst) {
      await this.provider.delete(old.id, this.named(old.state));
    }
  }

  private async read(): Promise<boolean> {
    const { id, props, inputs } = await this.provider.read(this.id ?? "", this.named(this.state));
    this.id = id;
    this.state = id === undefined ? {} : { ...props, __provider: "text" };
    this.inputs = id === undefined ? {} : { ...inputs, __provider: "text" };
    this.failed = false;
    if (id !== undefined) {
      // The engine asks for what has changed, to show it.
      await this.provider.diff(id, this.state, this.named(this.inputs));
    }
    return id !== undefined;
  }

  /** The engine tells the resource's URN with each request. */
  private named(properties: Properties): Properties {
    if (this.urn !== undefined) {
      noteUrn(properties, this.urn);
    }
    return properties;
  }

  private get provider() {
    return this.world.providers.provider(this.type);
  }

  private async create(inputs: Properties): Promise<void> {
    await this.keepingWhatExists(inputs, async () => {
      const { id, outs } = await this.provider.create(inputs);
      return { id, outs };
    });
  }

  private async update(inputs: Properties): Promise<void> {
    const { id = "" } = this;
    await this.keepingWhatExists(inputs, async () => {
      const { outs } = await this.provider.update(id, this.state, inputs);
      return { id, outs };
    });
  }

  private async keepingWhatExists(
    inputs: Properties,
    step: () => Promise<{ id: string; outs?: Properties }>,
  ): Promise<void> {
    try {
      const { id, outs = {} } = await step();
      this.hold(id, outs, inputs, false);
    } catch (error) {
      if (error instanceof InitFailure) {
        assert.equal(error.properties.__provider, "text");
        this.hold(error.id, error.properties, inputs, true);
      }
      throw error;
    }
  }

  private hold(id: string, outs: Properties, inputs: Properties, failed: boolean): void {
    this.id = id;
    this.state = { ...outs, __provider: "text" };
    this.inputs = inputs;
    this.failed = failed;
    this.deleted = undefined;
  }
}

/** The message of the error that a step must end with. */
export async function failure(step: Promise<unknown>): Promise<string> {
  return step.then(
    () => assert.fail("it should have failed"),
    (error: Error) => error.message,
  );
}
