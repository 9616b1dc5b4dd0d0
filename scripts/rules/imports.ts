import { posix } from "node:path";
import ts from "typescript";
import type { Project, Source } from "./project";
import { under } from "./project";
import { doors, entries, groundFloor, knowPulumi, mayImport, orders } from "./walls";

const where = "scripts/rules/walls.ts";

/** Refuses imports, also of types, into a room that is not among those of {@link mayImport}. */
export function importsKeepTheWalls(project: Project): string[] {
  return project.sources.flatMap((source) => {
    const from = roomOf(source.path);
    if (from === undefined) return [];
    return importsIn(project, source).flatMap((imported) => {
      const to = roomOf(imported) ?? imported;
      const isAllowed = to === from || mayImport[from]?.some((room) => room === to || imported.startsWith(`${room}/`));
      return isAllowed ? [] : [`${source.path} imports ${imported}, which ${from} may not: see ${where}`];
    });
  });
}

/** Refuses Pulumi and its protocol in rooms that do not know it, and the package itself in its parts. */
export function packagesStayInTheirRooms({ sources }: Project): string[] {
  return sources.flatMap(({ path, text }) => {
    const room = roomOf(path);
    if (room === undefined) return [];
    const refused = knowPulumi.includes(room) ? /^pulumi-webextract\b/ : /^(?:@pulumi\/|@grpc\/|pulumi-webextract\b)/;
    return namesIn(text)
      .filter((name) => refused.test(name) || (name === "webextract-emulator" && room !== "emulator/src"))
      .map((name) => `${path} imports ${name}, which ${room} may not: see ${where}`);
  });
}

/** Refuses a module of `src` that another part imports without a door, and a door that nobody uses. */
export function partsUseTheDoors(project: Project): string[] {
  return Object.entries(doors).flatMap(([part, open]) => {
    const used = new Set(
      under(project, part).flatMap((source) =>
        importsIn(project, source).filter(
          (imported) => imported.startsWith("src/") && !groundFloor.some((room) => imported.startsWith(`${room}/`)),
        ),
      ),
    );
    return [
      ...[...used].filter((each) => !open.includes(each)).map((each) => `${part} imports ${each}: no door in ${where}`),
      ...open.filter((each) => !used.has(each)).map((each) => `${where}: ${part} does not import ${each} any more`),
    ];
  });
}

/** Refuses a module of `src` that no entry of the package reaches: it belongs to another part, or goes. */
export function srcHoldsWhatEntriesReach(project: Project): string[] {
  const sources = new Map(under(project, "src").map((source) => [source.path, source]));
  const reached = new Set<string>();
  const next = entries.filter((entry) => sources.has(entry));
  for (const path of next) {
    const source = sources.get(path);
    if (reached.has(path) || source === undefined) continue;
    reached.add(path);
    next.push(...importsIn(project, source));
  }
  return [...sources.keys()]
    .filter((path) => !reached.has(path))
    .map((path) => `${path} is reached by no entry of the package: move it to the part that uses it`);
}

/** Refuses imports, also of types, that lead back in the order of their part. The linter refuses cycles within a folder. */
export function importsFollowTheOrder(project: Project): string[] {
  return Object.entries(orders).flatMap(([part, order]) => {
    const placeIn = (path: string): number => order.indexOf(nameIn(part, path));
    return under(project, part).flatMap((source) => {
      const { path } = source;
      const place = placeIn(path);
      if (place < 0) return [`${path}: write ${nameIn(part, path)} into the order of ${part} in ${where}`];
      return importsIn(project, source)
        .filter((imported) => imported.startsWith(`${part}/`) && placeIn(imported) < place)
        .map((imported) => `${path} imports ${imported}, which stands before it in the order of ${where}`);
    });
  });
}

/** The innermost room of a file; undefined for a file in no room, such as a test. */
function roomOf(path: string): string | undefined {
  const rooms = Object.keys(mayImport).filter((room) => path === room || path.startsWith(`${room}/`));
  return rooms.sort((a, b) => b.length - a.length)[0];
}

/** The folder, or the file without its ending, of a part. */
function nameIn(part: string, path: string): string {
  return path.slice(part.length + 1).split(/[/.]/)[0] ?? "";
}

/** The files of the project that a file imports. */
function importsIn({ exists }: Project, { path, text }: Source): string[] {
  return namesIn(text)
    .filter((name) => name.startsWith("."))
    .map((name) => posix.join(posix.dirname(path), name))
    .map((file) => [`${file}.ts`, `${file}/index.ts`].find(exists) ?? file);
}

function namesIn(text: string): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}
