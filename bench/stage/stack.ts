import type { SeedTask } from "webextract-emulator";
import type { ProjectOptions } from "../../test/realEngine/harness";
import { Project } from "../../test/realEngine/harness";
import { credentials, groupId, templateId, withEmulator } from "./emulatorProcess";

/** Matches the provider host process, but not the shell that starts it. */
export const hostProcess = /^\S*node\S* .*\/cmd\/dynamic-provider/;

/** Matches the Node.js process that runs a program, but not the shell that starts it. */
export const programProcess = /^\S*node\S* .*\/cmd\/run(?:\/|\s|$)/;

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
export function withStack<T>(
  { program, template = {}, env }: StackOptions,
  work: (project: Project) => Promise<T>,
): Promise<T> {
  const secrets = { "webextract:apiKey": credentials.apiKey };
  return withEmulator(template, ({ url }) => withProject({ url, program: prelude + program, secrets, env }, work));
}

/** A project for a service, with the SDK as users have it. It is removed afterwards. */
export async function withProject<T>(
  { url, config, secrets, ...options }: ProjectOptions & { url: string },
  work: (project: Project) => Promise<T>,
): Promise<T> {
  const project = await Project.create({
    ...options,
    config: { "webextract:baseUrl": url, ...config },
    secrets: { "webextract:accessToken": credentials.accessToken, ...secrets },
    leanSdk: false,
  });
  try {
    return await work(project);
  } finally {
    await project.remove();
  }
}
