import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Manifests, Variables } from "../internals/manifest";
import { describeProblem, readManifests } from "../internals/manifest";

/** A temporary folder with manifests. */
export class ManifestFolder {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), "webextract-manifest-")));

  /** Replaces all files by these. */
  write(files: Readonly<Record<string, string | Buffer>>): void {
    rmSync(join(this.path), { recursive: true });
    mkdirSync(this.path);
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, name)), { recursive: true });
      writeFileSync(join(this.path, name), content);
    }
  }

  read(
    paths: string | readonly string[] = ".",
    variables: Readonly<Record<string, unknown>> = {},
    mayBeStored?: boolean,
  ): Manifests {
    return readManifests({ paths: [paths].flat(), folder: this.path, variables: plain(variables), mayBeStored });
  }

  /** The tasks of one file `novels.yaml`, which must have no problem. */
  tasksOf(text: string, variables?: Readonly<Record<string, unknown>>): Manifests["tasks"] {
    this.write({ "novels.yaml": text });
    return this.tasks(".", variables);
  }

  tasks(paths?: string | readonly string[], variables?: Readonly<Record<string, unknown>>): Manifests["tasks"] {
    const { tasks, problems } = this.read(paths, variables);
    if (problems.length > 0) {
      throw new Error(problems.map(describeProblem).join("\n"));
    }
    return tasks;
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}

/** Stands for an output: a value that the program does not know yet. */
export class Later {
  constructor(readonly parts: readonly unknown[]) {}
}

function plain(values: Readonly<Record<string, unknown>>): Variables {
  return {
    values,
    isLater: (value) => value instanceof Later,
    join: (parts) => new Later(parts),
  };
}
