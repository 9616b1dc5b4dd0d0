/** One resource a task that does nothing, but holds what an ExtractionTask holds: what the engine takes for keeping it. */
import { Nothing } from "./nothing";
import { actionType, loopActionId, loopType, openActionId, template, workOfProgram } from "./work";

for (const { name, url, items } of workOfProgram()) {
  new Nothing(name, {
    from: template,
    actions: {
      [openActionId]: { actionType, properties: { Url: url } },
      [loopActionId]: { actionType: "LoopAction", loop: { loopType, items: items.join("\n") } },
    },
  });
}
