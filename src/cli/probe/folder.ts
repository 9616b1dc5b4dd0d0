import { isPlainMap } from "../../resources/values";
import type { ProbeReport } from "./probe";
import { shapeOf, vocabulary } from "./question";
import { commandsOf, markdownOf, valuesByName } from "./report";
import type { RawResponse } from "./requests";

export const fileNames = ["report.md", "config.sh", "behaviours.yaml", "responses.json"] as const;

/** The files of a probe that writes, by their names. None holds a host, an id, a credential or a value of a row. */
export function filesOf(
  report: ProbeReport,
  responses: readonly RawResponse[],
): Record<(typeof fileNames)[number], string> {
  return {
    "report.md": markdownOf(report),
    "config.sh": configOf(report),
    "behaviours.yaml": behavioursOf(report),
    "responses.json": `${JSON.stringify(distinct(responses), undefined, 2)}\n`,
  };
}

function configOf({ findings, settings }: ProbeReport): string {
  const args = findings.flatMap(({ argument }) => argument ?? []);
  return [
    "#!/bin/sh",
    "# The settings that fit the service, for the selected stack. Read them before you run this file.",
    "set -e",
    ...commandsOf(settings),
    ...args.map((argument) => `# In the program: ${argument}`),
    ...(settings.length + args.length === 0 ? ["# The present settings fit."] : []),
    "",
  ].join("\n");
}

/** One value of each behaviour that was seen. A later question knows more than an earlier one. */
export function behaviourValues({ findings }: ProbeReport): Map<string, string[]> {
  return new Map(findings.flatMap(({ behaviours }) => [...valuesByName(behaviours)]));
}

function behavioursOf(report: ProbeReport): string {
  const lines = [...behaviourValues(report)].flatMap(([name, [value, ...others]]) => {
    const comment = others.length === 0 ? "" : ` # or ${others.join(", ")}: the responses do not tell them apart`;
    return value === undefined ? [] : [`  ${name}: ${/^\d+$/.test(value) ? value : JSON.stringify(value)}${comment}`];
  });
  return [
    "# How the service behaves. An emulator behaves like it: webextract-emulator --behaviours behaviours.yaml",
    `behaviour:${lines.length === 0 ? " {}" : ""}`,
    ...lines,
    "",
  ].join("\n");
}

interface Shown {
  operation: string;
  status: number;
  rateHeaders: readonly string[];
  body: unknown;
}

/** Each response once, with values replaced. */
function distinct(responses: readonly RawResponse[]): Shown[] {
  const shown = responses.map(({ operation, status, rateHeaders, body, bytes }) => ({
    ...{ operation, status, rateHeaders },
    body: body === undefined ? `${bytes === 0 ? "nothing" : "no JSON"}` : withoutValues(body),
  }));
  return [...new Map(shown.map((each) => [JSON.stringify(each), each])).values()];
}

/** Names that are of the service, and never of a user. All others are replaced. */
const namesOfService = new Set(
  (
    "data requestId error error_Description error_description code message taskId taskIds actions actionId actionType name value properties loopItems loopType " +
    "isAppend updatedParameters lotNo status subTaskId total restTotal offset current access_token expires_in token_type refresh_token"
  ).split(" "),
);
/** Numbers that say nothing about a user. */
const counts = new Set(["total", "restTotal", "offset", "current", "expires_in"]);
/** Words of the vocabulary of the service. */
const words = new Set(["actionType", "loopType", "status", "code", "error", "token_type"]);

function withoutValues(value: unknown, name = "", isRow = false): unknown {
  if (Array.isArray(value)) {
    const items = value.slice(0, 2).map((each) => withoutValues(each, name, isRow));
    return value.length > 2 ? [...items, "…"] : items;
  }
  if (isPlainMap(value)) {
    const isPage = Array.isArray(value.data) && "total" in value;
    const isProperty = "value" in value && "name" in value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each], index) => {
        const isKnown = namesOfService.has(key) && !isRow && name !== "properties";
        const hides = isRow || (isPage && key === "data") || (isProperty && key === "name");
        return [
          isKnown || (isProperty && !isRow) ? key : `field${index + 1}`,
          withoutValues(each, isKnown ? key : "", hides),
        ];
      }),
    );
  }
  if (isRow) {
    return `<${value === null ? "null" : typeof value}>`;
  }
  if (value === null || typeof value === "boolean") {
    return value;
  }
  if (counts.has(name) && typeof value === "number") {
    return value;
  }
  const [word] = words.has(name) ? vocabulary([value]) : [];
  return word ?? `<${typeof value === "string" ? shapeOf(value) : typeof value}>`;
}
