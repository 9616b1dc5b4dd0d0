import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { packTarball } from "../realEngine/harness";

const run = promisify(execFile);

/** A user that owns no file of the image. Only root can start a process as another user. */
const stranger = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** One line of the Dockerfile: the instruction and the rest. */
type Step = readonly [instruction: string, rest: string];

/** The steps of each stage. */
function stagesOf(text: string): Step[][] {
  const stages: Step[][] = [];
  for (const line of text.split("\n")) {
    const [, instruction, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (instruction === undefined || rest === undefined) continue;
    if (instruction === "FROM") stages.push([]);
    stages.at(-1)?.push([instruction, rest]);
  }
  return stages;
}

describe("emulator/Dockerfile", () => {
  const stages = stagesOf(readFileSync(join(__dirname, "../../emulator/Dockerfile"), "utf8"));
  const last = stages.at(-1) ?? [];
  const restOf = (instruction: string) => last.find(([name]) => name === instruction)?.[1] ?? "";
  let root: string;
  let port: number;
  before(async function () {
    this.timeout(240_000);
    root = mkdtempSync(join(tmpdir(), "webextract-image-"));
    port = await freePort();
    const context = join(root, "context");
    mkdirSync(context);
    const tarball = await packTarball("emulator");
    copyFileSync(tarball, join(context, basename(tarball)));
    for (const stage of stages) await build(stage, context);
    chmodSync(root, 0o755);
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  /** Paths of the image become paths below the root, and its port a free one. */
  const translated = (text: string) => text.replaceAll("/app", join(root, "app")).replaceAll("8787", String(port));

  async function build(stage: readonly Step[], context: string): Promise<void> {
    let folder = root;
    for (const [instruction, rest] of stage) {
      if (instruction === "WORKDIR") {
        folder = join(root, rest);
        mkdirSync(folder, { recursive: true });
      } else if (instruction === "RUN") {
        await run("sh", ["-c", translated(rest)], { cwd: folder });
      } else if (instruction === "COPY" && !rest.startsWith("--from")) {
        for (const name of readdirSync(context)) cpSync(join(context, name), join(folder, name));
      }
    }
  }

  it("ends as a user that is not root", () => {
    assert.equal(restOf("USER"), "node");
    assert.ok(last.findIndex(([name]) => name === "USER") < last.findIndex(([name]) => name === "ENTRYPOINT"));
  });

  it("starts an emulator as its user, which its health check finds", async () => {
    const [command = "", ...args]: string[] = JSON.parse(translated(restOf("ENTRYPOINT")));
    const [checker = "", ...checkArgs]: string[] = JSON.parse(
      translated(/ CMD (.*)$/.exec(restOf("HEALTHCHECK"))?.[1] ?? "[]"),
    );
    assert.equal(restOf("EXPOSE"), "8787");
    await assert.rejects(run(checker, checkArgs, { ...stranger }), "nothing listens yet");
    const emulator = spawn(command, args, { ...stranger, cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    try {
      let printed = "";
      for await (const chunk of emulator.stdout.setEncoding("utf8")) {
        printed += chunk;
        if (printed.includes("Ctrl-C")) break;
      }
      assert.match(printed, /needs the token emulator-admin-/, "it listens on all addresses");
      await run(checker, checkArgs, { ...stranger });
    } finally {
      emulator.kill();
    }
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
