import { realpath, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isInside } from "../../../src/resources/lists/allowedFile";
import { isHostedRunner } from "../../../src/service/environment";
import type { StoreSettings } from "../../../src/store/objectStore";
import { isStoreAddress } from "../../../src/store/storeAddress";
import type { Finding } from "./findings";
import { folderFinding, good, nearestExisting, problem, warning } from "./findings";

/**
 * Whether the journal is on and lasts, and with it, whether the engine may skip its checkpoints: then only the journal
 * holds what a killed command made.
 * @param journalFolder of the journal; undefined if it is switched off
 */
export async function journalFindings(
  journalFolder: string | undefined,
  skipsCheckpoints: boolean,
  settings: StoreSettings,
): Promise<Finding[]> {
  const found = journalFolder === undefined ? switchedOff : await lookAt(journalFolder, settings);
  const lasts = found.is === "good";
  if (skipsCheckpoints && !lasts) {
    const remedy = "Unset PULUMI_SKIP_CHECKPOINTS, or set webextract:journal to a folder that lasts.";
    return [found, problem("checkpoints", "skipped, and the journal may not last", remedy)];
  }
  const advice = lasts
    ? "The journal lasts, so a large stack can skip them with PULUMI_SKIP_CHECKPOINTS=true"
    : "Do not skip them here, because the journal may not last";
  return [
    found,
    good("checkpoints", skipsCheckpoints ? "skipped. The journal lasts" : `saved at each step. ${advice}`),
  ];
}

const switchedOff = warning(
  "journal",
  "switched off",
  "Without it, a killed pulumi up may copy or start twice. Remove webextract:journal.",
);

async function lookAt(folder: string, settings: StoreSettings): Promise<Finding> {
  const found = await folderFinding("journal", folder, "journal", settings);
  if (found.is !== "good" || isStoreAddress(folder)) {
    return found;
  }
  const why = await whyItMayNotLast(await realpath(nearestExisting(folder)));
  return why === undefined
    ? found
    : warning(
        "journal",
        `${folder} may not last: ${why}`,
        "If this machine is lost together with the folder, the next up may copy or start again. Set webextract:journal or WEBEXTRACT_JOURNAL to a folder that stays, such as a mounted disk.",
      );
}

/** File systems of Linux whose files do not outlive the machine or the container, by their type in `statfs`. */
const passingFileSystems = new Map([
  [0x01021994, "it is in memory (tmpfs)"],
  [0x794c7630, "it is in the layer of a container (overlay), not on a mounted volume"],
]);

/** As far as this can be seen. */
async function whyItMayNotLast(folder: string): Promise<string | undefined> {
  if ([tmpdir(), "/tmp", "/var/tmp"].some((place) => isInside(folder, place))) {
    return "it is in a folder for temporary files";
  }
  const passing = process.platform === "linux" ? passingFileSystems.get((await statfs(folder)).type) : undefined;
  return passing ?? (isHostedRunner() ? "it is on a hosted CI runner, whose disk is lost after the job" : undefined);
}
