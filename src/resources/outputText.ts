import type { Problem } from "../values/kinds";
import { shortened } from "../values/kinds";
import { isPlainMap, unknown } from "./values";

/**
 * What an Output becomes where a program makes a string or JSON of it: the SDKs return a text in place of the value,
 * and the service would get the text. By language, with what to use. Only the beginnings, because JSON escapes some of
 * the characters behind them.
 */
const texts: readonly (readonly [RegExp, string])[] = [
  [/Calling \[toString\] on an \[Output/, "pulumi.interpolate`…`, pulumi.concat(…) or output.apply(…)"],
  [/Calling \[toJSON\] on an \[Output/, "pulumi.jsonStringify(…) in place of JSON.stringify(…)"],
  [/Calling __str__ on an Output/, "pulumi.Output.concat(…), pulumi.Output.format(…) or output.apply(…)"],
  // Go prints the address of the Output, which is another one in each run.
  [/\{(?:OutputState:)?0x[0-9a-f]{9,16}\}|\(\*internal\.OutputState=/, "pulumi.Sprintf(…) or ApplyT(…)"],
  [/Calling \[ToString\] on an \[Output/, 'Output.Format($"…") or output.Apply(…)'],
  [/Calling 'toString' on an 'Output/, "Output.format(…) or output.applyValue(…)"],
];

/**
 * Adds a problem for each string of a value, also of its keys, that contains the text of an Output. Returns the value
 * with `unknown` in place of these parts, so that later checks do not repeat a problem.
 */
export function withoutOutputTexts(value: unknown, path: string, problems: Problem[]): unknown {
  if (typeof value === "string") {
    return isRefused(value, "", path, problems) ? unknown : value;
  }
  if (Array.isArray(value)) {
    const found: Problem[] = [];
    const items = value.map((each, index) => withoutOutputTexts(each, `${path}[${index}]`, found));
    problems.push(...shortened(found, path));
    return items;
  }
  if (!isPlainMap(value)) {
    return value;
  }
  const entries = Object.entries(value).map(([name, each]) => {
    const isSound = !isRefused(name, "a key with ", path, problems);
    return [name, isSound ? withoutOutputTexts(each, path === "" ? name : `${path}.${name}`, problems) : unknown];
  });
  return Object.fromEntries(entries);
}

function isRefused(text: string, where: string, path: string, problems: Problem[]): boolean {
  const [, instead] = texts.find(([ofOutput]) => ofOutput.test(text)) ?? [];
  if (instead !== undefined) {
    const reason = `has ${where}the text that Pulumi puts in place of the value of an Output. To make a string of an Output, use ${instead}`;
    problems.push({ path, reason });
  }
  return instead !== undefined;
}
