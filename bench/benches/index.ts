import type { Bench } from "../figure";
import { compareRows } from "./compare/compareRows";
import { exportFormats, exportParquet } from "./exports/exportFormats";
import { exportChecks, exportPeers, exportRows } from "./exports/exportRows";
import { exportS3 } from "./exports/exportS3";
import { fleet } from "./fleet";
import { manifests } from "./manifests";
import { pluginStart } from "./plugin/start";
import { pluginWays } from "./plugin/ways";
import { providerHost } from "./providerHost";
import { shards } from "./shards";
import { sharedStore } from "./sharedStore";

/** All benches, in the order in which they run. */
export const benches: readonly Bench[] = [
  manifests,
  providerHost,
  pluginStart,
  pluginWays,
  exportRows,
  exportChecks,
  exportPeers,
  exportFormats,
  exportParquet,
  exportS3,
  compareRows,
  fleet,
  shards,
  sharedStore,
];
