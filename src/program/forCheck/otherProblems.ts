import { setImmediate } from "node:timers";
import type { ArgSpec, Problem, Shape } from "../../resources/args";
import { checkFields, object } from "../../resources/args";
import type { AnyResource } from "../../resources/index";
import { counted, entryOf, isPlainMap, unknown } from "../../resources/values";
import { perProgram } from "../perProgram";
import { programConfig } from "../programConfig";

/**
 * The engine stops at the first resource whose arguments `check` refuses, and ends the program at once. So each resource that the program
 * finds invalid is sent with the problems of the others, and the first `check` that fails shows them. A `check` that succeeds ignores them,
 * because a transform can have changed the arguments, or `--target` can exclude the others. So a preview fails only if a `check` fails.
 *
 * The program sees plain values. It does not see outputs, files, lists of more than 100 items, and resources that are declared after the
 * program has waited for something.
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
): Promise<string | undefined> | undefined {
  const own: Invalid = { title, problems: problemsOf(definition, args) };
  if (own.problems.length === 0) {
    return undefined;
  }
  const { resources, declared } = programProblems();
  resources.push(own);
  return declared.then(() => describeOthers(resources.filter((each) => each !== own)));
}

/** The problems that `check` finds. Asynchronous checks add theirs later. */
function problemsOf(definition: AnyResource, args: Readonly<Record<string, unknown>>): Problem[] {
  const problems: Problem[] = [];
  const known = knownPart(object(definition.args), args) as Record<string, unknown>;
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

/** The value with `unknown` in place of parts that the program does not know, that are on the disk, or that take long to check. */
function knownPart(shape: Shape | undefined, value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.length > mostItems ? unknown : value.map((each) => knownPart(undefined, each));
  }
  if (!isPlainMap(value)) {
    return typeof value === "object" && value !== null ? unknown : value;
  }
  const fields = Object.entries(value).map(([name, each]) => {
    const spec: ArgSpec | undefined = shape?.is === "object" ? entryOf(shape.fields, name) : undefined;
    const isOnDisk = spec?.isFile === true && typeof each === "string" && each !== "";
    return [name, isOnDisk ? unknown : knownPart(shape?.is === "map" ? shape.of : spec?.kind, each)];
  });
  return Object.fromEntries(fields);
}

function describeOthers(others: readonly Invalid[]): string | undefined {
  const all = others.flatMap(({ title, problems }) =>
    problems.map(({ path, reason }) => `${title}: ${path} ${reason}`),
  );
  if (all.length === 0) {
    return undefined;
  }
  const more = all.length - mostProblems;
  const shown = more > 0 ? [...all.slice(0, mostProblems), `and ${counted(more, "more problem")}`] : all;
  return `Other resources have invalid arguments too:\n  ${shown.join("\n  ")}`;
}
