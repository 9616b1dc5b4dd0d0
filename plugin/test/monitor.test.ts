import assert from "node:assert/strict";
import type { ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import { RegisterResourceRequest, RegisterResourceResponse } from "@pulumi/pulumi/proto/resource_pb";
import { slowIt } from "../../test/environment";
import { Monitor } from "./internals";

describe("the declarations of a component", () => {
  const server = new Server();
  let address: string;
  let inProgress = 0;
  let most = 0;
  before(async () => {
    const registerResource = (
      { request }: ServerUnaryCall<RegisterResourceRequest, RegisterResourceResponse>,
      respond: sendUnaryData<RegisterResourceResponse>,
    ): void => {
      most = Math.max(most, ++inProgress);
      setImmediate(() => {
        inProgress--;
        respond(null, new RegisterResourceResponse().setUrn(request.getName()));
      });
    };
    server.addService(ResourceMonitorService, { registerResource } as never);
    const port = await new Promise((resolve, reject) => {
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    address = `127.0.0.1:${port}`;
  });
  after(() => server.forceShutdown());

  for (const [parallel, expected] of [
    [8, 500],
    [300, 600],
  ] as const) {
    const test = parallel === 8 ? it : slowIt;
    test(`are at most ${expected} at once for an engine that creates ${parallel} at once`, async () => {
      most = 0;
      const monitor = new Monitor(address, new AbortController().signal, parallel);
      const names = Array.from({ length: 800 }, (_, index) => `task-${index}`);
      const requests = names.map((name) => monitor.register(new RegisterResourceRequest().setName(name)));
      assert.deepEqual(
        (await Promise.all(requests)).map((each) => each?.urn),
        names,
      );
      monitor.close();
      assert.ok(most > 1 && most <= expected, `${most}`);
    });
  }
});
