import type { JavaScriptValue, Value } from "google-protobuf/google/protobuf/struct_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { providerKey } from "../engine/serialization";
import type { WireProperties } from "./values";

/** Without the provider text, which the state of a resource contains that was dynamic before. */
export function fromStruct(struct: Struct | undefined): WireProperties {
  const { [providerKey]: _text, ...properties } = struct?.toJavaScript() ?? {};
  return properties;
}

export function toStruct(properties: WireProperties): Struct {
  return Struct.fromJavaScript(properties as { [name: string]: JavaScriptValue });
}

/** The paths of values that are lost: JavaScript does not keep a property of this name. */
export function lostNames(struct: Struct | undefined, path = ""): string[] {
  const fields = [...(struct?.getFieldsMap().entries() ?? [])] as [string, Value][];
  return fields.flatMap(([name, value]) => {
    const at = path === "" ? name : `${path}.${name}`;
    return name === "__proto__" ? [at] : lostIn(value, at);
  });
}

function lostIn(value: Value, path: string): string[] {
  const items = value.getListValue()?.getValuesList() ?? [];
  return [
    ...lostNames(value.getStructValue(), path),
    ...items.flatMap((item, index) => lostIn(item, `${path}[${index}]`)),
  ];
}
