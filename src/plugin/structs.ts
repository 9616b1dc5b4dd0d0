import type { JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { providerKey } from "../resources/urn";
import type { WireProperties } from "./values";

/** Without the provider text, which the state of a resource contains that was dynamic before. */
export function fromStruct(struct: Struct | undefined): WireProperties {
  const { [providerKey]: _text, ...properties } = struct?.toJavaScript() ?? {};
  return properties;
}

export function toStruct(properties: WireProperties): Struct {
  return Struct.fromJavaScript(properties as { [name: string]: JavaScriptValue });
}
