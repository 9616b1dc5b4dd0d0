import type { AdminHandler } from "./adminHandler";
import { changeFields, changeResults } from "./changeFields";

export const changeHandlers: { change: AdminHandler<"change"> } = {
  change({ change }, { body }) {
    // The check against admin.openapi.yaml has ensured that the fields are those of the change.
    const given = body as unknown as Record<string, never>;
    const make = change[body.change].bind(change) as (...args: never[]) => unknown;
    const made = make(...changeFields[body.change].map((field) => given[field] as never));
    const result = changeResults[body.change];
    return result === undefined ? {} : { [result]: made };
  },
};
