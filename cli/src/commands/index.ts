// biome-ignore-all lint/style/noCommonJs: most commands load much code that the others do not need

import { entryOf } from "../../../src/values/plain";
import type { CliCommand } from "../command";
import { completion } from "./completion";

/** All commands by their first word, in the order of the help. */
const byFirstWord: Readonly<Record<string, () => readonly CliCommand[]>> = {
  run: () => [(require("./run") as typeof import("./run")).run],
  status: () => [(require("./subtasks") as typeof import("./subtasks")).status],
  stop: () => [(require("./subtasks") as typeof import("./subtasks")).stop],
  rows: () => [(require("./rows") as typeof import("./rows")).rows],
  export: () => [(require("./export") as typeof import("./export")).exportRows],
  list: () => [(require("./list") as typeof import("./list")).list],
  compare: () => [(require("../compare/compareCommand") as typeof import("../compare/compareCommand")).compareCommand],
  actions: () => [(require("../adopt/actionsCommand") as typeof import("../adopt/actionsCommand")).actionsCommand],
  adopt: () => [(require("../adopt/adoptCommand") as typeof import("../adopt/adoptCommand")).adoptCommand],
  validate: () => [(require("./validate") as typeof import("./validate")).validate],
  rename: () => [(require("./rename") as typeof import("./rename")).rename],
  "plan-report": () => {
    const { planReportCommand } =
      require("../planReport/planReportCommand") as typeof import("../planReport/planReportCommand");
    return [planReportCommand];
  },
  review: () => [(require("../review/reviewCommand") as typeof import("../review/reviewCommand")).reviewCommand],
  migrate: () => [(require("../migrate/migrateCommand") as typeof import("../migrate/migrateCommand")).migrateCommand],
  doctor: () => [(require("../doctor/doctorCommand") as typeof import("../doctor/doctorCommand")).doctorCommand],
  probe: () => [(require("../probe/probeCommand") as typeof import("../probe/probeCommand")).probeCommand],
  journal: () => {
    const { journalList, journalResolve, journalMove } = require("./journal") as typeof import("./journal");
    return [journalList, journalResolve, journalMove];
  },
  token: () => {
    const { tokenStatus, tokenRefresh, tokenImport, tokenMove } = require("./token") as typeof import("./token");
    return [tokenStatus, tokenRefresh, tokenImport, tokenMove];
  },
  completion: () => [completion(allCommands)],
};

export function allCommands(): CliCommand[] {
  return Object.values(byFirstWord).flatMap((load) => load());
}

/** The commands that a command line can mean. Only they are loaded: the help needs all of them. */
export function commandsFor([first = ""]: readonly string[]): readonly CliCommand[] {
  return entryOf(byFirstWord, first)?.() ?? allCommands();
}
