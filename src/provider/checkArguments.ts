import type { Properties } from "../engine/serialization";
import type { Problem } from "../resources/args";
import type { AnyResource } from "../resources/index";
import { checkedArgs } from "../resources/index";
import { entryOf } from "../resources/values";
import type { Host } from "./host";

export interface GivenArguments {
  given: Properties;
  /** The arguments after the previous check; empty at the first. */
  previous: Properties;
  urn?: string | undefined;
}

/** The arguments in the form in which they are compared and stored, and their problems. Makes no request. */
export async function checkArguments(
  resource: AnyResource,
  host: Host,
  { given, previous, urn }: GivenArguments,
): Promise<{ args: object; problems: Problem[] }> {
  const args = withoutDerived(resource, given);
  const problems: Problem[] = [];
  checkProfile(args.profile, host, problems);
  const { programFolder: folder } = host;
  const { settings } = host.config;
  const known = Object.keys(previous).length > 0 ? previous : undefined;
  const replaced = known === undefined && urn !== undefined ? host.replaced.get(urn)?.state : undefined;
  if (resource.knowsEarlier && known !== undefined && urn !== undefined) {
    host.previous.set(urn, known);
  }
  const warn = (message: string): void => host.warnOnce(message, urn);
  const context = { previous: known, replaced, folder, settings, problems, warn };
  const checked = await checkedArgs(resource, args, context);
  // Invalid arguments are returned unchanged. The checked form has `unknown` in their place, and an up stops at an
  // unknown value before it shows the problems.
  return { args: problems.length > 0 ? args : checked, problems };
}

/** Only `check` sets derived arguments. A class can send a placeholder for one, which only marks it as secret. */
function withoutDerived(resource: AnyResource, args: Properties): Properties {
  const isGiven = (name: string): boolean => {
    const { derived = false, givenByClass = false } = entryOf(resource.args, name) ?? {};
    return !derived || givenByClass;
  };
  return Object.fromEntries(Object.entries(args).filter(([name]) => isGiven(name)));
}

function checkProfile(profile: unknown, host: Host, problems: Problem[]): void {
  const isKnown = profile === undefined || typeof profile === "string";
  const problem = isKnown ? host.config.profileProblem(profile) : undefined;
  if (problem !== undefined) {
    const reason = profile === undefined ? "is missing" : "is not configured";
    problems.push({ path: "profile", reason: `${reason}. ${problem}` });
  }
}
