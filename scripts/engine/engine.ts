import { delimiter, dirname } from "node:path";

/** The engine that is installed or built where none is found. Equal to the version of the SDK that the package is developed against. */
export const engineVersion = "3.248.0";

/** The oldest engine that is taken from PATH: it answers everything that the oldest supported SDK asks. */
export const oldestEngine = "3.216.0";

const windows = process.platform === "win32";

/** What has to lie together: the program, the host that runs Node.js programs, and what starts the host of dynamic resources. */
export const engineFiles = {
  pulumi: windows ? "pulumi.exe" : "pulumi",
  languageHost: windows ? "pulumi-language-nodejs.exe" : "pulumi-language-nodejs",
  dynamicHost: windows ? "pulumi-resource-pulumi-nodejs.cmd" : "pulumi-resource-pulumi-nodejs",
} as const;

/**
 * What starts a policy pack for a language host that cannot: the one that is built here is older than that. The engine looks for it where the
 * pack's `runtime` is `node`, which is no language.
 */
export const policyStarter = windows ? "pulumi-analyzer-policy-node.cmd" : "pulumi-analyzer-policy-node";

/** Where an engine was found, or what made it. */
export type EngineSource = "PATH" | "cache" | "installer" | "go";

/** An engine that is ready to run. */
export interface Engine {
  readonly source: EngineSource;
  readonly version: string;
  /** Absolute path of the `pulumi` program. */
  readonly pulumi: string;
  /** An environment to start it with: the caller's, with the engine's folder first on PATH and no update check. */
  readonly env: NodeJS.ProcessEnv;
}

/** One way to an engine found nothing, or did not work. The text says why, and is read by a person. */
export class NoEngine extends Error {
  override readonly name = "NoEngine";
}

/** Describes an engine whose program lies at `pulumi`. */
export function engineAt(
  pulumi: string,
  source: EngineSource,
  version: string,
  environment: NodeJS.ProcessEnv,
): Engine {
  return { source, version, pulumi, env: environmentOf(dirname(pulumi), environment) };
}

function environmentOf(folder: string, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...environment,
    PATH: [folder, ...foldersOnPath(environment).filter((other) => other !== folder)].join(delimiter),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // A plugin that is not there is a mistake of ours; looking for it on the network would only hide it behind a time-out.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
}

/** The folders on PATH, in order. */
export function foldersOnPath(environment: NodeJS.ProcessEnv): string[] {
  return (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
}
