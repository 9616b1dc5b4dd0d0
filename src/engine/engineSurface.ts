import { fstatSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import type { Properties } from "./wire";

/**
 * What is reached of the engine and of its provider host beyond the protocol of dynamic resources. All of it is private surface: where it
 * is not as expected, each part does nothing, and the rest works without.
 */

/** Modules as the host itself has them. */
export function hostModules(): NodeJS.Require {
  return createRequire(process.argv[1] ?? "");
}

/** The engine's address, which it starts the host with. */
export function engineAddress(): string | undefined {
  const address = process.argv[2] ?? "";
  return /^[\w.:[\]-]+:\d+$/.test(address) ? address : undefined;
}

/** The engine names the resource in each request, but the host doesn't pass that on: it's noted here by the properties it hands over. */
const urns = new WeakMap<object, string>();

/** The resource that these properties came with, as far as it's known. */
export function urnOf(properties: Properties): string | undefined {
  return urns.get(properties);
}

/** Notes the resource that these properties are of. */
export function noteUrn(properties: object, urn: string): void {
  urns.set(properties, urn);
}

interface Struct {
  toJavaScript(): object;
}

type Method = (this: { getUrn?(): string }) => unknown;
type Classes = Record<string, { prototype: Record<string, Method> }>;

/** The getters through which the host takes the properties of a request that it then hands to the provider. */
const getters: readonly (readonly [string, string])[] = [
  ["CheckRequest", "getNews"],
  ["DiffRequest", "getNews"],
  ["CreateRequest", "getProperties"],
  ["ReadRequest", "getProperties"],
  ["UpdateRequest", "getNews"],
  ["DeleteRequest", "getProperties"],
];

/** From here on requests tell their URN, and `onAnswer` is called for each result of a create or update that goes to the engine, a partial failure's too. */
export function watchRequests(onAnswer: () => void): void {
  try {
    const protocol: Classes = hostModules()("@pulumi/pulumi/proto/provider_pb");
    for (const [name, method] of getters) {
      wrap(protocol, name, method, withUrn);
    }
    // The host's gRPC library writes no answer for a request that was cancelled, as all are when the engine is told to terminate.
    for (const name of ["CreateResponse", "UpdateResponse", "ErrorResourceInitFailed"]) {
      wrap(
        protocol,
        name,
        "serializeBinary",
        (original) =>
          function (this: object): unknown {
            onAnswer();
            return original.call(this);
          },
      );
    }
  } catch {
    // No URN is known then.
  }
}

function wrap(protocol: Classes, name: string, method: string, wrapping: (original: Method) => Method): void {
  const prototype = protocol[name]?.prototype;
  const original = prototype?.[method];
  if (prototype !== undefined && typeof original === "function") {
    prototype[method] = wrapping(original);
  }
}

function withUrn(original: Method): Method {
  return function (): unknown {
    const struct = original.call(this) as Partial<Struct> | undefined;
    const urn = this.getUrn?.();
    if (typeof struct?.toJavaScript === "function" && typeof urn === "string") {
      const toJavaScript = struct.toJavaScript.bind(struct);
      struct.toJavaScript = () => {
        const properties = toJavaScript();
        noteUrn(properties, urn);
        return properties;
      };
    }
    return struct;
  };
}

/**
 * How an engine leaves its host, as measured: at the end of a command, and at a first Ctrl-C after the steps under way, it sends SIGINT when
 * all it was handed is saved; at a second Ctrl-C it cancels what is under way first. Killed, it sends nothing, and the host's standard
 * input ends.
 */
export function whenEngineEnds({ interrupted, gone }: { interrupted: () => void; gone: () => void }): void {
  process.once("SIGINT", interrupted);
  const address = engineAddress();
  if (address === undefined || !inputIsPipe()) {
    return;
  }
  process.stdin.once("end", () => whenRefused(address, gone));
  process.stdin.resume();
  process.stdin.unref();
}

/** Anything else may be somebody's terminal, or end at once without meaning anything. */
function inputIsPipe(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isSocket();
  } catch {
    return false;
  }
}

/** An engine that is ending may still take a connection, and drops it then; one that is not drops it for want of a word, after minutes. */
function whenRefused(address: string, then: () => void): void {
  const colon = address.lastIndexOf(":");
  const socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)) });
  let isRefused = false;
  socket.once("error", (error: NodeJS.ErrnoException) => {
    isRefused = error.code === "ECONNREFUSED";
  });
  socket.once("close", () => {
    if (isRefused) {
      then();
    } else {
      setTimeout(() => whenRefused(address, then), 100).unref();
    }
  });
  socket.unref();
}
