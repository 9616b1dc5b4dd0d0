import type { SeedTask } from "../../src/emulator/index";
import { Project } from "../../test/realEngine/harness";
import { credentials, EmulatorProcess, groupId, templateId } from "./emulatorProcess";
import { inWorkFolder } from "./workFolder";

/** The process in which the engine runs the handlers of dynamic resources. The shell that starts it does not fit. */
export const hostProcess = /^\S*node\S* .*\/cmd\/dynamic-provider/;

/** What a program begins with: the SDK, all classes as `webextract`, and a copy of the template as `copy`. */
const prelude = `const pulumi = require("@pulumi/pulumi");
const webextract = require("pulumi-webextract");
const copy = new webextract.TaskCopy("copy", { sourceTaskId: "${templateId}", taskGroupId: "${groupId}" });
`;

export interface StackOptions {
  /** Text of the program after its prelude, in JavaScript. */
  program: string;
  /** What the template has beside its id and its group. */
  template?: Partial<SeedTask>;
  /** Environment of the engine and all that it starts. */
  env?: Readonly<Record<string, string>>;
}

/** A stack of the real engine, and the service that it talks to in a process of its own. Both are gone afterwards. */
export async function withStack<T>(options: StackOptions, work: (project: Project) => Promise<T>): Promise<T> {
  return await inWorkFolder(async (folder) => {
    const emulator = await EmulatorProcess.start(folder, options.template);
    try {
      const project = await Project.create({
        program: prelude + options.program,
        config: { "webextract:baseUrl": emulator.url },
        secrets: { "webextract:accessToken": credentials.accessToken, "webextract:apiKey": credentials.apiKey },
        env: options.env,
      });
      try {
        return await work(project);
      } finally {
        await project.remove();
      }
    } finally {
      await emulator.stop();
    }
  });
}
