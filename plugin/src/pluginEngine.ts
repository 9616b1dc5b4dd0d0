import * as grpc from "@grpc/grpc-js";
import * as clients from "@pulumi/pulumi/proto/engine_grpc_pb";
import * as protocol from "@pulumi/pulumi/proto/engine_pb";
import { engineEndings } from "../../src/engine/endings";
import type { Engine } from "../../src/engine/engine";
import { interruptionBySignals } from "../../src/engine/interruption";
import { engineLog } from "../../src/engine/log";
import type { EnterCall } from "../../src/engine/traces";
import { connectTraces } from "../../src/engine/traces";
import { inLanguage } from "./languageWords";

/** The engine behind a native plugin: the parts that plugins are made for. */
export interface PluginEngine extends Engine {
  /** The engine has sent Cancel: the user interrupts the command, or the command has ended. */
  cancel(): void;
  /** Absent unless the user collects traces. */
  enterCall?: EnterCall | undefined;
}

/** The engine that started this process, a native plugin. */
export function pluginEngine(): PluginEngine {
  const interruption = interruptionBySignals();
  return {
    log: engineLog(() => ({ grpc, clients, protocol }), inLanguage),
    interrupted: interruption.signal,
    cancel: () => interruption.abort(),
    onEnd: engineEndings,
    enterCall: connectTraces(() => grpc),
  };
}
