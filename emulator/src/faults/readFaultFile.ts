import { checkArgument } from "../admin/adminCheck";
import { Refusal } from "../errors";
import { readYamlFile } from "../store/yamlFile";
import type { FaultFile } from "./faults";
import { checkFault } from "./faults";

/** Reads a file of faults and behaviours, in YAML or JSON. @throws Error with the places of its problems. */
export function readFaultFile(file: string): FaultFile {
  const { value, placeOf } = readYamlFile(file);
  try {
    checkArgument("setFaults", value);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const problems = error.message.split("; ").map((problem) => {
      const [path = ""] = problem.split(" ");
      const place = placeOf(path.split("."));
      return place === undefined ? problem : `${place}: ${problem}`;
    });
    throw new Error(problems.join("; "));
  }
  const { behaviour, faults = [] } = value as FaultFile;
  for (const [index, fault] of faults.entries()) {
    try {
      checkFault(fault);
    } catch (error) {
      const place = placeOf(["faults", String(index)]);
      const where = place === undefined ? `faults.${index}` : `${place}: faults.${index}`;
      throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { ...(behaviour === undefined ? {} : { behaviour }), faults };
}
