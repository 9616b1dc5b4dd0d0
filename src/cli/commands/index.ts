import type { CliCommand } from "../command";
import { doctor } from "./doctor";
import { exportRows } from "./export";
import { rows } from "./rows";
import { run } from "./run";
import { status } from "./status";
import { stop } from "./stop";
import { tokenImport } from "./tokenImport";
import { tokenRefresh } from "./tokenRefresh";
import { tokenStatus } from "./tokenStatus";

/** All commands, in the order of the help. */
export const commands: readonly CliCommand[] = [
  run,
  status,
  stop,
  rows,
  exportRows,
  doctor,
  tokenStatus,
  tokenRefresh,
  tokenImport,
];
