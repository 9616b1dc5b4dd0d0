import type { Input } from "@pulumi/pulumi";
import { all, CustomResource, Output, output, Resource } from "@pulumi/pulumi";
import { resourcesBehind, withResourcesOfComponents } from "../../engine/sdk";
import type { ArgSpecs } from "../../resources/args";
import { checkFields } from "../../resources/args";
import { shownText } from "../../service/errors/foreignText";
import type { Problem } from "../../values/kinds";
import { anything, boolean, describeValue, string } from "../../values/kinds";
import { ExtractionResource } from "../extractionResource";
import { ProgramError } from "../perProgram";

/**
 * Reads in a program. Each read has two forms: `getData(args, { plain: true })` takes plain values and returns a
 * promise. `getDataOutput(args)` takes outputs and returns an output, which is unknown in a preview while an argument
 * is unknown, or while a resource that it waits for is not made yet.
 *
 * In a preview, reads use only `accessToken` or `credentialCommand`, because a preview must not use up a refresh token.
 * Without either, the result is unknown, and one warning says so.
 *
 * There is no option `provider`: a dynamic provider has no instances. The credentials are chosen by `profile`.
 */
export interface FunctionOptions {
  /**
   * Whether the result is not a secret. Default false: the data of a service can contain anything. A promise requires
   * `true`.
   */
  plain?: boolean;
  /**
   * Name of a set of credentials in `webextract:profiles`. Default: the profile of `parent`, otherwise the top-level
   * credentials.
   */
  profile?: string;
  /**
   * The resource that the read belongs to, whose `profile` is the default. The form that returns an output also waits
   * until the parent is made. In a preview, give a `dependsOn` of the parent to the read too.
   */
  parent?: Resource;
}

/** Options of a form that returns an output. */
export interface FunctionOutputOptions extends FunctionOptions {
  /**
   * Resources that must be made before the read: `dependsOn: run` reads after the run. A component stands for all
   * resources in it. In a preview, the result is unknown while one of them is not made yet or will be replaced.
   * Resources whose outputs are among the arguments count too.
   */
  dependsOn?: Input<Input<Resource>[]> | Input<Resource>;
}

/** Options of a form that returns a promise. */
export type PlainOptions = FunctionOptions & {
  /** Required: a promise cannot be marked as a secret. */
  plain: true;
};

const specs: ArgSpecs = {
  plain: { kind: boolean },
  profile: { kind: string },
  parent: { kind: anything },
  dependsOn: { kind: anything },
};

/**
 * Adds a problem for each option that is unknown or has another type. Outputs and promises in `dependsOn` are checked
 * when they are known.
 */
export function checkOptions(options: object, problems: Problem[]): void {
  checkFields(specs, { ...options }, "options", problems);
  const { parent, dependsOn } = options as FunctionOutputOptions;
  const later = dependencies("options.dependsOn", dependsOn).filter(([, each]) => !isNotYetKnown(each));
  for (const [path, value] of [...dependencies("options.parent", parent), ...later]) {
    if (!Resource.isInstance(value)) {
      problems.push({ path, reason: `must be a resource; got ${describeValue(value)}` });
    }
  }
}

export function refuseProblems(who: string, problems: readonly Problem[]): void {
  if (problems.length > 0) {
    const list = problems.map(({ path, reason }) => `${path === "" ? "the argument" : path} ${reason}`).join("; ");
    throw new ProgramError(shownText(`${who}: ${list}. No request was sent.`));
  }
}

export function isNotYetKnown(value: unknown): boolean {
  return Output.isInstance(value) || value instanceof Promise;
}

function dependencies(path: string, value: unknown): [string, unknown][] {
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => dependencies(`${path}[${index}]`, each));
  }
  return value === undefined || value === null ? [] : [[path, value]];
}

/** The profile to read with. The profile of a parent can be an output. */
export function profileOf({ profile, parent }: FunctionOptions): Input<string | undefined> {
  return (
    profile ?? (parent instanceof ExtractionResource ? (parent.givenProfile() as Input<string | undefined>) : undefined)
  );
}

/** Unknown in a preview while one of the resources that must be made before a read is not made yet. */
export function madeBefore(
  args: Output<unknown>,
  { dependsOn, parent }: FunctionOutputOptions,
  who: string,
): Output<unknown> {
  const given = output(dependsOn) as unknown as Output<unknown>;
  const resources = given.apply(async (known): Promise<Resource[]> => {
    const problems: Problem[] = [];
    checkOptions({ dependsOn: known }, problems);
    refuseProblems(who, problems);
    const named = dependencies("", known).map(([, each]) => each as Resource);
    const first = [...(await resourcesBehind(args)), ...named];
    return [...(await withResourcesOfComponents(first)), ...(parent === undefined ? [] : [parent])];
  }) as unknown as Output<Resource[]>;
  // The id of a custom resource is unknown in a preview as long as the resource is not made.
  return resources.apply((known) => all(known.map((each) => (CustomResource.isInstance(each) ? each.id : each.urn))));
}
