import assert from "node:assert/strict";
import type { ProxyName, RealProxy } from "../service/http/proxies/realProxy";
import { problemOfProxies, startProxy } from "../service/http/proxies/realProxy";
import { World } from "./world";

const program = `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
new CloudRun("run", { taskId: "template-1" });
`;

/** Each responds in its own way after the service has made the copy and started the run. */
const proxies: Record<string, [name: ProxyName, settings: string]> = {
  "nginx whose page of errors is missing": [
    "nginx",
    "error_page 502 504 /down.html; --- location = /down.html { root /nowhere; }",
  ],
  "Apache whose page of errors is a path of the service": ["apache", "ErrorDocument 502 /down.html"],
};

describe("a copy and a start behind a proxy that responds in place of the service", function () {
  this.timeout(600_000);
  before(() => {
    const problem = problemOfProxies();
    assert.equal(problem, undefined, problem);
  });

  for (const [what, [name, settings]] of Object.entries(proxies)) {
    it(`are not sent again by a second up: ${what}`, async () => {
      const world = await World.create({ program });
      let proxy: RealProxy | undefined;
      try {
        proxy = await startProxy(name, world.emulator.url, settings);
        await world.project.configure({ "webextract:baseUrl": proxy.url });
        const runs = () => world.emulator.inspect.runs("template-1").length;
        for (const operation of ["copyTask", "startTask"] as const) {
          world.emulator.fault({ operation, kind: "reset", when: "after" });
        }
        for (const _ of ["first", "second"]) {
          const { output } = await world.project.up({ args: ["--continue-on-error"], expect: "failure" });
          assert.match(output, /A copy of task "template-1" in group "group-1" may exist/);
          assert.match(output, /A paid run of task "template-1" may have started/);
          assert.deepEqual([world.copies().length, runs()], [1, 1]);
        }
      } finally {
        await proxy?.close();
        await world.remove();
      }
    });
  }

  it("are not sent again by a second up: Squid with reply_body_max_size, which refuses responses of reads too", async () => {
    const world = await World.create({ program: program.split("new CloudRun")[0] ?? "" });
    let proxy: RealProxy | undefined;
    try {
      proxy = await startProxy("squid", world.emulator.url, "login=PASS\nreply_body_max_size 100 bytes");
      await world.project.configure({ "webextract:baseUrl": proxy.url });
      for (const _ of ["first", "second"]) {
        const { output } = await world.project.up({ expect: "failure" });
        assert.match(output, /A copy of task "template-1" in group "group-1" may exist/);
        assert.equal(world.copies().length, 1);
      }
    } finally {
      await proxy?.close();
      await world.remove();
    }
  });
});
