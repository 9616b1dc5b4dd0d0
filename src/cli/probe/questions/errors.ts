import type { ProbeFinding, Probing, Question } from "../finding";
import { seen, unclear } from "../finding";
import type { Reply } from "../reply";
import { nobody, readNothing, readRows } from "../requests";

export const errors: Question = {
  name: "errors",
  how: "getData for a task that does not exist, and getData without parameters: form and status of the refusals",
  behaviours: ["errorBody", "taskGone"],
  async ask({ asker }) {
    const gone = await asker.ask(readRows(nobody, 0, 1));
    const wrong = await asker.ask(readNothing());
    return [errorBody([gone, wrong]), taskGone(gone, wrong)];
  },
};

function errorBody(replies: readonly Reply[]): ProbeFinding {
  const check = "body of an error";
  const refusal = replies.find(({ isAccepted }) => !isAccepted);
  if (refusal === undefined) {
    return unclear(check, "The service refused none of the requests that it could refuse.");
  }
  const { form, failure } = refusal;
  if (form === "envelope" || form === "legacy") {
    return seen(check, forms[form], { behaviours: [`errorBody=${form}`] });
  }
  if (failure?.code !== undefined) {
    return seen(check, "JSON of another form, with a code that the package reads.");
  }
  return seen(check, forms[form], {
    is: "warning",
    remedy:
      "No setting helps. The package cannot tell such a refusal from a page of a proxy, so it cannot see that a task is gone.",
    behaviours: form === "html" || form === "empty" ? [`errorBody=${form}`] : [],
  });
}

const forms = {
  envelope: "An object error with code and message.",
  legacy: "The fields error and error_Description, as in older services.",
  html: "A page of HTML.",
  empty: "No body.",
  json: "JSON without a code.",
  text: "Text that is not JSON.",
};

function taskGone(gone: Reply, wrong: Reply): ProbeFinding {
  const check = "task that does not exist";
  const { failure } = gone;
  if (failure === undefined) {
    return seen(check, "The service responds as for a task without rows.", {
      is: "warning",
      remedy: "No setting helps. A refresh cannot see by its rows that a task is gone.",
    });
  }
  if (failure.code === undefined) {
    return unclear(check, "The refusal has no code.");
  }
  if (failure.kind === "notFound") {
    const others = gone.mentions(nobody) ? "invalidTaskId" : "unnamed";
    const value = !wrong.isAccepted && gone.status !== wrong.status ? "notFound" : others;
    const named = gone.mentions(nobody) ? "with its id" : "without its id";
    return seen(check, `A refusal ${named}, with a status of ${gone.status}.`, { behaviours: [`taskGone=${value}`] });
  }
  if (failure.kind === "outcomeUnknown") {
    return seen(check, `An error of the server (${gone.status}), as for a failure that passes.`, {
      is: "warning",
      remedy:
        "No setting helps. A refresh of a task that is gone fails after its retries. Remove the resource from the program.",
      behaviours: ["taskGone=serverError"],
    });
  }
  return seen(check, `A refusal (${gone.status}) whose code the package does not know as that of a missing task.`, {
    is: "warning",
    remedy: "No setting helps. A refresh of a task that is gone fails. Report the code.",
  });
}

/** The status of refusals that are about a parameter; undefined if there is none to compare with. */
export async function statusOfWrongParameters({ asker }: Probing): Promise<number | undefined> {
  const { isAccepted, status } = await asker.ask(readNothing());
  return isAccepted ? undefined : status;
}
