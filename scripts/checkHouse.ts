import { engineFitsSdk, operationsAreComplete, resourcesAreComplete } from "./house/completeness";
import { expressionsAreLinear } from "./house/expressions";
import { importsGoOneWay, pulumiStaysInTheFront } from "./house/imports";
import type { Rule } from "./house/source";
import { readHouse } from "./house/source";
import {
  environmentStaysInConfig,
  everyTestRuns,
  filesHaveNames,
  filesStaySmall,
  nothingIsLeftForLater,
  statusCodesStayInErrors,
} from "./house/wording";

/** The rules of this house that no public tool knows. Each has a test that shows it broken. */
const rules: readonly Rule[] = [
  importsGoOneWay,
  pulumiStaysInTheFront,
  environmentStaysInConfig,
  statusCodesStayInErrors,
  operationsAreComplete,
  resourcesAreComplete,
  engineFitsSdk,
  expressionsAreLinear,
  filesStaySmall,
  filesHaveNames,
  nothingIsLeftForLater,
  everyTestRuns,
];

/** What in the project at `root` breaks the house's rules, one line each. */
export function checkHouse(root: string): string[] {
  const house = readHouse(root);
  return rules.flatMap((rule) => rule(house));
}
