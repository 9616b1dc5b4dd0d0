import type { House } from "./source";
import { importsOf, under } from "./source";

/** Folder or file of `src` -> what it may import, besides packages. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  "src/service": ["src/service"],
  "src/resources": ["src/resources", "src/service"],
  "src/engine": ["src/engine", "src/resources", "src/service"],
  "src/provider": ["src/provider", "src/engine", "src/config", "src/resources", "src/service"],
  "src/program": ["src/program", "src/engine", "src/config", "src/resources", "src/service"],
  "src/manifest": ["src/manifest", "src/program", "src/resources", "src/service"],
  // The emulator stands for the service: were it to share the client's code, they would share its mistakes.
  emulator: ["emulator"],
};

/** Parts that know nothing of Pulumi. */
const withoutPulumi = ["src/service", "src/resources", "emulator"];

/** Imports point one way: cli, manifest -> program; program, provider -> engine, config, resources -> service. */
export function importsGoOneWay(house: House): string[] {
  return Object.entries(mayImport).flatMap(([part, allowed]) =>
    under(house, part).flatMap((source) =>
      importsOf(source)
        .filter((imported) => isOwn(imported) && !allowed.some((prefix) => isWithin(imported, prefix)))
        .map((imported) => `${source.path} imports ${imported}; it may import ${allowed.join(", ")} only`),
    ),
  );
}

/** Only the front knows Pulumi: the client and the resources are usable without it. */
export function pulumiStaysInTheFront(house: House): string[] {
  return withoutPulumi.flatMap((part) =>
    under(house, part).flatMap((source) =>
      importsOf(source)
        .filter((imported) => imported.startsWith("@pulumi"))
        .map((imported) => `${source.path} imports ${imported}; only program, provider and engine may`),
    ),
  );
}

/** A file of one of the two packages; anything else that is imported is somebody else's. */
function isOwn(imported: string): boolean {
  return ["src", "emulator", "webextract-emulator"].some((own) => isWithin(imported, own));
}

function isWithin(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
