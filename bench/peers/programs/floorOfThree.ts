/** Three resources per task, which do nothing. */

import { Nothing } from "./nothing";
import { workOfProgram } from "./work";

for (const { name } of workOfProgram()) {
  const copy = new Nothing(name);
  new Nothing(`${name}-open`, { taskId: copy.id });
  new Nothing(`${name}-items`, { taskId: copy.id });
}
