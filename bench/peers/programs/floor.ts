/** One resource a task that does nothing. */
import { workOfProgram } from "./work";
import { Nothing } from "./nothing";

for (const { name } of workOfProgram()) {
  new Nothing(name);
}
