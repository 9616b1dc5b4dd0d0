import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { parse } from "yaml";
import { program } from "../../cli/test/webextract";
import { eachTest } from "../eachTest";
import { slowIt } from "../environment";
import type { Outputs, Step } from "./workflow";
import { doSteps, Runner, readWorkflow, stepsOf } from "./workflow";

const run = promisify(execFile);

/** What goes wrong in a night. */
interface Trouble {
  /** `npm ci` fails, as if the registry of packages did not respond. */
  install?: true;
  /** Somebody has set another key. */
  key?: true;
  /** The kept store does not come: GitHub only warns of that. */
  fetch?: true;
}

/** Where a CI system keeps the store between the nights. */
interface Nights {
  /** @returns whether the up got an access token */
  night(trouble?: Trouble): Promise<boolean>;
  /** What the next night fetches. */
  readonly kept: Buffer | undefined;
}

const rightKey = "0123456789abcdef";

describe("the token store between the nights of a CI system", () => {
  let emulator: Emulator;
  let folder: string;
  let secret: string;
  beforeEach(async () => {
    // The secret of the CI system never changes: it is the first refresh token, which dies in the first night.
    emulator = await startEmulator({ behaviour: { refreshRotation: "oldDies" } });
    secret = emulator.credentials.refreshToken;
    folder = mkdtempSync(join(tmpdir(), "webextract-nights-"));
  });
  afterEach(async () => {
    await emulator.close();
    rmSync(folder, { recursive: true });
  });

  /** Stands for an `up` of which only the credentials matter. */
  async function up(env: Readonly<Record<string, string | undefined>>): Promise<void> {
    const all = { PATH: process.env.PATH, HOME: folder, WEBEXTRACT_BASE_URL: emulator.url, ...env };
    await run(process.execPath, [program, "token", "refresh", "--yes"], { env: all, cwd: folder });
  }

  async function nightsOf(nights: Nights): Promise<void> {
    assert.equal(await nights.night({ install: true }), false);
    assert.equal(nights.kept, undefined, "there was never a store");
    assert.equal(await nights.night(), true);
    const troubles: Trouble[] = [{ install: true }, { key: true }, { fetch: true }];
    for (const trouble of troubles) {
      const before: Buffer | undefined = nights.kept;
      assert.ok(before !== undefined);
      assert.equal(await nights.night(trouble), false, JSON.stringify(trouble));
      assert.deepEqual(nights.kept, before, JSON.stringify(trouble));
      assert.equal(await nights.night(), true, `after ${JSON.stringify(trouble)}`);
      assert.notDeepEqual(nights.kept, before);
    }
  }

  for (const name of ["nightly.yml", "tokenStore.yml"]) {
    const test = name === "nightly.yml" ? it : slowIt;
    test(`stays after a night of ${name} in which npm ci fails, the key is wrong or the cache does not answer`, async () => {
      const workflow = readWorkflow(name);
      const cache = new Map<string, Buffer>();
      let count = 0;
      const newest = (): Buffer | undefined => [...cache.values()].at(-1);
      const night = async (trouble: Trouble = {}): Promise<boolean> => {
        const runner = new Runner(workflow, {
          TOKEN_STORE_KEY: trouble.key ? "another key" : rightKey,
          WEBEXTRACT_REFRESH_TOKEN: secret,
          WEBEXTRACT_API_KEY: "",
          run_id: String(++count),
          run_attempt: "1",
        });
        const store = join(runner.workspace, "token-store.enc");
        const does = async ({
          name: title,
          uses = "",
          run: commands,
          with: options,
        }: Step): Promise<Outputs | undefined> => {
          const [action = ""] = uses.split("@");
          const key = runner.filledIn(options?.key ?? "");
          if (commands === "npm ci") {
            assert.ok(!trouble.install, "the registry did not respond");
          } else if (commands !== undefined) {
            return runner.run(String(title));
          } else if (action === "pulumi/actions") {
            await up(runner.environmentOf(action));
          } else if (action === "actions/cache/save") {
            cache.set(key, readFileSync(store));
          } else if (action === "actions/cache/restore" && options?.["fail-on-cache-miss"] === true) {
            assert.ok(cache.has(key), "the store was not kept");
          } else if (action === "actions/cache/restore") {
            assert.equal(options?.["restore-keys"], "token-store-");
            const found = trouble.fetch ? undefined : newest();
            if (found !== undefined) writeFileSync(store, found);
          }
          return undefined;
        };
        const endings = await doSteps(stepsOf(workflow), does);
        runner.remove();
        const isUp = endings.get("pulumi/actions")?.outcome === "success";
        assert.equal(endings.get("Find the token store")?.outcome, isUp ? "success" : "skipped");
        return isUp;
      };
      await nightsOf({
        night,
        get kept() {
          return newest();
        },
      });
    });
  }

  it("fails the job of GitHub if it was not saved, and says so", async () => {
    const runner = new Runner(readWorkflow("nightly.yml"), {
      TOKEN_STORE_KEY: rightKey,
      WEBEXTRACT_REFRESH_TOKEN: secret,
      WEBEXTRACT_API_KEY: "",
      run_id: "1",
    });
    const endings = await doSteps(
      stepsOf(readWorkflow("nightly.yml")),
      async ({ name, run: commands, uses = "", with: options }) => {
        if (uses.startsWith("pulumi/actions@")) await up(runner.environmentOf("pulumi/actions"));
        // The save warns, and does not fail.
        assert.ok(options?.["fail-on-cache-miss"] !== true, "no entry with this key");
        return commands !== undefined && name !== undefined ? runner.run(name) : undefined;
      },
    );
    runner.remove();
    assert.equal(endings.get("pulumi/actions")?.outcome, "success");
    assert.equal(endings.get("Find the token store")?.outcome, "failure");
  });

  describe("of GitLab", () => {
    const registry = eachTest(() => PackageRegistry.start());

    slowIt(
      "stays after a night in which npm ci fails, the key is wrong or the package registry does not answer",
      async () => {
        const read = (name: string): Record<string, GitLabJob> =>
          parse(readFileSync(join(__dirname, "../../examples/ci", name), "utf8"));
        const { include, nightly } = read("gitlab.yml") as unknown as { include: string; nightly: GitLabJob };
        const { variables = {}, ...base } = read(include)[String(nightly.extends)] ?? {};
        const job = { ...base, ...nightly };
        const bin = join(folder, "bin");
        mkdirSync(bin);
        for (const [name, commands] of Object.entries({
          npm: 'test -z "$NPM_FAILS"',
          pulumi: `exec "${process.execPath}" "${program}" token refresh --yes`,
        })) {
          writeFileSync(join(bin, name), `#!/bin/sh\n${commands}\n`);
          chmodSync(join(bin, name), 0o755);
        }
        let count = 0;
        const night = async (trouble: Trouble = {}): Promise<boolean> => {
          registry.isDown = trouble.fetch === true;
          const checkout = join(folder, `checkout${++count}`);
          mkdirSync(checkout);
          const given: Record<string, string> = {
            CI_API_V4_URL: registry.url,
            CI_PROJECT_ID: "7",
            CI_PROJECT_DIR: checkout,
            CI_JOB_TOKEN: registry.token,
            TOKEN_STORE_KEY: trouble.key ? "another key" : rightKey,
            WEBEXTRACT_REFRESH_TOKEN: secret,
            WEBEXTRACT_BASE_URL: emulator.url,
            NPM_FAILS: trouble.install ? "yes" : "",
          };
          const own = Object.entries(variables).map(([name, value]) => [
            name,
            value.replace(/\$(\w+)/g, (_, other: string) => given[other] ?? ""),
          ]);
          const env = { PATH: `${bin}:${process.env.PATH}`, HOME: folder, ...given, ...Object.fromEntries(own) };
          const shell = async (commands: readonly string[]) =>
            run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", commands.join("\n")], {
              cwd: checkout,
              env,
            });
          const isDone = await shell([...(job.before_script ?? []), ...(job.script ?? [])]).then(
            () => true,
            () => false,
          );
          const { stdout } = await shell(job.after_script ?? []);
          assert.equal(stdout.includes("The token store is kept."), isDone, stdout);
          return isDone;
        };
        await nightsOf({
          night,
          get kept() {
            return registry.kept;
          },
        });
      },
    );
  });
});

interface GitLabJob {
  extends?: string;
  variables?: Record<string, string>;
  before_script?: string[];
  script?: string[];
  after_script?: string[];
}

/** Stands for the registry of generic packages of a project: it responds with the file that was uploaded last. */
class PackageRegistry {
  readonly token = "job-token-3311";
  kept: Buffer | undefined;
  isDown = false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<PackageRegistry> {
    const server = createServer();
    const registry = new PackageRegistry(server);
    server.on("request", (request, response) => void registry.respond(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/api/v4`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => void this.server.close(() => resolve()));
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(request);
    if (this.isDown || request.headers["job-token"] !== this.token) {
      response.writeHead(this.isDown ? 503 : 401).end();
    } else if (request.url !== "/api/v4/projects/7/packages/generic/token-store/1/token-store.enc") {
      response.writeHead(400).end();
    } else if (request.method === "PUT") {
      this.kept = sent;
      response.writeHead(201).end();
    } else {
      response.writeHead(this.kept === undefined ? 404 : 200).end(this.kept);
    }
  }
}
