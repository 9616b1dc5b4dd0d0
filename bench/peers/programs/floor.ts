/** One resource per task, which does nothing. */

import { Nothing } from "./nothing";
import { workOfProgram } from "./work";

for (const { name } of workOfProgram()) {
  new Nothing(name);
}
