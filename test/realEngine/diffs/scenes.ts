import type { WorldOptions } from "../world";
import { World } from "../world";
import { DiffTexts } from "./diffTexts";

/** One case of the previews of a file. */
export interface Scene<Declared> {
  /** What is declared before the preview. Default: the plain program. */
  before?: Declared | "nothing";
  /** What the previewed program declares. Default: the same as before. */
  after?: Declared | "nothing" | ((own: Own) => Declared);
  /** What others change at the service or in files before the preview, which refreshes. */
  drift?: (own: Own) => void;
  /** Whether a preview with a run label shows the scene. Default: the preview without one. */
  withLabel?: boolean;
}

/** What a scene has of its own. */
export interface Own {
  world: World;
  /** The end of the names of its resources and files. */
  mark: string;
  /** The id of a resource of the scene. */
  id(name: string): string;
}

interface Part<Declared> {
  title: string;
  scene: Scene<Declared>;
  /** The end of its names. */
  mark: string;
}

/**
 * The scenes of one file, in one stack. Each scene has the whole program, with names of its own, so that one command shows many scenes: a command for
 * each of them would take most of the time of these tests.
 */
export class Scenes<Declared extends object> {
  readonly diffs: DiffTexts;
  private readonly parts: Part<Declared>[] = [];
  private readonly outputs = { plain: "", withLabel: "" };
  private created: World | undefined;

  /**
   * @param program the resources of one scene. The `@` at the end of each name becomes the mark of the scene, which the golden files do not contain.
   * @param files of the same, by paths with such an `@`
   */
  constructor(
    types: readonly string[],
    private readonly program: (declared?: Declared) => string,
    private readonly files: (declared?: Declared) => Readonly<Record<string, string>> = () => ({}),
  ) {
    this.diffs = new DiffTexts(types);
  }

  /**
   * Declares the test of a scene.
   * @param title of its section in the golden files
   * @param also asserts more of the whole output of the command
   */
  it(behaviour: string, title: string, scene: Scene<Declared>, also?: (output: string) => void): void {
    const part = { title, scene, mark: `@${this.parts.length + 1}` };
    this.parts.push(part);
    this.diffs.begin(title);
    it(behaviour, () => {
      const output = scene.withLabel ? this.outputs.withLabel : this.outputs.plain;
      this.diffs.compare(title, output, part.mark);
      also?.(output);
    });
  }

  /** Runs the commands. */
  async run(options: Omit<WorldOptions, "program">): Promise<void> {
    // A save of the state after each of so many resources would take longer than all else.
    this.created = await World.create({ ...options, program: "", env: { PULUMI_SKIP_CHECKPOINTS: "true" } });
    this.declare(({ scene }) => scene.before);
    await this.world.project.up();
    for (const part of this.parts) {
      part.scene.drift?.(this.ownOf(part));
    }
    this.declare((part) => this.afterOf(part));
    this.outputs.plain = await this.preview(["--refresh"]);
    if (this.parts.some(({ scene }) => scene.withLabel)) {
      this.declare(({ scene }) => (scene.withLabel ? scene.before : "nothing"));
      this.outputs.withLabel = await this.preview([], { WEBEXTRACT_RUN_LABEL: "2026-11-21" });
    }
  }

  /** Writes the program of the preview of one scene, without the others. @returns the mark of its names */
  declareOnly(title: string): string {
    this.declare((part) => (part.title === title ? this.afterOf(part) : "nothing"));
    return this.parts.find((part) => part.title === title)?.mark ?? "";
  }

  /** Removes the world, and compares or writes the titles of the golden files. */
  async end(): Promise<void> {
    await this.created?.remove();
    this.diffs.finish();
  }

  get world(): World {
    if (this.created === undefined) {
      throw new Error("The scenes did not run.");
    }
    return this.created;
  }

  private async preview(args: readonly string[], env?: Record<string, string>): Promise<string> {
    return this.diffs.read(this.world, await this.world.project.preview({ args: ["--diff", ...args], env }));
  }

  private declare(declared: (part: Part<Declared>) => Declared | "nothing" | undefined): void {
    const texts = this.parts.map((part) => {
      const own = declared(part);
      if (own === "nothing") {
        return "";
      }
      for (const [path, content] of Object.entries(this.files(own))) {
        this.world.project.write(marked(path, part.mark), content);
      }
      return `{${marked(this.program(own), part.mark)}}\n`;
    });
    this.world.program(texts.join(""));
  }

  private afterOf(part: Part<Declared>): Declared | "nothing" | undefined {
    const { before, after = before } = part.scene;
    return typeof after === "function" ? after(this.ownOf(part)) : after;
  }

  private ownOf({ mark }: Part<Declared>): Own {
    const { world } = this;
    return { world, mark, id: (name) => world.project.resource(name + mark).id ?? "" };
  }
}

function marked(text: string, mark: string): string {
  return text.replaceAll("@", mark);
}
