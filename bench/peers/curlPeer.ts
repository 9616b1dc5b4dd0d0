import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { credentials } from "../stage/emulatorProcess";
import { missingPrograms } from "./onPath";
import type { Peer, PeerStack, StackOptions } from "./peer";
import type { Work } from "./programs/work";
import {
  actionType,
  declaredTasks,
  loopActionId,
  loopType,
  openActionId,
  propertyName,
  template,
} from "./programs/work";

const script = join(__dirname, "programs", "curl.sh");

/** A script with curl and jq, as for a CI job. Its state is the file with the ids of the copies. */
export const curlPeer: Peer = {
  name: "curl",
  summary: "a script with curl and jq that keeps the ids of the copies in a file",
  missing: () => missingPrograms("bash", "curl", "jq", "xargs"),
  works: true,
  findsChanges: false,
  survivesLoss: false,
  open: openStack,
};

async function openStack({ tasks, service }: StackOptions): Promise<PeerStack> {
  const folder = mkdtempSync(join(tmpdir(), "webextract-curl-"));
  const ids = join(folder, "ids.tsv");
  const declare = (revision: number): void =>
    writeFileSync(join(folder, "declared.json"), JSON.stringify({ template, tasks: settingsOf({ tasks, revision }) }));
  declare(0);
  const run = (command: "apply" | "destroy"): Promise<unknown> =>
    promisify(execFile)(script, [command], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        TMPDIR: folder,
        BASE: service.url,
        TOKEN: credentials.accessToken,
      },
    });
  return {
    declare,
    up: () => run("apply"),
    destroy: () => run("destroy"),
    state() {
      const text = readFileSync(ids, "utf8");
      const bytes = Buffer.byteLength(text);
      return { bytes, resources: text.trim().split("\n").length, bytesOfResources: bytes };
    },
    stateHolds: (text) => readFileSync(ids, "utf8").includes(text),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The bodies of the script's requests, without the task. */
function settingsOf(work: Work): object[] {
  return declaredTasks(work).map(({ name, url, items }) => ({
    name,
    properties: {
      actions: [{ actionType, actionId: openActionId, properties: [{ name: propertyName, value: url }] }],
    },
    loop: { actionId: loopActionId, loopType, loopItems: items, isAppend: false },
  }));
}
