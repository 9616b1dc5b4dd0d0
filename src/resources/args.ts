/**
 * How arguments are described, each once. The check at run time, the diff and the tables of docs/reference are read
 * from the description. The meaning of an argument is the doc comment in the interface of the arguments. The type
 * `ArgsSpec<…>` makes the compiler compare the two: they must have the same names, the same types and the same required
 * arguments. Where only some combinations of arguments are valid, `Form<…>` names each of them for the compiler, beside
 * the `check` that refuses the others.
 */

import type { FieldSpec, Kind, Problem, Shape } from "../values/kinds";
import * as kinds from "../values/kinds";
import { canonical, isPlainMap, unknown } from "../values/plain";

/** Checks a value of a program. Refuses also what no program means: the text of an Output. */
export function checkValue(shape: Shape, value: unknown, path: string, problems: Problem[]): unknown {
  return kinds.checkValue(shape, withoutOutputTexts(value, path, problems), path, problems);
}

/** Checks arguments of a program, in the same way. */
export const checkFields: typeof kinds.checkFields = (specs, args, path, problems, others) =>
  kinds.checkFields(specs, withoutOutputTexts(args, path, problems) as typeof args, path, problems, others);

/** A map with fields of known names. */
export function object<T>(fields: ArgsSpec<T>): Kind<T> {
  return { is: "object", fields };
}

/** The description of one argument. */
export interface ArgSpec extends FieldSpec {
  /** A changed value makes the engine replace the resource. */
  readonly replaces?: boolean;
  /** Says how the resource is managed, not what it is: a change makes no call and repeats no work. */
  readonly option?: boolean;
  /** Only create needs it: an existing resource can be looked up without it. */
  readonly createOnly?: boolean;
  /** The class gives the value to `check`, which derives the argument from it. */
  readonly givenByClass?: boolean;
}

export type ArgSpecs = Readonly<Record<string, ArgSpec>>;

/** The description that fits the interface `Args`, or the union of its forms, and no other. */
export type ArgsSpec<Args, Derived extends string = never> = {
  // The names of a union are taken together, because `Exclude` keeps the mapped type from distributing over its forms.
  readonly [Name in Exclude<keyof Args, never>]: DescribedArg<Exclude<Args[Name], undefined>> &
    (undefined extends Args[Name] ? { readonly required?: false } : { readonly required: true });
} & { readonly [Name in Derived]: ArgSpec & { readonly derived: true } };

/**
 * A valid combination of the arguments `Args`: all of `Needs` are given, none of `Lacks`, and the others as in `Args`.
 */
export type Form<Args, Needs extends keyof Args, Lacks extends keyof Args = never> = Omit<Args, Needs | Lacks> &
  Required<Pick<Args, Needs>> & { [Name in keyof Pick<Args, Lacks>]?: undefined };

interface DescribedArg<T> extends ArgSpec {
  readonly kind: Kind<T>;
  readonly default?: T;
}

/** The arguments that determine a resource's work: all but options. */
export function workArgs(specs: ArgSpecs, from: object): Record<string, unknown> {
  const names = Object.keys(specs).filter((name) => !specs[name]?.option);
  return Object.fromEntries(names.map((name) => [name, (from as Record<string, unknown>)[name]]));
}

/** The names of the arguments that differ between two versions of a resource, without options. */
export function changedArgs(specs: ArgSpecs, before: object, now: object): string[] {
  const old = workArgs(specs, before);
  return Object.entries(workArgs(specs, now)).flatMap(([name, value]) =>
    canonical(old[name]) === canonical(value) ? [] : [name],
  );
}

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
    problems.push(...kinds.shortened(found, path));
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
