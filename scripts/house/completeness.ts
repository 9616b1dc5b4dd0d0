import { type House, under } from "./source";

/** An operation has a row in the table, a method of the client, an entry in the contract and a handler in the emulator. */
export function operationsAreComplete(house: House): string[] {
  const names = matches(house.read("src/service/operations.ts"), /\bname: "(\w+)"/g);
  const emulator = under(house, "src/emulator")
    .map(({ text }) => text)
    .join("\n");
  return unique(names).flatMap((name) => [
    ...missing(house.read("openapi.yaml"), `operationId: ${name}`, `operation ${name} is not in openapi.yaml`),
    ...missing(house.read("src/service/client.ts"), name, `operation ${name} has no method in src/service/client.ts`),
    ...missing(emulator, name, `operation ${name} has no handler in src/emulator`),
  ]);
}

/** A resource has a line in the list, a class, a test and a word in the documentation. */
export function resourcesAreComplete(house: House): string[] {
  const list = /export const resources\b[^{]*\{([^}]*)\}/.exec(house.read("src/resources/index.ts") ?? "")?.[1];
  const rows = [...(list ?? "").matchAll(/(\w+): (\w+)/g)].map(
    ([, type, file]) => [String(type), String(file)] as const,
  );
  const documentation = house.read("README.md") ?? "";
  return rows.flatMap(([type, file]) => [
    ...missing(
      house.read("src/pulumi/classes.ts"),
      `class ${type}`,
      `resource ${type} has no class in src/pulumi/classes.ts`,
    ),
    ...missing(
      house.read(`test/resources/${file}.test.ts`) ?? house.read(`test/engine/${file}.test.ts`),
      "",
      `resource ${type} has no ${file}.test.ts in test/resources or test/engine`,
    ),
    ...missing(documentation, type, `resource ${type} is not mentioned in README.md`),
  ]);
}

/** The engine that is made where none is found is the one that goes with the SDK: three files say its version. */
export function engineFitsSdk(house: House): string[] {
  const sdk = matches(house.read("package.json"), /"@pulumi\/pulumi": "(\d+\.\d+\.\d+)"/g)[0];
  const engine = matches(house.read("scripts/engine/engine.ts"), /engineVersion = "([^"]+)"/g)[0];
  const module = matches(house.read("scripts/engine/pulumi/go.mod"), /pulumi\/pkg\/v3 v(\S+)/g)[0];
  return sdk === engine && engine === module
    ? []
    : [
        `versions differ: @pulumi/pulumi ${sdk} in package.json, ${engine} in scripts/engine/engine.ts, ${module} in its go.mod`,
      ];
}

function missing(text: string | undefined, word: string, complaint: string): string[] {
  const found = text !== undefined && (word === "" || new RegExp(`\\b${word}\\b`).test(text));
  return found ? [] : [complaint];
}

function matches(text: string | undefined, pattern: RegExp): string[] {
  return [...(text ?? "").matchAll(pattern)].map((match) => String(match[1]));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
