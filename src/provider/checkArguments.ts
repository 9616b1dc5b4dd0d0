import type { Properties } from "../engine/serialization";
import type { Problem } from "../resources/args";
import { checkFields } from "../resources/args";
import type { AnyResource } from "../resources/index";
import { entryOf } from "../resources/values";
import type { Host } from "./host";

/** Arguments as they are compared and stored, or what is wrong with them. Makes no request. */
export async function checkArguments(
  resource: AnyResource,
  host: Host,
  { given, previous }: { given: Properties; previous: Properties },
): Promise<{ args: object; problems: Problem[] }> {
  const args = withoutDerived(resource, given);
  const problems: Problem[] = [];
  const sound = checkFields(resource.args, args, "", problems);
  checkProfile(args.profile, host, problems);
  const { settings, programFolder: folder } = host;
  const known = Object.keys(previous).length > 0 ? previous : undefined;
  const checked = (await resource.check?.(sound, { previous: known, folder, settings, problems })) ?? sound;
  // Wrong arguments go back as they came. What stands in for them is an unknown, at which an up stops before it shows the problems.
  return { args: problems.length > 0 ? args : checked, problems };
}

/** Derived arguments come from `check` alone; a class may send a placeholder that carries the mark of a secret. */
function withoutDerived(resource: AnyResource, args: Properties): Properties {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !entryOf(resource.args, name)?.derived));
}

function checkProfile(profile: unknown, host: Host, problems: Problem[]): void {
  const isKnown = profile === undefined || typeof profile === "string";
  const problem = isKnown ? host.profileProblem(profile) : undefined;
  if (problem !== undefined) {
    const reason = profile === undefined ? "is missing" : "is not configured";
    problems.push({ path: "profile", reason: `${reason}. ${problem}` });
  }
}
