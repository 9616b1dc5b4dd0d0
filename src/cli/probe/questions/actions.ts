import type { ActionShown } from "../../../resources/task/taskPresence";
import { fieldOf } from "../../../resources/task/taskPresence";
import type { FittingSetting, ProbeFinding, Probing, Question } from "../finding";
import { seen, setting, unclear } from "../finding";
import type { Reply } from "../reply";
import { nobody, nobodyElse, readActions } from "../requests";

/** The types that public documentation of such services names. */
const usualTypes = ["EnterTextAction", "LoopAction", "NavigateAction"];
/** No service has it. */
const noType = "WebextractProbeNoAction";

export const actions: Question = {
  name: "actions",
  how: "getActions with the usual and the configured action types, with an empty list of them, with a type that no service has, and with a task that does not exist: what is refused, and what comes",
  behaviours: ["getActionsMissing", "getActionsEmptyTypes"],
  async ask(probing) {
    return [await missingTask(probing), await emptyTypes(probing), ...(await unknownType(probing))];
  },
};

/** What the service shows of the task's actions, whichever request shows it. */
export async function shownActions({ asker, taskId, settings }: Probing): Promise<ActionShown[]> {
  if (taskId === undefined) {
    return [];
  }
  const replies = [
    await asker.ask(readActions([taskId], [])),
    await asker.ask(readActions([taskId], typesToAsk(settings))),
  ];
  return replies.map(actionsIn).find((shown) => shown.length > 0) ?? [];
}

function typesToAsk({ actionTypes }: Probing["settings"]): string[] {
  return [...new Set([...usualTypes, ...actionTypes])].sort();
}

function actionsIn(reply: Reply): ActionShown[] {
  return reply.read("getActions")?.data.flatMap((task) => task.actions) ?? [];
}

async function missingTask({ asker, taskId = nobodyElse, settings }: Probing): Promise<ProbeFinding> {
  const check = "actions of several tasks, one of which does not exist";
  const reply = await asker.ask(readActions([taskId, nobody], typesToAsk(settings)));
  if (reply.isAccepted) {
    return seen(check, "The response leaves the task out.", { behaviours: ["getActionsMissing=leftOut"] });
  }
  return reply.mentions(nobody)
    ? seen(check, "All are refused, with the id of the task.", { behaviours: ["getActionsMissing=refusedNamed"] })
    : seen(check, "All are refused, without the id of the task.", { behaviours: ["getActionsMissing=refusedUnnamed"] });
}

async function emptyTypes(probing: Probing): Promise<ProbeFinding> {
  const check = "empty list of action types";
  const { asker, taskId, settings } = probing;
  const typed = await asker.ask(readActions([taskId ?? nobody], typesToAsk(settings)));
  const empty = await asker.ask(readActions([taskId ?? nobody], []));
  const fitting = await typesOfLoops(probing);
  if (!empty.isAccepted && (typed.isAccepted || empty.signature !== typed.signature)) {
    return seen(check, `A refusal.${forRefresh(fitting)}`, {
      behaviours: ["getActionsEmptyTypes=refused"],
      settings: fitting,
    });
  }
  if (actionsIn(empty).length > 0) {
    return seen(check, "All actions of the task.", { behaviours: ["getActionsEmptyTypes=all"] });
  }
  if (actionsIn(typed).length > 0) {
    return seen(check, `No actions.${forRefresh(fitting)}`, {
      behaviours: ["getActionsEmptyTypes=none"],
      settings: fitting,
    });
  }
  const why =
    taskId === undefined
      ? "It is not refused. A task with actions shows whether it means all types or none (--task)."
      : "The service shows no action of the task, with types or without.";
  return unclear(check, why, ["getActionsEmptyTypes=none", "getActionsEmptyTypes=all"]);
}

function forRefresh(settings: readonly FittingSetting[]): string {
  return settings.length === 0
    ? ""
    : " With the type of the loops in webextract:actionTypes, a refresh finds changes of their lists.";
}

/** A refresh asks for loops by their type, if the service needs one. */
async function typesOfLoops(probing: Probing): Promise<FittingSetting[]> {
  const { settings, words } = probing;
  const types = (await shownActions(probing))
    .filter((action) => fieldOf(action, "loopItems") !== undefined)
    .flatMap((action) => words.shown(fieldOf(action, "actionType")) ?? []);
  const lacking = [...new Set(types)].filter((type) => !settings.actionTypes.includes(type));
  return lacking.length === 0 ? [] : [setting("actionTypes", [...settings.actionTypes, ...lacking].join(","))];
}

async function unknownType({ asker, taskId }: Probing): Promise<ProbeFinding[]> {
  if (taskId === undefined) {
    return [];
  }
  const check = "action type that the service does not know";
  const reply = await asker.ask(readActions([taskId], [noType]));
  if (!reply.isAccepted) {
    return [
      seen(check, "A refusal.", {
        is: "warning",
        remedy:
          "Name in webextract:actionTypes only types that the service knows: one that it does not know fails each refresh.",
      }),
    ];
  }
  const isIgnored = actionsIn(reply).length === 0;
  return [seen(check, isIgnored ? "No actions." : "Actions of other types.")];
}
