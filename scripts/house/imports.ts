import type { House } from "./source";
import { importsOf, under } from "./source";

/** Part of `src` -> what its files may import, besides packages. A part is a folder; a path is one file. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  service: ["src/service"],
  resources: ["src/resources", "src/service"],
  pulumi: ["src/pulumi", "src/resources", "src/service"],
  manifest: ["src/manifest", "src/pulumi", "src/resources", "src/service"],
  // The emulator stands for the service: were it to share the client's code, they would share its mistakes.
  emulator: ["src/emulator", "src/service/types", "src/service/operations"],
};

/** Parts that know nothing of Pulumi. */
const withoutPulumi = ["service", "resources", "emulator"];

/** Imports point one way: cli, manifest -> pulumi -> resources -> service. */
export function importsGoOneWay(house: House): string[] {
  return Object.entries(mayImport).flatMap(([part, allowed]) =>
    under(house, `src/${part}`).flatMap((source) =>
      importsOf(source)
        .filter((imported) => imported.startsWith("src/") && !allowed.some((prefix) => isWithin(imported, prefix)))
        .map((imported) => `${source.path} imports ${imported}; it may import ${allowed.join(", ")} only`),
    ),
  );
}

/** Only the front knows Pulumi: the client and the resources are usable without it. */
export function pulumiStaysInTheFront(house: House): string[] {
  return withoutPulumi.flatMap((part) =>
    under(house, `src/${part}`).flatMap((source) =>
      importsOf(source)
        .filter((imported) => imported.startsWith("@pulumi"))
        .map((imported) => `${source.path} imports ${imported}; only src/pulumi and src/manifest may`),
    ),
  );
}

function isWithin(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
