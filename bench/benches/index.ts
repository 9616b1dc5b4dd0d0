import type { Bench } from "../figure";
import { deadlines } from "./deadlines";
import { emulatorPages, emulatorRequests, emulatorRows, emulatorStart } from "./emulator";
import { exportAlone, exportChecks, exportPeers, exportRows } from "./exportRows";
import { exportS3 } from "./exportS3";
import { fleet } from "./fleet";
import { load } from "./load";
import { manifests } from "./manifests";
import { npmStart } from "./npmStart";
import { providerHost } from "./providerHost";
import { shards } from "./shards";
import { upload, uploadAlone } from "./upload";

/** All benches, in the order in which they run. */
export const benches: readonly Bench[] = [
  emulatorStart,
  emulatorRequests,
  emulatorRows,
  emulatorPages,
  deadlines,
  npmStart,
  manifests,
  providerHost,
  load,
  upload,
  uploadAlone,
  exportRows,
  exportAlone,
  exportChecks,
  exportPeers,
  exportS3,
  fleet,
  shards,
];
