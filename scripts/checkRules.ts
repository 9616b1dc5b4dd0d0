import { engineFitsSdk, operationsAreComplete, resourcesAreComplete } from "./rules/completeness";
import { expressionsAreLinear } from "./rules/expressions";
import { foldersStaySmall, namesSaySomething, nothingIsLeftForLater, statusCodesStayInErrors } from "./rules/files";
import { linksResolve } from "./rules/links";
import type { Rule } from "./rules/project";
import { readProject } from "./rules/project";

/** The project's own rules, for which no linter has one: the others are in biome.json. Each has a test that breaks it. */
const rules: readonly Rule[] = [
  statusCodesStayInErrors,
  operationsAreComplete,
  resourcesAreComplete,
  engineFitsSdk,
  expressionsAreLinear,
  foldersStaySmall,
  namesSaySomething,
  nothingIsLeftForLater,
  linksResolve,
];

/** What breaks a rule in the project at `root`, one line each. */
export function checkRules(root: string): string[] {
  const project = readProject(root);
  return rules.flatMap((rule) => rule(project));
}
