/** One resource per task. */
import { ExtractionTask } from "pulumi-webextract";
import { actionType, loopActionId, loopType, openActionId, template, workOfProgram } from "./work";

for (const { name, url, items } of workOfProgram()) {
  new ExtractionTask(name, {
    from: template,
    actions: {
      [openActionId]: { actionType, properties: { Url: url } },
      [loopActionId]: { actionType: "LoopAction", loop: { loopType, items } },
    },
  });
}
