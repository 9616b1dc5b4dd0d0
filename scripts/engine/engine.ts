import { delimiter, dirname } from "node:path";

/** The version of the engine to install or build. Equal to the version of the SDK in devDependencies. */
export const engineVersion = "3.248.0";

/** The oldest engine that is accepted on PATH. It supports all calls of the oldest supported SDK. */
export const oldestEngine = "3.216.0";

const windows = process.platform === "win32";

/** The files of an engine: the program, the language host for Node.js, and the launcher of the dynamic provider host. */
export const engineFiles = {
  pulumi: windows ? "pulumi.exe" : "pulumi",
  languageHost: windows ? "pulumi-language-nodejs.exe" : "pulumi-language-nodejs",
  dynamicHost: windows ? "pulumi-resource-pulumi-nodejs.cmd" : "pulumi-resource-pulumi-nodejs",
} as const;

/**
 * The launcher of policy packs. The language host that is built here is too old to start them. The engine looks for this file when the
 * `runtime` of the pack is `node`.
 */
export const policyStarter = windows ? "pulumi-analyzer-policy-node.cmd" : "pulumi-analyzer-policy-node";

/** Where an engine was found, or how it was made. */
export type EngineSource = "PATH" | "cache" | "installer" | "go";

/** An engine that is ready to run. */
export interface Engine {
  readonly source: EngineSource;
  readonly version: string;
  /** Absolute path of the `pulumi` program. */
  readonly pulumi: string;
  /** Environment for starting the engine: the caller's, with the folder of the engine first on PATH and no update check. */
  readonly env: NodeJS.ProcessEnv;
}

/** One way to find or make an engine failed. The message says why. */
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
    // A missing plugin is a bug of this package. A download attempt would hide it behind a timeout.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
}

/** The folders on PATH, in order. */
export function foldersOnPath(environment: NodeJS.ProcessEnv): string[] {
  return (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
}
