import assert from "node:assert/strict";
import { join } from "node:path";
import { ServiceClient } from "../../src/service";
import { isLarge } from "../environment";
import { pluginFolder } from "./plugin/nativeWorld";
import { World } from "./world";

const program = `
  const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
  exports.taskId = copy.id;`;

describe("a refresh and a destroy with the refresh token of the last up", () => {
  let world: World;
  before(async () => {
    world = await World.create({
      program,
      withCredentials: false,
      emulator: { behaviour: { refreshRotation: "oldDies" } },
    });
    await world.project.configure({}, { "webextract:refreshToken": world.emulator.credentials.refreshToken });
    await world.project.up();
  });
  after(() => world.remove());

  /** A client of the same machine and account. */
  const clientWith = (refreshToken: string, tokenStore: string) =>
    new ServiceClient({ baseUrl: world.emulator.url, refreshToken, tokenStore });
  /** Issues a refresh token that replaces the refresh token of the stack. */
  const issueRefreshToken = async (): Promise<string> => {
    const client = clientWith("not-used", join(world.project.root, "no-store"));
    const { refreshToken } = world.emulator.credentials;
    const { data } = await client.refreshToken({ refresh_token: refreshToken, grant_type: "refresh_token" });
    client.close();
    world.emulator.change.expireAccessTokens();
    return data.refresh_token;
  };

  let issued: string;

  it("fail if the new refresh token was not used on this machine, and keep the state", async () => {
    issued = await issueRefreshToken();
    const { output } = await world.project.run(["refresh", "--yes"], { expect: "failure" });
    assert.match(output, /webextract:refreshToken was refused, and the token store holds no newer refresh token/);
    assert.equal(world.project.resource("copy").id, world.copies()[0]);
  });

  /** Uses a refresh token in the token store of the stack's user. */
  const useHere = async (refreshToken: string) => {
    const client = clientWith(refreshToken, join(world.project.root, "home", ".local", "state", "pulumi-webextract"));
    await client.getSubtasks({ taskId: "template-1", page: 1, size: 1 }).catch(() => undefined);
    client.close();
  };

  it("keep the state, and an up copies nothing, with the tokens that another account used later", async () => {
    await useHere(world.emulator.change.addAccount("other").refreshToken);
    const { output } = await world.project.run(["refresh", "--yes"], { expect: "failure" });
    assert.match(output, /The service says that 1 task is gone, and has found no task of this stack so far/);
    assert.equal(world.project.resource("copy").id, world.copies()[0]);
    world.operations();
    world.program(`${program} new TaskCopy("second", { sourceTaskId: "template-1", taskGroupId: "group-1" });`);
    const { output: refused } = await world.project.run(["up", "--yes", "--skip-preview"], { expect: "failure" });
    assert.match(refused.replace(/\s+/g, " "), /another account: nothing is copied or started with them/);
    assert.ok(!world.operations().includes("copyTask"));
  });

  it("use the tokens of a refresh token that was first used later, with a warning", async () => {
    await useHere(issued);
    const { output } = await world.project.refresh();
    const warning =
      /warning: The configured refresh token was refused\. The token store \S+ holds tokens of a refresh token/;
    assert.match(output.replace(/\s+/g, " "), warning);
    world.operations();
    await world.project.destroy();
    assert.ok(world.operations().includes("getData"));
    assert.throws(() => world.project.resource("copy"));
  });
});

for (const [front, path] of [
  ["native plugin", [pluginFolder()]],
  ...(isLarge ? ([["classes", []]] as const) : []),
] as const) {
  describe(`a stack on the ${front} with another spelling of the same address`, () => {
    it("uses the newest refresh token, and shows no difference", async () => {
      const behaviour = { refreshRotation: "oldDies" } as const;
      const world = await World.create({ program, withCredentials: false, emulator: { behaviour }, path: [...path] });
      try {
        const { port } = new URL(world.emulator.url);
        const use = async (baseUrl: string) => {
          world.emulator.change.expireAccessTokens();
          await world.project.configure({ "webextract:baseUrl": baseUrl });
        };
        const native = String(path.length > 0);
        const { refreshToken } = world.emulator.credentials;
        await world.project.configure({ "webextract:native": native }, { "webextract:refreshToken": refreshToken });
        await use(`http://LOCALHOST:${port}/.`);
        await world.project.up();
        assert.equal(world.project.resource("copy").outputs?.origin, world.emulator.url);
        await use(world.emulator.url);
        await world.project.up({ args: ["--refresh", "--run-program", "--expect-no-changes"] });
        const { length } = world.copies();
        world.program(program.replaceAll("copy", "second"));
        await use(`HTTP://localHost:${port}/x/../`);
        await world.project.up();
        assert.deepEqual([world.copies().length, length], [2, 1]);
      } finally {
        await world.remove();
      }
    });
  });
}
