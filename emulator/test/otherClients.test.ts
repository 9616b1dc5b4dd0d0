import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { allTests } from "../../test/eachTest";
import { startWith } from "./caller";

/** A request as another client sends it, and what the emulator does with it. */
interface Case {
  /** Its row in emulator/docs/operations.md. */
  sends: string;
  request(emulator: Emulator): [path: string, init: RequestInit & { headers?: Record<string, string> }];
  /** The message of the refusal; absent if the request is taken. */
  refused?: string;
}

const json = { "content-type": "application/json" };
const bearer = ({ credentials: { accessToken } }: Emulator) => ({ authorization: `Bearer ${accessToken}` });
const get = (query: string, headers?: (emulator: Emulator) => Record<string, string>): Case["request"] => {
  return (emulator) => [`/data/all?${query}`, { headers: (headers ?? bearer)(emulator) }];
};
const post = (path: string, body?: unknown, type: Record<string, string> = json): Case["request"] => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return (emulator) => [
    path,
    {
      method: "POST",
      headers: { ...bearer(emulator), ...(text === undefined ? {} : type) },
      ...(text === undefined ? {} : { body: text }),
    },
  ];
};
const loop = { taskId: "template", actionId: "list", loopType: "UrlList", isAppend: false };
const copied = "/task/copy?taskId=template&taskGroupId=group";

const form = (fields: [name: string, value: string | Blob][]): Case["request"] => {
  return ({ credentials: { apiKey } }) => {
    const body = new FormData();
    for (const [name, value] of fields) body.append(name, value);
    return ["/task/urls:file", { method: "POST", headers: { "X-API-KEY": apiKey }, body }];
  };
};
const file = new Blob(["http://shop.test/1\n"]);

const page = "taskId=template&offset=0&size=10";
const cases: Case[] = [
  {
    sends: "`bearer` in lower case",
    request: get(page, (e) => ({ authorization: `bearer ${e.credentials.accessToken}` })),
  },
  {
    sends: "two spaces after `Bearer`",
    request: get(page, (e) => ({ authorization: `Bearer  ${e.credentials.accessToken}` })),
  },
  {
    sends: "the access token without `Bearer`",
    request: get(page, (e) => ({ authorization: e.credentials.accessToken })),
    refused: "getData needs the header Authorization: Bearer",
  },
  {
    sends: "`X-API-KEY` in capitals, the form's file before its `taskId`",
    request: form([
      ["file", file],
      ["taskId", "template"],
    ]),
  },
  {
    sends: "the form's file as `File`",
    request: form([
      ["taskId", "template"],
      ["File", file],
    ]),
    refused: "file is required",
  },
  {
    sends: "`size` as text, in quotes",
    request: get('taskId=template&offset=0&size="10"'),
    refused: "size must be integer",
  },
  { sends: "`size` as text, in a query", request: get(page) },
  {
    sends: "`size` with a decimal point",
    request: get("taskId=template&offset=0&size=10.0"),
    refused: "size must be integer",
  },
  { sends: "a parameter that the contract does not have, such as `_=1`", request: get(`${page}&_=1`) },
  {
    sends: "parameters in another case, in a query",
    request: get("TaskId=template&Offset=0&Size=10"),
    refused: "taskId is required: the contract spells it so, not TaskId",
  },
  {
    sends: "parameters in another case, in a body",
    request: post("/data/markexported", { taskID: "template" }),
    refused: "taskId is required: the contract spells it so, not taskID",
  },
  {
    sends: "a path in another case, or with a slash at its end",
    request: (e) => [`/Data/All/?${page}`, { headers: bearer(e) }],
    refused: "there is no such operation: the contract spells the path /data/all",
  },
  {
    sends: "an id with spaces around it",
    request: get("taskId=%20template%20&offset=0&size=1"),
    refused: "task  template  does not exist",
  },
  {
    sends: "an id in another case",
    request: get("taskId=TEMPLATE&offset=0&size=1"),
    refused: "task TEMPLATE does not exist",
  },
  {
    sends: "an id in braces, as some tools write a UUID",
    request: get("taskId=%7Btemplate%7D&offset=0&size=1"),
    refused: "task {template} does not exist",
  },
  {
    sends: "a bare id in place of a list",
    request: post("/task/getActions", { taskIds: "template", actionTypes: [] }),
    refused: "taskIds must be array",
  },
  { sends: "an id as a number", request: post("/data/markexported", { taskId: 7 }), refused: "taskId must be string" },
  {
    sends: "`isAppend` as text",
    request: post("/task/updateLoopItems", { ...loop, loopItems: ["http://shop.test/1"], isAppend: "false" }),
    refused: "isAppend must be boolean",
  },
  {
    sends: "loop items as one text with line breaks",
    request: post("/task/updateLoopItems", { ...loop, loopItems: "http://shop.test/1\nhttp://shop.test/2" }),
    refused: "loopItems must be array",
  },
  {
    sends: "JSON body on copy, in place of the query",
    request: post("/task/copy", { taskId: "template", taskGroupId: "group" }),
    refused: "copyTask takes its fields in the query and no body, as the contract says",
  },
  { sends: "an empty JSON object on copy, beside the query", request: post(copied, {}) },
  { sends: "`Content-Type: application/json` on copy, without a body", request: post(copied, "", json) },
  {
    sends: "a charset in the `Content-Type`",
    request: post("/data/markexported", { taskId: "template" }, { "content-type": "application/json; charset=utf-8" }),
  },
  {
    sends: "a form in place of JSON",
    request: post("/data/markexported", "taskId=template", { "content-type": "application/x-www-form-urlencoded" }),
    refused: "the body must be application/json",
  },
];

describe("a request as another client sends it", () => {
  const emulator = allTests(() => startWith());

  for (const { sends, request, refused } of cases) {
    it(`${sends}: ${refused === undefined ? "is taken" : "is refused, and the message says why"}`, async () => {
      const [path, init] = request(emulator);
      const response = await fetch(emulator.url + path, init);
      const { error } = (await response.json()) as { error?: { message: string } };
      assert.deepEqual([response.ok, error?.message], [refused === undefined, refused]);
    });
  }

  it("has a line in the documentation with the decision", () => {
    const text = readFileSync(join(__dirname, "../../emulator/docs/operations.md"), "utf8");
    const rows = cases.map(({ sends, refused }) => {
      return `| ${sends} | ${refused === undefined ? "taken" : `refused: ${refused}`} |`;
    });
    assert.ok(text.includes(rows.join("\n")), rows.join("\n"));
  });
});
