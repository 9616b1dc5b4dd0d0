import type { SeedTask } from "webextract-emulator";
import { Project } from "../../test/realEngine/harness";
import { credentials, EmulatorProcess, groupId, templateId } from "./emulatorProcess";
import { inWorkFolder } from "./workFolder";

/** Matches the provider host process, but not the shell that starts it. */
export const hostProcess = /^\S*node\S* .*\/cmd\/dynamic-provider/;

/** The start of each program: the SDK, all classes as `webextract`, and a copy of the template as `copy`. */
const prelude = `const pulumi = require("@pulumi/pulumi");
const webextract = require("pulumi-webextract");
const copy = new webextract.TaskCopy("copy", { sourceTaskId: "${templateId}", taskGroupId: "${groupId}" });
`;

export interface StackOptions {
  /** Source of the program after the prelude, in JavaScript. */
  program: string;
  /** Fields of the template in addition to its id and group. */
  template?: Partial<SeedTask>;
  /** Environment of the engine and its child processes. */
  env?: Readonly<Record<string, string>>;
}

/** A stack on the real engine, and its service in a separate process. Both are removed afterwards. */
export async function withStack<T>(options: StackOptions, work: (project: Project) => Promise<T>): Promise<T> {
  return await inWorkFolder(async (folder) => {
    const emulator = await EmulatorProcess.start(folder, options.template);
    try {
      const project = await Project.create({
        program: prelude + options.program,
        config: { "webextract:baseUrl": emulator.url },
        secrets: { "webextract:accessToken": credentials.accessToken, "webextract:apiKey": credentials.apiKey },
        env: options.env,
        leanSdk: false,
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
