import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, makePrivateFolder, readPrivateFile, writePrivateFile } from "../system/privateFile";
import type { Processes, ProcessName } from "../system/processes";
import { systemProcesses } from "../system/processes";
import type { Problem } from "../values/kinds";
import { madeOnce } from "../values/plain";
import { isUrn, partsOfUrn } from "../values/urn";

/** What the host of the SDK manages, in one process. */
export const dynamicResources = "dynamic resources";

/**
 * Which provider of a command has which account. Each provider is a process of its own, and one process alone knows the
 * order and the owners of a task's resources. The processes of one command have one engine. The placeholder id of a lost
 * response is claimed in the same way, by the provider that adopts what it has made.
 */
export class AccountClaims {
  private readonly claimed = new Map<string, Promise<Problem | undefined>>();

  constructor(
    /** The URN of the provider of this process, or what has none. */
    private readonly urn: string,
    private readonly engineAddress: string | undefined,
    private readonly processes: Processes = systemProcesses(),
    /** Of the user: without it, the folder that all have is a folder of another user. */
    private readonly folder = join(tmpdir(), `pulumi-webextract-${process.getuid?.() ?? "providers"}`),
  ) {}

  /** Claims an account for this provider. @returns why it cannot: another provider has claimed it */
  claim(account: string): Promise<Problem | undefined> {
    return madeOnce(this.claimed, account, () => this.claimOnce(account));
  }

  /** Another provider of this command that has claimed the account, in words. */
  async other(account: string): Promise<string | undefined> {
    const other = this.engineAddress === undefined ? undefined : await this.otherIn(this.fileOf(account));
    return other && describeProvider(other);
  }

  private async claimOnce(account: string): Promise<Problem | undefined> {
    if (this.engineAddress === undefined) {
      return undefined;
    }
    const file = this.fileOf(account);
    const own = JSON.stringify({ urn: this.urn, process: this.processes.own });
    try {
      await makePrivateFolder(this.folder);
      await writeFile(file, own, { flag: "wx", mode: 0o600 });
    } catch (error) {
      const other = codeOf(error) === "EEXIST" ? await this.otherIn(file) : undefined;
      if (other !== undefined) {
        return { path: "", reason: describeBoth(this.urn, other) };
      }
      // A folder that nothing can be written to guards nothing, and does not stop the work.
      await writePrivateFile(file, own, false).catch(() => undefined);
    }
    process.once("exit", () => rmSync(file, { force: true }));
    return undefined;
  }

  private fileOf(account: string): string {
    const identity = JSON.stringify([this.engineAddress, account]);
    return join(this.folder, createHash("sha256").update(identity).digest("hex").slice(0, 32));
  }

  /** The URN of another provider that runs and has claimed the account of this file. */
  private async otherIn(file: string): Promise<string | undefined> {
    const { urn, process } = claimIn(await readPrivateFile(file)) ?? {};
    return process !== undefined && urn !== this.urn && this.processes.isRunning(process) ? urn : undefined;
  }
}

function claimIn(text = ""): { urn: string; process: ProcessName } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // A killed process can leave half of it.
    return undefined;
  }
}

function describeProvider(urn: string): string {
  return isUrn(urn) ? `the provider "${partsOfUrn(urn).name}" of the plugin` : dynamicResources;
}

function describeBoth(urn: string, other: string): string {
  const inPlugin = [urn, other].filter(isUrn);
  const names = inPlugin.map((each) => `"${partsOfUrn(each).name}"`).sort();
  const both =
    names.length === 2
      ? `the providers ${names.join(" and ")}`
      : `${inPlugin.map(describeProvider).join()} and ${dynamicResources}`;
  return (
    `${both} have the same account. They are two processes, which cannot keep the order of a task's resources, ` +
    "and the owners of its settings. Use one provider for one account"
  );
}
