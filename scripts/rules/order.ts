import { posix } from "node:path";
import ts from "typescript";
import type { Project } from "./project";
import { under } from "./project";

/**
 * Parts of the project whose folders and files have an order, in which a request passes them: each imports only what stands after it. The linter refuses
 * cycles within a folder.
 */
const orders: Readonly<Record<string, readonly string[]>> = {
  "emulator/src": [
    ...["cli", "index", "startEmulator", "admin", "page", "accounts", "emulator", "changes", "inspect"],
    ...["http", "handlers", "service", "runs", "store", "extraction", "faults"],
    ...["visit", "limits", "behaviour", "contract", "errors", "generated"],
  ],
  "src/service": [
    ...["index", "client", "rows", "settings", "http", "auth", "files", "errors", "contract"],
    ...[
      "environment",
      "noProxy",
      "options",
      "clock",
      "onAbort",
      "compiledCode",
      "ownPackage",
      "parsedJson",
      "serviceAddress",
      "parsedUrl",
    ],
  ],
};

/** Refuses imports, also of types, that lead back in the order of their part. */
export function importsFollowTheOrder(project: Project): string[] {
  return Object.entries(orders).flatMap(([part, order]) => {
    const placeIn = (path: string): number => order.indexOf(nameIn(part, path));
    return under(project, part).flatMap(({ path, text }) => {
      const place = placeIn(path);
      if (place < 0)
        return [`${path}: write ${nameIn(part, path)} into the order of ${part} in scripts/rules/order.ts`];
      return importsOf(path, text)
        .filter((imported) => imported.startsWith(`${part}/`) && placeIn(imported) < place)
        .map(
          (imported) => `${path} imports ${imported}, which stands before it in the order of scripts/rules/order.ts`,
        );
    });
  });
}

/** The folder, or the file without its ending, of a part. */
function nameIn(part: string, path: string): string {
  return path.slice(part.length + 1).split(/[/.]/)[0] ?? "";
}

/** The files of the project that a file imports, without their endings. */
function importsOf(path: string, text: string): string[] {
  return ts
    .preProcessFile(text)
    .importedFiles.filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => posix.join(posix.dirname(path), fileName));
}
