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
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1]?.trimStart();
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
  if (behaviour.bothCredentials === "refused" && bearer !== undefined && apiKey !== undefined) {
    throw new Refusal("InvalidParameter", `${operation.name} takes Authorization: Bearer or x-api-key, not both`);
  }
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

const paidPlans: readonly string[] = ["professional", "enterprise"] satisfies Plan[];

/** @throws Refusal PermissionDenied. */
export function checkPlan(operation: Operation, plan: Plan, { plansNeeded }: Behaviour): void {
  const everywhere = plansNeeded === "everyOperation" && operation.credential !== "none" ? paidPlans : undefined;
  const plans = operation.plans ?? everywhere;
  if (plans !== undefined && !plans.includes(plan)) {
    throw new Refusal("PermissionDenied", `${operation.name} needs the Professional or Enterprise plan`);
  }
}

/** The counts of a {@link RateGate}. */
export interface RateCounts {
  recent: readonly number[];
  count: number;
  arrived: number;
  pages: number;
}

/** Counts requests for the behaviours `requestsPerSecond`, `refuseEvery`, `badGatewayEvery` and `emptyPageEvery`. */
export class RateGate {
  private recent: readonly number[] = [];
  private count = 0;
  private arrived = 0;
  private pages = 0;

  constructor(private readonly clock: EmulatorClock) {}

  get counts(): RateCounts {
    const { recent, count, arrived, pages } = this;
    return { recent, count, arrived, pages };
  }

  set counts({ recent, count, arrived, pages }: RateCounts) {
    Object.assign(this, { recent, count, arrived, pages });
  }

  /** Counts from the start again. */
  reset(): void {
    this.recent = [];
    this.count = 0;
    this.arrived = 0;
    this.pages = 0;
  }

  /** A request arrives. @returns whether a proxy replaces its response. */
  arrive({ badGatewayEvery }: Behaviour): boolean {
    this.arrived += 1;
    return badGatewayEvery > 0 && this.arrived % badGatewayEvery === 0;
  }

  countPage(): number {
    this.pages += 1;
    return this.pages;
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
