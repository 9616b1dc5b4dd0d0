/** The shape of the state file, as JSON Schema. A file of a later version of this format can have more properties. */

import { plans } from "../seed";

const text = { type: "string" };
const integer = { type: "integer" };
const list = (items: object) => ({ type: "array", items });
const record = (properties: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: "object",
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
});
const pair = (item: object) => ({ type: "array", items: item, minItems: 2, maxItems: 2 });

const tokens = list(
  record({ value: text, account: text }, { expiresAt: { type: "number" }, uses: integer, dead: { type: "boolean" } }),
);
const visits = list(
  record(
    { kind: { enum: ["list", "form", "detail"] }, url: text },
    { text, page: integer, visited: list(text), row: { type: "object", additionalProperties: text } },
  ),
);
const action = record(
  { actionType: text, actionId: text, properties: list(pair(text)), loopItems: list(text) },
  { name: text, loopType: text },
);
const errors = list(record({ url: text, message: text }, { others: integer }));
const subtask = record({
  subTaskId: text,
  status: { enum: ["waiting", "extracting", "stopped", "finished", "failed"] },
  queue: visits,
  failed: visits,
  errors,
  pagesRead: integer,
  unreleased: list(text),
  syntheticRows: integer,
});

export const stateSchema = record({
  plan: { enum: plans },
  credentials: record({ accessTokens: tokens, refreshTokens: tokens, apiKeys: tokens }),
  groups: list(record({ taskGroupId: text, account: text }, { name: text })),
  tasks: list(
    record(
      {
        taskId: text,
        taskGroupId: text,
        account: text,
        startUrls: text,
        actions: list(action),
        urlsPerSubtask: { type: "integer", minimum: 1 },
        syntheticSubtasks: { type: "integer", minimum: 1 },
      },
      { name: text, syntheticRows: integer },
    ),
  ),
  runs: list(
    record(
      {
        lotNo: { type: "string", pattern: "^\\d+$" },
        taskId: text,
        split: { type: "boolean" },
        subtasks: list(subtask),
        rows: record({ generated: integer, texts: list(text) }),
        exported: list(pair(integer)),
        handedOut: list(pair(integer)),
        listLag: integer,
        readsLeft: integer,
        readsAsked: integer,
        lateReads: record({ left: integer, of: integer }),
      },
      { startedAt: integer, endedAt: integer },
    ),
  ),
});
