import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Project } from "../../test/realEngine/harness";
import { credentials } from "../stage/emulatorProcess";
import type { Peer, PeerStack, StackOptions } from "./peer";
import type { Work } from "./programs/work";

const programs = join(__dirname, "programs");

/** Matches the Node.js process that runs a program, but not the shell that starts it. */
const programProcess = /^\S*node\S* .*\/cmd\/run(?:\/|\s|$)/;

export interface PulumiPeer extends Pick<Peer, "name" | "summary"> {
  /** File in `programs`, in TypeScript. */
  program: string;
  missing?: Peer["missing"];
  works?: boolean;
  findsChanges?: boolean;
  survivesLoss?: boolean;
}

/** A peer that is a Pulumi program. All use the same language and settings: no type check, no preview before the up. */
export function pulumiPeer(peer: PulumiPeer): Peer {
  return {
    name: peer.name,
    summary: peer.summary,
    missing: peer.missing ?? (() => undefined),
    works: peer.works ?? true,
    findsChanges: peer.findsChanges ?? false,
    survivesLoss: peer.survivesLoss ?? false,
    program: programProcess,
    open: (options) => openStack(peer.program, options),
  };
}

async function openStack(program: string, { tasks, service, requestsPerSecond }: StackOptions): Promise<PeerStack> {
  const workOf = (revision: number): string => JSON.stringify({ tasks, revision } satisfies Work);
  const project = await Project.create({
    files: {
      "Pulumi.yaml": "name: test\nruntime: nodejs\n",
      "package.json": JSON.stringify({ name: "test", private: true }),
      "index.ts": readFileSync(join(programs, `${program}.ts`), "utf8"),
      "work.ts": readFileSync(join(programs, "work.ts"), "utf8"),
      "nothing.ts": readFileSync(join(programs, "nothing.ts"), "utf8"),
      "declared.json": workOf(0),
    },
    link: ["typescript", "axios"],
    config: {
      "webextract:baseUrl": service.url,
      "webextract:actionTypes": "LoopAction,NavigateAction",
      ...(requestsPerSecond === undefined ? {} : { "webextract:requestsPerSecond": String(requestsPerSecond) }),
    },
    secrets: { "webextract:accessToken": credentials.accessToken },
    env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
  });
  return {
    declare: (revision) => project.write("declared.json", workOf(revision)),
    up: () => project.up(),
    refresh: () => project.refresh(),
    destroy: () => project.destroy(),
    state() {
      const resources = project.state().resources.filter(({ type }) => !/^pulumi:/.test(type));
      return {
        bytes: statSync(project.stateFile).size,
        resources: resources.length,
        bytesOfResources: Buffer.byteLength(JSON.stringify(resources)),
      };
    },
    stateHolds: (text) => readFileSync(project.stateFile, "utf8").includes(text),
    remove: () => project.remove(),
  };
}
