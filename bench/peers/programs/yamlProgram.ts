import { stringify } from "yaml";
import type { Work } from "./work";
import { actionType, loopActionId, loopType, openActionId, propertyName, tasksOfWork, template } from "./work";

/** The work as a program in YAML, one resource per task. */
export function yamlProgram(work: Work): string {
  const resources = argsByName(work).map(([name, properties]) => [
    name,
    { type: "webextract:ExtractionTask", properties },
  ]);
  return stringify({ resources: Object.fromEntries(resources) }, { aliasDuplicateObjects: false });
}

/** A program in YAML that reads {@link manifestFiles}. */
export const manifestProgram = stringify({
  resources: { tasks: { type: "webextract:Manifest", properties: { path: "tasks" } } },
});

/** The work as manifests, one file per task. */
export function manifestFiles(work: Work): Record<string, string> {
  const files = argsByName(work).map(([name, args]) => [`tasks/${name}.yaml`, stringify(args)]);
  return Object.fromEntries(files);
}

function argsByName(work: Work): [name: string, args: object][] {
  return tasksOfWork(work).map(({ name, url, items }) => [
    name,
    {
      from: template,
      actions: {
        [openActionId]: { actionType, properties: { [propertyName]: url } },
        [loopActionId]: { actionType: "LoopAction", loop: { loopType, items } },
      },
    },
  ]);
}
