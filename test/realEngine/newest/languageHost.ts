/**
 * A language host for Node.js that hands the engine's own address to the program: `languageHost.ts ENGINE`. The host that is built from Go modules puts an
 * older monitor between them, which knows no hooks and no transforms of a stack. Pulumi's releases have a newer one, which is in no Go module.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { LanguageRuntimeService } from "@pulumi/pulumi/proto/language_grpc_pb";
import type { RunRequest } from "@pulumi/pulumi/proto/language_pb";
import {
  AboutResponse,
  GetRequiredPackagesResponse,
  GetRequiredPluginsResponse,
  RunResponse,
} from "@pulumi/pulumi/proto/language_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";

const engine = String(process.argv.at(-1));

function run(request: RunRequest): Promise<RunResponse> {
  const folder = request.getPwd();
  const script = createRequire(join(folder, "index.js")).resolve("@pulumi/pulumi/cmd/run");
  const options = {
    monitor: request.getMonitorAddress(),
    engine,
    organization: request.getOrganization(),
    project: request.getProject(),
    stack: request.getStack(),
    pwd: folder,
    parallel: String(request.getParallel()),
  };
  const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const dryRun = request.getDryrun() ? ["--dry-run"] : [];
  const program = spawn(process.execPath, [script, ...flags, ...dryRun, "."], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().getEntryList())),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    },
  });
  return new Promise((resolve) => {
    program.once("close", (code) => {
      // With 32, the program has explained its failure.
      const failure = code === 0 || code === 32 ? "" : `the program ended with ${code}`;
      resolve(new RunResponse().setBail(code === 32).setError(failure));
    });
  });
}

function handler<Request>(handle: (request: Request) => unknown) {
  return ({ request }: ServerUnaryCall<Request, unknown>, respond: sendUnaryData<unknown>): void => {
    Promise.resolve(handle(request)).then(
      (response) => respond(null, response),
      (error) => respond({ code: 2, details: String(error) }),
    );
  };
}

const server = new Server();
server.addService(LanguageRuntimeService, {
  run: handler(run),
  getPluginInfo: handler(() => new PluginInfo().setVersion("3.0.0")),
  getRequiredPlugins: handler(() => new GetRequiredPluginsResponse()),
  getRequiredPackages: handler(() => new GetRequiredPackagesResponse()),
  about: handler(() => new AboutResponse()),
});
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) {
    throw error;
  }
  console.log(port);
});
