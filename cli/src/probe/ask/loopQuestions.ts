import { loopTypeFor } from "../../../../src/resources/settings/setting";
import type { ActionShown } from "../../../../src/resources/task/taskPresence";
import { fieldOf, itemsOf, propertyOf } from "../../../../src/resources/task/taskPresence";
import { isPlainMap } from "../../../../src/values/plain";
import type { Answer, OnCopy, TrialLoop, TrialProperty } from "../question";
import { refused } from "../question";
import { fieldAt, replyOf } from "../requests";
import { readActions } from "./readQuestions";

/** A change of a property with updateActionProperties, which the next question takes back. */
export async function properties(on: OnCopy): Promise<Answer> {
  const { client, taskId } = on;
  const { property } = on.trial;
  if (property === undefined) {
    return { is: "unclear", found: "The service shows no property of the copy." };
  }
  const { refusal } = await replyOf(
    client.updateActionProperties({ taskId, actions: [withValue(property, changed(property))] }),
  );
  if (refusal !== undefined) {
    return refused(refusal, "TaskActionConfig and `properties` of an ExtractionTask cannot set this property.");
  }
  const shown = await shownValue(on, property);
  return shown === changed(property)
    ? { found: "The change is accepted and shown." }
    : {
        is: "problem",
        found: "The change is accepted, and not shown.",
        limitation: "A refresh does not see changes of this property.",
      };
}

function changed({ value }: TrialProperty): string {
  return `${value}1`;
}

function withValue({ actionId, actionType, name }: TrialProperty, value: string) {
  return { actionId, actionType, properties: [{ name, value }] };
}

async function shownValue(on: OnCopy, property: TrialProperty): Promise<string | undefined> {
  const { actionId, name, value } = property;
  const action = await shownAction(on, actionId);
  // A service that shows numbers shows 201 for "201".
  return action && propertyOf(action, name, propertyOf(action, name, changed(property)) ?? value);
}

const someItems = ["https://example.com/1", "https://example.com/2", "https://example.com/3"];

/**
 * updateTaskParameters with the property as it was, and a loop: inside its action, and in a list beside the actions if
 * that has no effect.
 */
export async function loopsInParameters(on: OnCopy): Promise<Answer> {
  const { client, requests, taskId } = on;
  const { loop, property } = on.trial;
  const first = otherItems(loop);
  const loopItems = loop && {
    actionId: loop.actionId,
    loopType: loopTypeFor("updateTaskParameters", loop.loopType),
    loopItems: first,
    isAppend: false,
  };
  const ofLoop = loop === undefined ? [] : [{ actionId: loop.actionId, actionType: loop.actionType, loopItems }];
  const ofProperty = property === undefined ? [] : [withValue(property, property.value)];
  const isOne = loop?.actionId === property?.actionId;
  const actions = isOne ? [{ ...ofProperty[0], ...ofLoop[0] }] : [...ofProperty, ...ofLoop];
  if (loop === undefined && property === undefined) {
    return { is: "unclear", found: "The service shows neither a loop nor a property of the copy." };
  }
  const { refusal } = await replyOf(client.updateTaskParameters({ taskId, actions } as never));
  if (refusal !== undefined) {
    return refused(refusal, "TaskParameters and ExtractionTask cannot set the actions of this task.");
  }
  const response = fieldAt(requests.last?.body, "data", "updatedParameters");
  const repeated = updatedParameters(response);
  const confirmed = `The response repeats ${repeated === undefined ? "nothing that is known" : (repeats[repeated] ?? repeated)}.`;
  const behaviours = repeated === undefined ? [] : [`updatedParameters=${repeated}`];
  if (loop === undefined) {
    return { found: `The task shows no loop. ${confirmed}`, behaviours };
  }
  const inside = await shownItems(on, loop);
  if (inside === undefined) {
    return { is: "unclear", found: `The list of the loop is not shown. ${confirmed}`, behaviours };
  }
  if (isShown(inside, first)) {
    return {
      found: `A loop inside its action takes effect. ${confirmed}`,
      behaviours: ["loopsInActions=taken", ...behaviours],
    };
  }
  const json = JSON.stringify({ taskId, actions: ofProperty, loopItems: [loopItems] });
  const inList = await replyOf(client.send("updateTaskParameters", { json }));
  const takesList = inList.refusal === undefined && isShown(await shownItems(on, loop), first);
  const list = takesList ? "A list beside the actions does." : "A list beside the actions has none either.";
  const found = `A loop inside its action is accepted, and has no effect. ${list} ${confirmed} The package notices it, and sends loops with updateLoopItems.`;
  // A copy of the request does not show what the service repeats otherwise.
  const isCopied = actionsIn(response).some(({ loopItems }) => isPlainMap(loopItems));
  return { found, behaviours: isCopied ? ["loopsInActions=repeatedOnly"] : ["loopsInActions=ignored", ...behaviours] };
}

const repeats: Readonly<Record<string, string>> = {
  repeated: "what was set, loops inside their actions",
  lists: "what was set, loops in a list",
  counts: "names and counts only",
  empty: "nothing",
};

/** The value of the behaviour `updatedParameters`. */
function updatedParameters(shown: unknown): string | undefined {
  if (!isPlainMap(shown)) {
    return undefined;
  }
  if (Object.keys(shown).length === 0) {
    return "empty";
  }
  const actions = actionsIn(shown);
  if (actions.some(({ loopItems }) => typeof loopItems === "number")) {
    return "counts";
  }
  return Array.isArray(shown.loopItems) ? "lists" : actions.length > 0 ? "repeated" : undefined;
}

function actionsIn(response: unknown): Record<string, unknown>[] {
  const actions = isPlainMap(response) ? response.actions : undefined;
  return Array.isArray(actions) ? actions.filter(isPlainMap) : [];
}

/** updateLoopItems: an append, one without `isAppend`, and one that replaces and leaves the list for the run. */
export async function loopItems(on: OnCopy): Promise<Answer> {
  const { client, taskId } = on;
  const { loop } = on.trial;
  if (loop === undefined) {
    return { is: "unclear", found: "The service shows no loop of the copy. Choose a task with a loop." };
  }
  const [one = "", two = "", three = ""] = itemsFor(loop);
  const written = loopTypeFor("updateLoopItems", loop.loopType);
  const whole = { taskId, actionId: loop.actionId, loopType: written };
  const before = (await shownItems(on, loop)) ?? [];
  const appended = await replyOf(client.updateLoopItems({ ...whole, loopItems: [three], isAppend: true }));
  const afterAppend = await shownItems(on, loop);
  const appends = appended.refusal === undefined && isShown(afterAppend, [...before, three]);
  const json = JSON.stringify({ ...whole, loopItems: [one, two] });
  const omitted = await replyOf(client.send("updateLoopItems", { json }));
  const afterOmitted = omitted.refusal === undefined ? await shownItems(on, loop) : undefined;
  const left = forRun(loop);
  const replaced = await replyOf(client.updateLoopItems({ ...whole, loopItems: left, isAppend: false }));
  const action = await shownAction(on, loop.actionId);
  const replaces = replaced.refusal === undefined && isShown(action && itemsOf(action), left);
  const isChanged = afterAppend !== undefined && !isShown(afterOmitted, afterAppend);
  const omittedMeans =
    isChanged && isShown(afterOmitted, [one, two])
      ? "replaces"
      : isChanged && isShown(afterOmitted, [...afterAppend, one, two])
        ? "appends"
        : undefined;
  const loopType = action && fieldOf(action, "loopType");
  const isUrls = written === "UrlList";
  const behaviours = [
    ...(omittedMeans === undefined ? [] : [`isAppendOmitted=${omittedMeans}`]),
    ...(isUrls && loopType === written ? ["loopTypeRead=asWritten"] : []),
    ...(isUrls && loopType === "URLList" ? ["loopTypeRead=upperUrl"] : []),
  ];
  const found = `A list that replaces ${replaces ? "takes effect" : "does not take effect"}, one that appends ${appends ? "too" : "does not"}. Without isAppend, the list ${omittedMeans ?? "is not shown"}. The loopType is shown ${loopType === written ? "as it was written" : "in another spelling"}.`;
  if (replaces && appends) {
    return { found, behaviours };
  }
  const limitation = replaces
    ? "`mode: append` does not work."
    : "The lists of loops cannot be set: a run would use the old ones.";
  return { is: "problem", found, behaviours, limitation };
}

/** Two items, or one, that are not the present list. */
function otherItems(loop: TrialLoop | undefined): string[] {
  return itemsFor(loop).slice(0, loop?.items.length === 2 ? 1 : 2);
}

/** Three different items. */
function itemsFor(loop: TrialLoop | undefined): string[] {
  return [...new Set([...(loop?.items ?? []), ...someItems])].slice(0, 3);
}

/**
 * A short list for the run, of items that the task has. One is there twice, so that equal rows come. The places of the
 * others tell the order of the rows, even if the first half is missing.
 */
function forRun({ items }: TrialLoop): string[] {
  const [a = someItems[0] ?? "", b = a, c] = [...new Set(items)];
  return c === undefined ? [a, b, b] : [a, b, b, c];
}

async function shownAction(on: OnCopy, actionId: string): Promise<ActionShown | undefined> {
  return (await readActions(on))?.find((each) => fieldOf(each, "actionId") === actionId);
}

async function shownItems(on: OnCopy, { actionId }: TrialLoop): Promise<string[] | undefined> {
  const action = await shownAction(on, actionId);
  return action && itemsOf(action);
}

function isShown(shown: readonly string[] | undefined, items: readonly string[]): boolean {
  return JSON.stringify(shown) === JSON.stringify(items);
}
