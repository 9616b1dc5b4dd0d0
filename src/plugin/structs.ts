import type { JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { WireProperties } from "./values";

export function fromStruct(struct: Struct | undefined): WireProperties {
  return struct?.toJavaScript() ?? {};
}

export function toStruct(properties: WireProperties): Struct {
  return Struct.fromJavaScript(properties as { [name: string]: JavaScriptValue });
}
