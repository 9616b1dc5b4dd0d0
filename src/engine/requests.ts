import { hostModules } from "./hostModules";
import type { Properties } from "./serialization";
import type { EnterCall } from "./traces";

/**
 * The engine names the resource in each request. The host does not pass the name on, so it is noted here by the
 * properties of the request.
 */
const urns = new WeakMap<object, string>();

/** The resource that these properties came with; undefined if it is not known. */
export function urnOf(properties: Properties): string | undefined {
  return urns.get(properties);
}

/** Notes the resource of these properties. */
export function noteUrn(properties: object, urn: string): void {
  urns.set(properties, urn);
}

interface Struct {
  toJavaScript(): object;
}

type Method = (this: { getUrn?(): string }) => unknown;
type Classes = Record<string, { prototype: Record<string, Method> }>;

/** The getters with which the host reads the properties of a request before it passes them to the provider. */
const getters: readonly (readonly [string, string])[] = [
  ["CheckRequest", "getNews"],
  ["DiffRequest", "getNews"],
  ["CreateRequest", "getProperties"],
  ["ReadRequest", "getProperties"],
  ["UpdateRequest", "getNews"],
  ["DeleteRequest", "getProperties"],
];

/** After this call, the URN of each request is known. */
export function watchRequests(): void {
  try {
    const protocol: Classes = hostModules()("@pulumi/pulumi/proto/provider_pb");
    for (const [name, method] of getters) {
      const prototype = protocol[name]?.prototype;
      const original = prototype?.[method];
      if (prototype !== undefined && typeof original === "function") {
        prototype[method] = withUrn(original);
      }
    }
  } catch {
    // No URN is known then.
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

type CallClass = new (...parts: unknown[]) => { metadata?: { get(key: string): unknown[] } };

/** Calls `enter` at the begin of each call of the engine: the host makes an object for it, and then handles it at once. */
export function watchCalls(enter: EnterCall): void {
  try {
    const calls: Record<string, CallClass> = hostModules()("@grpc/grpc-js/build/src/server-call");
    for (const [name, Call] of Object.entries(calls).filter(([each]) => /^Server\w+Impl$/.test(each))) {
      calls[name] = class extends Call {
        constructor(...parts: unknown[]) {
          super(...parts);
          enter(this.metadata?.get("traceparent")[0]);
        }
      };
    }
  } catch {
    // The spans have no parent then.
  }
}
