/** One resource a task that does nothing, but holds what ours holds: what the engine takes for keeping it. */
import { Nothing } from "./nothing";
import { loopType, template, workOfProgram } from "./work";

for (const { name, url, items } of workOfProgram()) {
  new Nothing(name, { ...template, url, loopType, items: items.join("\n") });
}
