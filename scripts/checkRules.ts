import { engineFitsSdk, operationsAreComplete, resourcesAreComplete } from "./rules/completeness";
import { expressionsAreLinear } from "./rules/expressions";
import {
  bundledModulesHaveNoFolder,
  foldersStaySmall,
  namesSaySomething,
  nothingIsLeftForLater,
  partsKeepTheirBudgets,
} from "./rules/files";
import {
  importsFollowTheOrder,
  importsKeepTheWalls,
  packagesStayInTheirRooms,
  partsUseTheDoors,
  srcHoldsWhatEntriesReach,
} from "./rules/imports";
import { linksResolve, namedModulesExist, pagesOfMessagesExist } from "./rules/links";
import type { Rule } from "./rules/project";
import { readProject } from "./rules/project";

/** The project's rules that the linter does not have. The other rules are in biome.json. A test breaks each rule. */
const rules: readonly Rule[] = [
  importsKeepTheWalls,
  packagesStayInTheirRooms,
  partsUseTheDoors,
  srcHoldsWhatEntriesReach,
  importsFollowTheOrder,
  partsKeepTheirBudgets,
  operationsAreComplete,
  resourcesAreComplete,
  engineFitsSdk,
  expressionsAreLinear,
  bundledModulesHaveNoFolder,
  foldersStaySmall,
  namesSaySomething,
  nothingIsLeftForLater,
  linksResolve,
  namedModulesExist,
  pagesOfMessagesExist,
];

/** The violations of all rules in the project at `root`, one line each. */
export async function checkRules(root: string): Promise<string[]> {
  const project = readProject(root);
  return (await Promise.all(rules.map((rule) => rule(project)))).flat();
}
