/**
 * A language host for Node.js that hands the engine's own address to the program: `languageHost.js ENGINE`. The host that is built from Go modules puts an
 * older monitor between them, which knows no hooks and no transforms of a stack, and it ignores `typescript: false`. Pulumi's releases have a newer one,
 * which is in no Go module.
 */
const { spawn } = require("node:child_process");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const { Server, ServerCredentials } = require("@grpc/grpc-js");
const { LanguageRuntimeService } = require("@pulumi/pulumi/proto/language_grpc_pb");
const messages = require("@pulumi/pulumi/proto/language_pb");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb");

const engine = String(process.argv.at(-1));
/** `bun` in place of Node.js, as Pulumi's own host for `runtime: bun` runs programs. */
const runtime = process.env.LANGUAGE_HOST_RUNTIME ?? process.execPath;

function run(request) {
  const folder = request.getPwd();
  // Of the runtime in Pulumi.yaml.
  const { typescript = true, nodeargs = "" } = request.getInfo()?.getOptions()?.toJavaScript() ?? {};
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
  const entry = request.getInfo()?.getEntryPoint() || ".";
  const ofNode = nodeargs.split(" ").filter((each) => each !== "");
  const program = spawn(runtime, [...ofNode, script, ...flags, ...dryRun, entry], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      ...(typescript && { PULUMI_NODEJS_TYPESCRIPT: "true" }),
      PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().getEntryList())),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    },
  });
  return new Promise((resolve) => {
    program.once("close", (code) => {
      // With 32, the program has explained its failure.
      const failure = code === 0 || code === 32 ? "" : `the program ended with ${code}`;
      resolve(new messages.RunResponse().setBail(code === 32).setError(failure));
    });
  });
}

const handler =
  (handle) =>
  ({ request }, respond) =>
    Promise.resolve(handle(request)).then(
      (response) => respond(null, response),
      (error) => respond({ code: 2, details: String(error) }),
    );

const server = new Server();
server.addService(LanguageRuntimeService, {
  run: handler(run),
  getPluginInfo: handler(() => new PluginInfo().setVersion("3.0.0")),
  getRequiredPlugins: handler(() => new messages.GetRequiredPluginsResponse()),
  getRequiredPackages: handler(() => new messages.GetRequiredPackagesResponse()),
  about: handler(() => new messages.AboutResponse()),
});
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) {
    throw error;
  }
  console.log(port);
});

// The engine ends its hosts. A killed engine cannot.
setInterval(() => process.ppid === 1 && process.exit(), 1_000).unref();
