import { stringify } from "yaml";
import type { Work } from "./work";
import { actionType, declaredTasks, loopActionId, loopType, openActionId, propertyName, template } from "./work";

/** The work as a program in YAML, one resource per task. */
export function yamlProgram(work: Work): string {
  const resources = declaredTasks(work).map(({ name, url, items }) => [
    name,
    {
      type: "webextract:ExtractionTask",
      properties: {
        from: template,
        actions: {
          [openActionId]: { actionType, properties: { [propertyName]: url } },
          [loopActionId]: { actionType: "LoopAction", loop: { loopType, items } },
        },
      },
    },
  ]);
  return stringify({ resources: Object.fromEntries(resources) }, { aliasDuplicateObjects: false });
}
