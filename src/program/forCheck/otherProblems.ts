import { setImmediate } from "node:timers";
import type { CustomResourceOptions } from "@pulumi/pulumi";
import { Output, runtime } from "@pulumi/pulumi";
import { hasTransforms, transformsResources } from "../../engine/sdk/transforms";
import type { ArgSpecs, Problem, Shape } from "../../resources/args";
import { checkFields } from "../../resources/args";
import type { AnyResource } from "../../resources/index";
import { entryOf, isPlainMap, unknown } from "../../resources/values";
import { perProgram } from "../perProgram";
import { programConfig } from "../programConfig";
import { isMocked } from "../providerText";

/**
 * The engine stops at the first resource whose arguments `check` refuses, and ends the program at once. So each resource that the program
 * finds invalid is sent with the problems of the others, and the first `check` that fails shows them. A `check` that succeeds ignores them,
 * because a transform can have changed the arguments, or `--target` can exclude the others. So a preview fails only if a `check` fails.
 *
 * The program sees plain values. It does not see outputs, files, lists of more than 100 items, resources that are declared after the
 * program has waited for something, and resources with transforms or `ignoreChanges`, whose arguments can change before `check`.
 */
interface Invalid {
  title: string;
  problems: readonly Problem[];
}

const mostItems = 100;
const mostProblems = 20;

const programProblems = perProgram(() => {
  const resources: Invalid[] = [];
  // At that time, the program has declared all resources that it declares without waiting, and none is registered yet.
  const declared = new Promise<void>((resolve) => void setImmediate(resolve));
  return { resources, declared };
});

/** The problems of the program's other resources; undefined for a resource without a problem of its own. */
export function otherProblems(
  definition: AnyResource,
  title: string,
  args: Readonly<Record<string, unknown>>,
  opts: CustomResourceOptions | undefined,
): Promise<string | undefined> | undefined {
  if (isMocked() || opts?.id !== undefined || opts?.urn !== undefined) {
    return undefined;
  }
  if ((opts?.ignoreChanges?.length ?? 0) > 0 || hasTransforms(opts, runtime.getStackResource())) {
    return undefined;
  }
  const own: Invalid = { title, problems: problemsOf(definition, args) };
  if (own.problems.length === 0) {
    return undefined;
  }
  const { resources, declared } = programProblems();
  resources.push(own);
  return declared.then(() =>
    transformsResources() ? undefined : describeOthers(resources.filter((each) => each !== own)),
  );
}

/** The problems that `check` finds. Asynchronous checks add theirs later. */
function problemsOf(definition: AnyResource, args: Readonly<Record<string, unknown>>): Problem[] {
  const problems: Problem[] = [];
  const known = knownFields(definition.args, args);
  const sound = checkFields(definition.args, known, "", problems);
  try {
    const { settings } = programConfig();
    const checking = definition.check?.(sound, { folder: process.cwd(), settings, problems });
    void Promise.resolve(checking).catch(() => undefined);
  } catch {
    // The check in the provider reports the error.
  }
  return problems;
}

function knownFields(specs: ArgSpecs, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = Object.entries(args).map(([name, value]) => {
    const spec = entryOf(specs, name);
    const isOnDisk = spec?.isFile === true && typeof value === "string" && value !== "";
    return [name, isOnDisk ? unknown : knownValue(spec?.kind, value)] as const;
  });
  return Object.fromEntries(fields);
}

/** The value with `unknown` in place of parts that the program does not know or that take long to check. */
function knownValue(shape: Shape | undefined, value: unknown): unknown {
  if (Array.isArray(value)) {
    const of = shape?.is === "list" ? shape.of : undefined;
    return value.length > mostItems ? unknown : value.map((each) => knownValue(of, each));
  }
  if (isPlainMap(value)) {
    return shape?.is === "object"
      ? knownFields(shape.fields, value)
      : Object.fromEntries(
          Object.entries(value).map(([key, each]) => [
            key,
            knownValue(shape?.is === "map" ? shape.of : undefined, each),
          ]),
        );
  }
  const isPlain = (typeof value !== "object" && typeof value !== "function") || value === null;
  return isPlain && !Output.isInstance(value) ? value : unknown;
}

function describeOthers(others: readonly Invalid[]): string | undefined {
  if (others.length === 0) {
    return undefined;
  }
  const all = others.flatMap(({ title, problems }) =>
    problems.map(({ path, reason }) => `${title}: ${path} ${reason}`),
  );
  const more = all.length - mostProblems;
  const shown = more > 0 ? [...all.slice(0, mostProblems), `and ${more} more problems`] : all;
  const count = others.length === 1 ? "Another resource is" : `${others.length} other resources are`;
  return `${count} declared with invalid arguments:\n  ${shown.join("\n  ")}`;
}
