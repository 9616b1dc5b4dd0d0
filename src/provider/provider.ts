import type { dynamic } from "@pulumi/pulumi";
import type { ReadKey } from "../config";
import { watchRequests, whenEngineEnds } from "../engine/engineSurface";
import { engineInterruption } from "../engine/interruption";
import { engineDisplay } from "../engine/progress";
import { resources } from "../resources/index";
import { Backend } from "./backend";
import { Host } from "./host";

/**
 * What the provider text in every state requires: `require("pulumi-webextract/provider").get("TaskCopy")`. The path and this signature are a
 * permanent contract: state written by any version runs whatever version is installed.
 */
export function get(type: string): dynamic.ResourceProvider {
  const resource = Object.hasOwn(resources, type) ? resources[type] : undefined;
  if (resource === undefined) {
    throw new Error(
      `pulumi-webextract has no resource "${type}". Was the state written by a newer version? Known: ${Object.keys(resources).join(", ")}.`,
    );
  }
  return new Backend(resource, currentHost, configure);
}

/** One for the process: its clients, limits and locks are everybody's. */
let host: Host | undefined;

function configure({ config }: dynamic.ConfigureRequest): void {
  host ??= start((key) => config.get(`webextract:${key}`));
}

/** Without a configure, which an old SDK may not call, the environment is all there is. */
function currentHost(): Host {
  host ??= start(() => undefined);
  return host;
}

function start(read: ReadKey): Host {
  const interrupted = engineInterruption();
  const started = new Host(read, engineDisplay(), { interrupted });
  watchRequests(() => {
    // An engine that the user interrupts once more throws away an answer that is on its way to it, and ends this process as ever.
    if (!interrupted.aborted) {
      started.journal?.handedOver();
    }
  });
  whenEngineEnds({
    interrupted: () => {
      started.journal?.dropSaved();
      void end(started);
    },
    gone: () => void end(started),
  });
  return started;
}

/** What an ended engine cannot save must not happen; what was asked for already is noted for the next run. */
async function end(started: Host): Promise<void> {
  await started.close();
  process.exit();
}
