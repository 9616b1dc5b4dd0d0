import { RunError, runtime } from "@pulumi/pulumi";
import { configKeys, parseConfig, unknownKeys } from "./config";
import { isMocked } from "./providerText";

const namespace = "webextract:";
let checked = false;

/** Refuses a configuration that cannot work: in the program, so at preview, and once for all resources. */
export function requireValidConfig(): void {
  if (checked || isMocked()) {
    return;
  }
  const all: Record<string, string> = runtime.allConfig();
  const names = Object.keys(all)
    .filter((name) => name.startsWith(namespace))
    .map((name) => name.slice(namespace.length));
  const { problems } = parseConfig((key) => all[namespace + key]);
  const unknown = unknownKeys(names).map(
    (name) => `${namespace}${name} is not known. Known: ${Object.keys(configKeys).join(", ")}.`,
  );
  if (problems.length + unknown.length > 0) {
    throw new RunError(
      `The configuration of pulumi-webextract is not right:\n  ${[...problems, ...unknown].join("\n  ")}`,
    );
  }
  checked = true;
}
