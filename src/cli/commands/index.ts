import { actionsCommand } from "../adopt/actionsCommand";
import { adoptCommand } from "../adopt/adoptCommand";
import type { CliCommand } from "../command";
import { compareCommand } from "../compare/compareCommand";
import { migrateCommand } from "../migrate/migrateCommand";
import { planReportCommand } from "../planReport/planReportCommand";
import { probeCommand } from "../probe/probeCommand";
import { reviewCommand } from "../review/reviewCommand";
import { completion } from "./completion";
import { doctor } from "./doctor";
import { exportRows } from "./export";
import { list } from "./list";
import { rename } from "./rename";
import { rows } from "./rows";
import { run } from "./run";
import { status, stop } from "./subtasks";
import { tokenImport, tokenRefresh, tokenStatus } from "./token";
import { validate } from "./validate";

/** All commands, in the order of the help. */
export const commands: readonly CliCommand[] = [
  run,
  status,
  stop,
  rows,
  exportRows,
  list,
  compareCommand,
  actionsCommand,
  adoptCommand,
  validate,
  rename,
  planReportCommand,
  reviewCommand,
  migrateCommand,
  doctor,
  probeCommand,
  tokenStatus,
  tokenRefresh,
  tokenImport,
  completion(() => commands),
];
