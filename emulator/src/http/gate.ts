import type { IncomingHttpHeaders } from "node:http";
import type { Behaviour } from "../behaviour";
import type { Operation } from "../contract";
import { Refusal } from "../errors";
import type { EmulatorClock } from "../store/clock";
import type { CredentialStore } from "../store/credentials";
import { mainAccount } from "../store/credentials";
import type { Plan } from "../store/seed";

/** The credentials of a request. */
export interface Presented {
  bearer: string | undefined;
  apiKey: string | undefined;
}

export function presentedCredentials(headers: IncomingHttpHeaders): Presented {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  const apiKey = headers["x-api-key"];
  return { bearer, apiKey: typeof apiKey === "string" && apiKey !== "" ? apiKey : undefined };
}

/** @returns the account.
 * @throws Refusal if the operation does not accept the credentials. */
export function checkCredentials(
  operation: Operation,
  presented: Presented,
  credentials: CredentialStore,
  behaviour: Behaviour,
): string {
  if (operation.credential === "none") return mainAccount;
  const { bearer, apiKey } = presented;
  const takes = acceptedCredentials(operation.credential, behaviour);
  if (takes.includes("bearer") && bearer !== undefined) return credentials.accountOfAccessToken(bearer, behaviour);
  if (takes.includes("apiKey") && apiKey !== undefined) return credentials.accountOfApiKey(apiKey);
  const names = takes.map((kind) => (kind === "bearer" ? "Authorization: Bearer" : "x-api-key")).join(" or ");
  throw new Refusal("Invalid.Token", `${operation.name} needs the header ${names}`);
}

function acceptedCredentials(
  wanted: "bearer" | "apiKey",
  { credentialAcceptance }: Behaviour,
): ("bearer" | "apiKey")[] {
  switch (credentialAcceptance) {
    case "apiKeyEverywhere":
      return wanted === "bearer" ? ["bearer", "apiKey"] : ["apiKey"];
    case "bearerOnUpload":
      return ["bearer"];
    case "either":
      return ["bearer", "apiKey"];
    default:
      return [wanted];
  }
}

/** @throws Refusal PermissionDenied. */
export function checkPlan(operation: Operation, plan: Plan): void {
  if (operation.plans !== undefined && !operation.plans.includes(plan)) {
    throw new Refusal("PermissionDenied", `${operation.name} needs the Professional or Enterprise plan`);
  }
}

/** The counts of a {@link RateGate}. */
export interface RateCounts {
  recent: readonly number[];
  count: number;
  arrived: number;
}

/** Counts requests for the behaviours `requestsPerSecond`, `refuseEvery` and `badGatewayEvery`. */
export class RateGate {
  private recent: readonly number[] = [];
  private count = 0;
  private arrived = 0;
  private readonly clock: EmulatorClock;

  constructor(clock: EmulatorClock) {
    this.clock = clock;
  }

  get counts(): RateCounts {
    const { recent, count, arrived } = this;
    return { recent, count, arrived };
  }

  set counts({ recent, count, arrived }: RateCounts) {
    Object.assign(this, { recent, count, arrived });
  }

  /** Counts from the start again. */
  reset(): void {
    this.recent = [];
    this.count = 0;
    this.arrived = 0;
  }

  /** A request arrives. @returns whether a proxy replaces its response. */
  arrive({ badGatewayEvery }: Behaviour): boolean {
    this.arrived += 1;
    return badGatewayEvery > 0 && this.arrived % badGatewayEvery === 0;
  }

  /** @throws Refusal TooManyRequests. */
  pass({ requestsPerSecond, refuseEvery }: Behaviour): void {
    this.count += 1;
    if (refuseEvery > 0 && this.count % refuseEvery === 0) throw tooMany();
    if (requestsPerSecond === 0) return;
    const now = this.clock.now();
    this.recent = this.recent.filter((at) => now - at >= 0 && now - at < 1000);
    if (this.recent.length >= requestsPerSecond) throw tooMany();
    this.recent = [...this.recent, now];
  }
}

function tooMany(): Refusal {
  return new Refusal("TooManyRequests", "too many requests");
}
