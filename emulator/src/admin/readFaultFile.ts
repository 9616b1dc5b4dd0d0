import { checkArgument } from "../accounts/adminContract";
import { isBehaviourName } from "../behaviour";
import { messageOf, Refusal } from "../errors";
import type { Fault, FaultFile } from "../faults/faults";
import { checkFault } from "../faults/faults";
import type { PlaceOf } from "../store/yamlFile";
import { readYamlFile } from "../store/yamlFile";

/** Reads a file of faults and behaviours, in YAML or JSON. @throws Error with the places of its problems. */
export function readFaultFile(file: string): FaultFile {
  const { value, placeOf } = readYamlFile(file);
  const problems = problemsOfForm(value);
  const shown = problems
    .map((problem) => withPlace(problem, placeOf))
    .concat(impossibleFaults(value, problems, placeOf));
  if (shown.length > 0) throw new Error(shown.join("; "));
  const { behaviour, faults = [] } = value as FaultFile;
  return { ...(behaviour === undefined ? {} : { behaviour }), faults };
}

/** Each begins with the path of what is wrong. */
function problemsOfForm(value: unknown): string[] {
  try {
    checkArgument("setFaults", value);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message.split("; ");
  }
}

function withPlace(problem: string, placeOf: PlaceOf): string {
  const [path = ""] = problem.split(" ");
  const isUnknown = problem.endsWith(" is not known");
  const place = placeOf(path.split("."), isUnknown ? "key" : "value");
  const advice = isUnknown && isBehaviourName(path) ? " here: indent it below a line behaviour:" : "";
  return `${place === undefined ? "" : `${place}: `}${problem}${advice}`;
}

/** The faults of the right form that cannot happen. */
function impossibleFaults(value: unknown, problems: readonly string[], placeOf: PlaceOf): string[] {
  const { faults } = value as { faults?: unknown };
  if (!Array.isArray(faults)) return [];
  return faults.flatMap((fault: Fault, index) => {
    const path = `faults.${index}`;
    if (problems.some((problem) => problem.startsWith(`${path}.`) || problem.startsWith(`${path} `))) return [];
    try {
      checkFault(fault);
      return [];
    } catch (error) {
      const place = placeOf(["faults", String(index)]);
      return [`${place === undefined ? path : `${place}: ${path}`}: ${messageOf(error)}`];
    }
  });
}
