/** One resource per task, which does nothing but holds the same content as an ExtractionTask. Shows what the engine needs to save it. */
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
