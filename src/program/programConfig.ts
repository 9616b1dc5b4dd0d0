import { RunError, runtime } from "@pulumi/pulumi";
import type { ProviderConfig } from "../config/config";
import { namesInNamespace, namespace, parseGivenConfig } from "../config/config";
import { perProgram } from "./perProgram";
import { warnOfPlainCredentials } from "./problems/plainCredentials";
import { isMocked } from "./providerText";

/** Refuses an invalid configuration in the program: at preview, and once for all resources. */
export function requireValidConfig(): void {
  if (!isMocked()) {
    programConfig();
  }
}

/**
 * The label for which runs start. A program reads it, and the provider does not, so that a preview and its up see the
 * same label. None with mocks: a unit test must not depend on the environment.
 */
export function programRunLabel(): string | undefined {
  return isMocked() ? undefined : programConfig().runLabels[0];
}

/** None with mocks, for the same reason. */
export function programSettings(): ProviderConfig["settings"] | undefined {
  return isMocked() ? undefined : programConfig().settings;
}

/** The configuration of the program. All its problems are one error. */
export const programConfig: () => ProviderConfig = perProgram(() => {
  const all: Record<string, string> = runtime.allConfig();
  if (!isMocked()) {
    warnOfPlainCredentials(all);
  }
  const { config, problems } = parseGivenConfig((key) => all[namespace + key], namesInNamespace(Object.keys(all)));
  if (problems.length > 0) {
    throw new RunError(`The configuration of pulumi-webextract is invalid:\n  ${problems.join("\n  ")}`);
  }
  return config;
});
