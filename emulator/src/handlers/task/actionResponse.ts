import type { Behaviour } from "../../behaviour";
import type { StoredAction } from "../../store/store";

/** An action in the response of getActions, in the shape of the behaviour `actionShape`. */
export function describeAction(action: StoredAction, behaviour: Behaviour): Record<string, unknown> {
  const { actionType, actionId, name, loopType, loopItems } = action;
  const loop = loopType === undefined ? {} : { loopType: readLoopType(loopType, behaviour), loopItems };
  const values = [...action.properties].map(([key, text]) => [key, readValue(text, behaviour)] as const);
  return { actionType, actionId, ...(name === undefined ? {} : { name }), ...describe(values, behaviour), ...loop };
}

function describe(values: (readonly [string, unknown])[], behaviour: Behaviour): Record<string, unknown> {
  switch (behaviour.actionShape) {
    case "map":
      return { properties: Object.fromEntries(values) };
    case "flat":
      return Object.fromEntries(values);
    default:
      return { properties: values.map(([name, value]) => ({ name, value })) };
  }
}

function readValue(text: string, { propertyValues }: Behaviour): unknown {
  if (propertyValues === "asWritten") return text;
  if (text === "true" || text === "false") return text === "true";
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,6})?$/.test(text) ? Number(text) : text;
}

function readLoopType(loopType: string, behaviour: Behaviour): string {
  return behaviour.loopTypeRead === "upperUrl" && loopType.toLowerCase() === "urllist" ? "URLList" : loopType;
}
