import { setImmediate } from "node:timers";
import type { AnyResource } from "../../resources/index";
import { checkedArgs } from "../../resources/index";
import type { Problem } from "../../values/kinds";
import { isPlainMap, unknown } from "../../values/plain";
import { counted } from "../../values/words";
import { perProgram } from "../perProgram";
import { programConfig } from "../programConfig";

/**
 * The engine stops at the first resource whose arguments `check` refuses, and ends the program at once. So each
 * resource that the program finds invalid is sent with the problems of the others, and the first `check` that fails
 * shows them. A `check` that succeeds ignores them, because a transform can have changed the arguments, or `--target`
 * can exclude the others.
 */
const programProblems = perProgram(() => {
  // At that time, the program has declared all resources that it declares without waiting, and none is registered yet.
  const declared = new Promise<void>((resolve) => void setImmediate(resolve));
  return { resources: new Map<object, readonly string[]>(), declared };
});

const mostProblems = 20;

/** The problems of the program's other resources; undefined for a resource without a problem of its own. */
export function otherProblems(
  definition: AnyResource,
  title: string,
  args: object,
): Promise<string | undefined> | undefined {
  const own = problemsOf(definition, args);
  if (own.length === 0) {
    return undefined;
  }
  const { resources, declared } = programProblems();
  resources.set(
    own,
    own.map(({ path, reason }) => `${title}: ${path} ${reason}`),
  );
  return declared.then(() => {
    const others = [...resources].flatMap(([each, problems]) => (each === own ? [] : problems));
    const more = others.length > mostProblems ? [`and ${counted(others.length - mostProblems, "more problem")}`] : [];
    const shown = [...others.slice(0, mostProblems), ...more];
    return shown.length === 0 ? undefined : `Other resources have invalid arguments too:\n  ${shown.join("\n  ")}`;
  });
}

/** The problems that `check` finds without the values of outputs, the content of files, and the state. */
function problemsOf(definition: AnyResource, args: object): Problem[] {
  const problems: Problem[] = [];
  try {
    const { settings } = programConfig();
    const known = knownPart(args) as Record<string, unknown>;
    void Promise.resolve(checkedArgs(definition, known, { folder: process.cwd(), settings, problems })).catch(
      () => undefined,
    );
  } catch {
    // The check in the provider reports the error.
  }
  return problems.filter(({ stored }) => stored === undefined);
}

const mostItems = 100;
const onDisk = ["file", "itemsFile", "path", "schema"];

/**
 * The value with `unknown` in place of parts that the program does not know, that are on the disk, or that take long to
 * check.
 */
function knownPart(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.length > mostItems ? unknown : value.map(knownPart);
  }
  if (!isPlainMap(value)) {
    return typeof value === "object" && value !== null ? unknown : value;
  }
  const fields = Object.entries(value).map(([name, each]) => [name, onDisk.includes(name) ? unknown : knownPart(each)]);
  return Object.fromEntries(fields);
}
