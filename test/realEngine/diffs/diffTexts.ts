import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { RunResult } from "../harness";
import { repositoryRoot } from "../harness/package";
import type { World } from "../world";
import { Names, resourcesShown } from "./previewText";

export interface Scene {
  /** The program of the preview. Default: the present program. */
  program?: string;
  /** Further arguments of the preview. */
  args?: readonly string[];
  /** Environment variables of the preview and of the up. */
  env?: Readonly<Record<string, string>>;
  /** Whether an up follows. Default true. Without an up, the state does not change, and the command takes half of the time. */
  up?: boolean;
}

/** If set, the tests write the files instead of comparing with them. */
const writes = process.env.WRITE_DIFFS === "true";

/**
 * The golden files: the output of `pulumi preview --diff`, one file for each type of resource, one section for each scene. A section contains the
 * complete diff of the resources of the file's type, and one line for each other resource.
 */
export class DiffTexts {
  readonly names = new Names();
  private readonly sections: Map<string, Map<string, string>>;
  /** Scenes that have begun and not ended: after a failure, the sections are not complete. */
  private readonly open = new Set<string>();

  constructor(
    private readonly types: readonly string[],
    /** Of the files. */
    private readonly folder = __dirname,
    private readonly writeProgram = (world: World, program: string): void => world.program(program),
  ) {
    if (writes && process.env.CI !== undefined) {
      throw new Error("WRITE_DIFFS is for people: in CI the texts are compared.");
    }
    this.sections = new Map(types.map((type) => [type, new Map<string, string>()]));
  }

  /** Previews a program, compares the output with the files, and applies the program. @returns the preview's output. */
  async shows(world: World, title: string, { program, args = [], env = {}, up = true }: Scene = {}): Promise<string> {
    this.begin(title);
    if (program !== undefined) {
      this.writeProgram(world, program);
    }
    world.operations();
    // One command where an up follows: another start of the engine takes as long as the preview itself.
    const command = up ? ["up", "--yes"] : ["preview"];
    const output = this.read(world, await world.project.run(command, { args: ["--diff", ...args], env }));
    this.compare(title, output);
    return output;
  }

  /** Notes that a scene has begun. */
  begin(title: string): void {
    this.open.add(title);
  }

  /** Names the ids of the state, and searches the output for what must not be shown. @returns the part of a preview. */
  read(world: World, result: RunResult): string {
    const [output = ""] = result.output.split(/^Updating \(/m);
    this.requireNothingOfOurs(world, result.output);
    this.names.set(world.emulator.url, "the service");
    this.names.addFrom(world.project);
    return output;
  }

  /**
   * Compares the part of a preview with the section of a scene.
   * @param mark the end of the names of the scene's resources, which the files do not contain
   */
  compare(title: string, output: string, mark = ""): void {
    const texts = this.types.map((type) => [type, this.textOf(type, output, mark)] as const);
    for (const [type, text] of texts) {
      this.sections.get(type)?.set(title, text);
      assert.equal(text, writes ? text : sectionsOf(this.fileOf(type)).get(title), `${type}, "${title}"`);
    }
    this.open.delete(title);
  }

  /** Writes the files, or fails if they contain a section without a scene. Writes nothing after a failed scene. */
  finish(): void {
    if (writes && this.open.size > 0) {
      throw new Error(`No golden file was written, because scenes failed: ${[...this.open].join(", ")}.`);
    }
    for (const [type, sections] of this.sections) {
      if (writes) {
        writeFileSync(this.fileOf(type), this.fileText(type, sections));
      } else {
        assert.deepEqual(
          [...sectionsOf(this.fileOf(type)).keys()],
          [...sections.keys()],
          `sections of ${this.fileOf(type)}`,
        );
      }
    }
  }

  private textOf(type: string, output: string, mark: string): string {
    const shown = resourcesShown(output, mark);
    const own = shown.filter((each) => each.type === type).map(({ lines }) => lines.join("\n"));
    const others = shown
      .filter((each) => !this.types.includes(each.type))
      .map((each) => `besides: ${each.step} ${each.type} ${each.name}`);
    const text = this.names.in([...(own.length > 0 ? own : ["(nothing)"]), ...others].join("\n"));
    return text.replaceAll(mark, "");
  }

  private fileOf(type: string): string {
    return join(this.folder, `${type}.txt`);
  }

  private fileText(type: string, sections: ReadonlyMap<string, string>): string {
    const tests = `${relative(repositoryRoot, this.folder)}/*.test.ts`;
    const intro = `What \`pulumi preview --diff\` shows of ${type} resources. Tests compare it; WRITE_DIFFS=true npx mocha ${tests} writes it anew.\n`;
    return [intro, ...[...sections].map(([title, text]) => `\n## ${title}\n\n${text}\n`)].join("");
  }

  private requireNothingOfOurs(world: World, output: string): void {
    assert.doesNotMatch(output, /__provider|createRequire/);
    for (const credential of Object.values(world.emulator.credentials)) {
      assert.ok(!output.includes(credential), "a credential is shown");
    }
  }
}

function sectionsOf(file: string): Map<string, string> {
  const parts = existsSync(file) ? readFileSync(file, "utf8").split(/^## /m).slice(1) : [];
  return new Map(
    parts.map((part) => {
      const [title = "", ...lines] = part.split("\n");
      return [title, lines.join("\n").trim()];
    }),
  );
}
