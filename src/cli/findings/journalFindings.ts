import { randomBytes } from "node:crypto";
import { open, realpath, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInside } from "../../resources/lists/allowedFile";
import { isHostedRunner } from "../../service/environment";
import { codeOf } from "../../service/files/privateFile";
import type { Finding } from "./findings";
import { folderFinding, good, nearestExisting, problem, warning } from "./findings";

/**
 * Whether the journal is on and lasts, and with it, whether the engine may skip its checkpoints: then only the journal holds what a killed
 * command made.
 * @param journal its folder; undefined if it is switched off
 */
export async function journalFindings(journal: string | undefined, skipsCheckpoints: boolean): Promise<Finding[]> {
  const found = journal === undefined ? switchedOff : await lookAt(journal);
  return [found, checkpointsFinding(found.is === "good", skipsCheckpoints)];
}

const switchedOff = warning(
  "journal",
  "switched off",
  "Without it, a killed pulumi up may copy or start twice. Remove webextract:journal.",
);

async function lookAt(folder: string): Promise<Finding> {
  const found = await folderFinding("journal", folder, "journal");
  if (found.is !== "good") {
    return found;
  }
  const existing = await realpath(await nearestExisting(folder));
  const unsafe = await syncProblem(existing);
  if (unsafe !== undefined) {
    return problem(
      "journal",
      `${existing} cannot keep a file safely: ${unsafe}`,
      "Free space there, or set journal to a folder on a local disk.",
    );
  }
  const why = await whyItMayNotLast(existing);
  return why === undefined
    ? found
    : warning(
        "journal",
        `${folder} may not last: ${why}`,
        "If this machine is lost together with the folder, the next up may copy or start again. Set webextract:journal or WEBEXTRACT_JOURNAL to a folder that stays, such as a mounted disk.",
      );
}

function checkpointsFinding(journalLasts: boolean, skipped: boolean): Finding {
  const check = "checkpoints";
  if (!skipped) {
    const advice = journalLasts
      ? "The journal lasts, so a large stack can skip them with PULUMI_SKIP_CHECKPOINTS=true"
      : "Do not skip them here, because the journal may not last";
    return good(check, `saved at each step. ${advice}`);
  }
  return journalLasts
    ? good(check, "skipped. The journal holds what a killed command made")
    : problem(
        check,
        "skipped, and the journal may not last: a killed command can lose everything that it made",
        "Unset PULUMI_SKIP_CHECKPOINTS, or set webextract:journal to a folder that lasts.",
      );
}

/** Writes a file to the disk, as the journal does. */
async function syncProblem(folder: string): Promise<string | undefined> {
  const path = join(folder, `.webextract-${randomBytes(4).toString("hex")}.tmp`);
  try {
    const handle = await open(path, "wx", 0o600);
    try {
      await handle.writeFile("doctor\n");
      await handle.sync();
    } finally {
      await handle.close();
    }
    return undefined;
  } catch (error) {
    return `a test file was not written (${codeOf(error)})`;
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
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
  const type = await statfs(folder).then(
    (found) => found.type,
    () => undefined,
  );
  const passing = process.platform === "linux" && type !== undefined ? passingFileSystems.get(type) : undefined;
  return passing ?? (isHostedRunner() ? "it is on a hosted CI runner, whose disk is lost after the job" : undefined);
}
