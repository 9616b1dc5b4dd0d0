import type { ActionShown } from "../../../resources/task/taskPresence";
import { fieldOf } from "../../../resources/task/taskPresence";
import { isRecord } from "../../../service/isRecord";
import type { ProbeFinding, Question } from "../finding";
import { seen, unclear } from "../finding";
import type { Words } from "../words";
import { shownActions } from "./actions";

export const actionShapes: Question = {
  name: "shape of actions",
  how: "getActions: where an action has its properties, whether their values are strings, and how the type of a loop is written",
  behaviours: ["actionShape", "propertyValues", "loopTypeRead"],
  needsTask: true,
  async ask(probing) {
    const actions = await shownActions(probing);
    return [...ids(actions, probing.words), place(actions), values(actions), loopTypes(actions, probing.words)];
  },
};

/** Fields of an action that are not its properties, in lower case. */
const ownFields = ["actiontype", "actionid", "name", "looptype", "loopitems", "isappend", "properties"];

function ids(actions: readonly ActionShown[], words: Words): ProbeFinding[] {
  if (actions.length === 0) {
    return [];
  }
  const types = words.list(actions.map((action) => fieldOf(action, "actionType")));
  const areStrings = actions.every((action) => typeof fieldOf(action, "actionId") === "string");
  return [
    seen("action types of the task", `${types}.`),
    areStrings
      ? seen("ids of actions", "Strings.")
      : seen("ids of actions", "Not all are strings.", {
          is: "warning",
          remedy: "No setting helps. A refresh does not find such an action, and adopt leaves it out.",
        }),
  ];
}

function place(actions: readonly ActionShown[]): ProbeFinding {
  const check = "properties of an action";
  const properties = actions.map((action) => fieldOf(action, "properties"));
  if (properties.some((each) => Array.isArray(each) && each.length > 0)) {
    return seen(check, "A list of names and values.", { behaviours: ["actionShape=list"] });
  }
  if (properties.some((each) => isRecord(each) && Object.keys(each).length > 0)) {
    return seen(check, "A map of names to values.", { behaviours: ["actionShape=map"] });
  }
  if (actions.some((action) => fieldsOf(action).length > 0)) {
    return seen(check, "Fields of the action itself.", { behaviours: ["actionShape=flat"] });
  }
  return unclear(check, noneShown(actions, "properties"), ["actionShape=list", "actionShape=map", "actionShape=flat"]);
}

function fieldsOf(action: ActionShown): unknown[] {
  return Object.entries(action).flatMap(([name, value]) => (ownFields.includes(name.toLowerCase()) ? [] : [value]));
}

function values(actions: readonly ActionShown[]): ProbeFinding {
  const check = "values of properties";
  const all = actions.flatMap((action) => {
    const properties = fieldOf(action, "properties");
    const inside = Array.isArray(properties)
      ? properties.map((each) => (isRecord(each) ? fieldOf(each, "value") : undefined))
      : Object.values(isRecord(properties) ? properties : {});
    return [...inside, ...fieldsOf(action)];
  });
  if (all.some((value) => typeof value === "number" || typeof value === "boolean")) {
    return seen(check, "Numbers and booleans where the value is one.", { behaviours: ["propertyValues=typed"] });
  }
  if (all.some((value) => typeof value === "string" && /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(value))) {
    return seen(check, "Strings, also where the value is a number.", { behaviours: ["propertyValues=asWritten"] });
  }
  const why = all.length === 0 ? noneShown(actions, "properties") : "No value of the task is a number or a boolean.";
  return unclear(check, why, ["propertyValues=asWritten", "propertyValues=typed"]);
}

function loopTypes(actions: readonly ActionShown[], words: Words): ProbeFinding {
  const check = "type of a loop";
  const types = actions.flatMap((action) => fieldOf(action, "loopType") ?? []);
  const found = `Written ${words.list(types)}.`;
  if (types.includes("URLList")) {
    return seen(check, found, { behaviours: ["loopTypeRead=upperUrl"] });
  }
  if (types.includes("UrlList")) {
    return seen(check, found, { behaviours: ["loopTypeRead=asWritten"] });
  }
  const why = types.length === 0 ? noneShown(actions, "loop") : `${found} None is a list of URLs.`;
  return unclear(check, why, ["loopTypeRead=asWritten", "loopTypeRead=upperUrl"]);
}

function noneShown(actions: readonly ActionShown[], what: string): string {
  return actions.length === 0
    ? "The service shows no action of the task."
    : `The service shows no ${what} of the task.`;
}
