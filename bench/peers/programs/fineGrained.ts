/** Three resources per task. */
import { TaskActionConfig, TaskCopy, TaskLoopItems } from "pulumi-webextract";
import { actionType, loopActionId, loopType, openActionId, template, workOfProgram } from "./work";

for (const { name, url, items } of workOfProgram()) {
  const copy = new TaskCopy(name, template);
  const actions = { [openActionId]: { actionType, properties: { Url: url } } };
  new TaskActionConfig(`${name}-open`, { taskId: copy.id, actions });
  new TaskLoopItems(`${name}-items`, { taskId: copy.id, actionId: loopActionId, loopType, items });
}
