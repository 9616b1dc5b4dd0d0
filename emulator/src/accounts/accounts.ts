import { withBehaviour } from "../behaviour";
import type { AccountOptions } from "../emulator";
import { Refusal } from "../errors";
import type { RequestCredentials } from "../http/exchange";
import type { World } from "../http/world";
import { mainAccount } from "../store/credentials";
import { ofSeed } from "../store/initialState";
import type { Seed } from "../store/seed";
import { defaultSeed } from "../store/seed";
import { checkArgument } from "./adminContract";
import { isDotSegment } from "./dotSegment";
import type { EmulatorAddress } from "./localEmulator";
import { LocalEmulator } from "./localEmulator";
import type { WorldOptions, WorldSettings } from "./world";
import { newWorld } from "./world";

const nameForm = /^[\w.-]{1,100}$/;

/** Above it, all are forgotten: refreshes can issue any number of credentials. */
const mostKnown = 100_000;

/** What the accounts of an emulator have in common. */
export interface AccountParts {
  address: EmulatorAddress;
  /** The content of an account without a seed of its own. */
  seed: Seed | undefined;
  settings: WorldSettings;
  options: WorldOptions;
  /** Ends the emulator. */
  close(): Promise<void>;
}

/** The accounts of an emulator. Each has a world of its own. The credentials of a request choose the account. */
export class Accounts {
  /** The account that exists from the start. */
  readonly main: LocalEmulator;
  private readonly parts: AccountParts;
  private readonly others = new Map<string, LocalEmulator>();
  /** The accounts of credentials that requests have had. */
  private readonly known = new Map<string, LocalEmulator>();

  constructor(main: World, parts: AccountParts) {
    this.parts = parts;
    this.main = new LocalEmulator({
      ...main,
      faultsAtStart: parts.settings.faults,
      name: mainAccount,
      address: parts.address,
      seed: parts.seed ?? defaultSeed(),
      list: this,
      close: () => parts.close(),
    });
  }

  /** Without the main account. */
  get names(): string[] {
    return [...this.others.keys()];
  }

  /** @throws Refusal NotFound. */
  find(name: string): LocalEmulator {
    const account = name === mainAccount ? this.main : this.others.get(name);
    if (account === undefined) throw new Refusal("NotFound", `there is no account ${name}`);
    return account;
  }

  /** Makes an account, or makes it anew. @throws Refusal that lists what is wrong. Nothing changes. */
  create(name: string, options: AccountOptions = {}): LocalEmulator {
    const { address, settings } = this.parts;
    if (!nameForm.test(name) || isDotSegment(name) || name === mainAccount) {
      throw new Refusal(
        "InvalidParameter",
        `the name of an account must have 1 to 100 letters, digits, and the characters _ . -, and must not be . or .. or ${mainAccount}`,
      );
    }
    checkArgument("createAccount", options);
    const { credentials: _shared, ...common } = this.parts.seed ?? defaultSeed();
    // A copy, because the caller can change its object.
    const seed = structuredClone(options.seed ?? common);
    const initial = ofSeed(seed);
    const behaviour = withBehaviour(settings.behaviour, options.behaviour ?? {});
    this.checkOwn(name, initial.credentials.values(), "the seed");
    this.others.get(name)?.end();
    const world = newWorld(initial, { ...settings, behaviour }, this.parts.options);
    const account = new LocalEmulator({
      ...world,
      faultsAtStart: settings.faults,
      name,
      address,
      seed,
      list: this,
      close: () => this.delete(name),
    });
    this.others.set(name, account);
    return account;
  }

  /**
   * Ensures that no other account has one of these credentials, because they choose the account of a request.
   * @param source the subject of the message, such as "the seed".
   * @throws Refusal.
   */
  checkOwn(name: string, values: readonly string[], source: string): void {
    const wanted = new Set(values);
    const owner = this.all().find(
      (account) =>
        account.name !== name && account.world.service.credentials.values().some((value) => wanted.has(value)),
    );
    if (owner !== undefined) {
      throw new Refusal("InvalidParameter", `${source} has a credential of account ${owner.name}`);
    }
  }

  /** Ends the runs and the waiting requests of an account, and forgets it. */
  async delete(name: string): Promise<void> {
    this.others.get(name)?.end();
    this.others.delete(name);
  }

  /** The account of a request. A request without a known credential is one to the main account. */
  of(credentials: RequestCredentials): LocalEmulator {
    if (this.others.size === 0) return this.main;
    const { bearer, apiKey, refreshToken, wanted } = credentials;
    const inHeaders = wanted === "apiKey" ? [apiKey, bearer] : [bearer, apiKey];
    for (const value of [...inHeaders, refreshToken]) {
      const owner = value === undefined ? undefined : this.ownerOf(value);
      if (owner !== undefined) return owner;
    }
    return this.main;
  }

  /** Ends all accounts. */
  end(): void {
    for (const account of this.all()) account.end();
  }

  private ownerOf(value: string): LocalEmulator | undefined {
    const known = this.known.get(value);
    if (known?.owns(value) === true && !known.ended) return known;
    const owner = this.all().find((account) => account.owns(value));
    if (this.known.size >= mostKnown) this.known.clear();
    if (owner !== undefined) this.known.set(value, owner);
    return owner;
  }

  private all(): LocalEmulator[] {
    return [this.main, ...this.others.values()];
  }
}
