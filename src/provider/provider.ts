import type { dynamic } from "@pulumi/pulumi";
import type { ReadKey } from "../config/config";
import { connectedEngine } from "../engine/engine";
import { engineAddress } from "../engine/hostModules";
import { resourceNamed } from "../resources/index";
import { AccountClaims, dynamicResources } from "./accountClaims";
import { DynamicProvider } from "./dynamicProvider";
import { endWithEngine, Host } from "./host";

/**
 * The function that the provider text in every state calls: `require("pulumi-webextract/provider").get("TaskCopy")`.
 * The path and this signature are a permanent contract: state of any version runs the installed version.
 */
export function get(type: string): dynamic.ResourceProvider {
  return new DynamicProvider(
    resourceNamed(type),
    // An old SDK does not call configure. Then only the environment is known.
    () => currentHost(() => undefined),
    ({ config }) => void currentHost((key) => config.get(`webextract:${key}`)),
  );
}

/** The host of the process: all resources share its clients, limits and locks. */
let host: Host | undefined;

function currentHost(read: ReadKey): Host {
  if (host === undefined) {
    const engine = connectedEngine();
    host = new Host(read, engine, { claims: new AccountClaims(dynamicResources, engineAddress()) });
    endWithEngine(() => host, engine);
  }
  return host;
}
