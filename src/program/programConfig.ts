import { createRequire } from "node:module";
import { log, runtime } from "@pulumi/pulumi";
import type { ProviderConfig } from "../config/config";
import { namesInNamespace, namespace, parseGivenConfig } from "../config/config";
import { credentialKeys } from "../config/configKeys";
import { isEncrypted } from "../engine/sdk";
import { ProgramError, perProgram } from "./perProgram";

/**
 * The configuration of the program, which may name no service. None with mocks: a unit test must not depend on the
 * environment.
 */
export function unmockedConfig(): ProviderConfig | undefined {
  return isMocked() ? undefined : soundConfig(true);
}

/**
 * The label for which runs start. A program reads it, and the provider does not, so that a preview and its up see the
 * same label.
 */
export function programRunLabel(): string | undefined {
  const config = unmockedConfig();
  if (config?.emptyLabel !== undefined) {
    throw new ProgramError(config.emptyLabel);
  }
  return config?.runLabels[0];
}

export function programSettings(): ProviderConfig["settings"] | undefined {
  return unmockedConfig()?.settings;
}

/** The configuration of the program, which names a service. */
export function programConfig(): ProviderConfig {
  return soundConfig(false);
}

const parsed = perProgram(() => {
  const all: Record<string, string> = runtime.allConfig();
  if (!isMocked()) {
    warnOfPlainCredentials(all);
  }
  const given = parseGivenConfig((key) => all[namespace + key], namesInNamespace(Object.keys(all)));
  if (given.warning !== undefined && !isMocked()) {
    void log.warn(given.warning);
  }
  return given;
});

/** All problems are one error. */
function soundConfig(mayLackService: boolean): ProviderConfig {
  const { config, problems, noService } = parsed();
  if (problems.some((each) => !mayLackService || each !== noService)) {
    throw new ProgramError(`The configuration of pulumi-webextract is invalid:\n  ${problems.join("\n  ")}`);
  }
  return config;
}

/**
 * Warns once of all credentials that are plain text in the configuration. Never shows a value. Pulumi passes the
 * profiles as one JSON string.
 */
export function warnOfPlainCredentials(all: Readonly<Record<string, string>>): void {
  const found = [...credentialKeys, "profiles"]
    .map((name) => `webextract:${name}`)
    .filter((key) => all[key] && !isEncrypted(key))
    .filter((key) => key !== "webextract:profiles" || credentialKeys.some((name) => all[key]?.includes(`"${name}"`)));
  if (found.length > 0) {
    void log.warn(
      `Credentials are in plain text in the configuration of stack "${runtime.getStack()}": ${found.join(", ")}. ` +
        "Everybody who can read the stack's configuration file, its history in git, or the state can use them. Encrypt them; each command asks for the value:\n" +
        `${found.map((key) => `  pulumi config set --secret ${key}\n`).join("")}` +
        "The history still has the old values afterwards, so replace these credentials at the service.",
    );
  }
}

let resolved = false;

/** Makes sure, at preview, that the engine will find this package. It looks only from the folder of the program. */
export function requireResolvableProvider(): void {
  if (resolved || isMocked()) {
    return;
  }
  try {
    createRequire(`${process.cwd()}/`).resolve("pulumi-webextract/provider");
    resolved = true;
  } catch {
    throw new ProgramError(
      `The Pulumi engine looks for the package "pulumi-webextract" from the program's folder (${process.cwd()}) and does not find it there. ` +
        "Add pulumi-webextract to the dependencies in that folder's package.json and run npm install.",
    );
  }
}

/** Whether this is a unit test of a program (`pulumi.runtime.setMocks`), which has no engine. */
export function isMocked(): boolean {
  const monitor = runtime.getMonitor() as { mocks?: unknown } | undefined;
  return monitor?.mocks !== undefined;
}
