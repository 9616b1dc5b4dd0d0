/**
 * Loaded before the SDK into the program and the provider process of a project. Saves half of the time of each command:
 *
 * - At its start, the SDK loads modules that it uses only to serialize closures, to trace, and for the Automation API. Here they are loaded at their
 *   first use, and the reader of source maps never: the programs of the tests are JavaScript.
 * - The language host that `npm run engine` builds ignores `typescript: false` in Pulumi.yaml and makes the program load ts-node. Newer ones obey.
 *   `PROGRAM_IS_TYPESCRIPT` in the environment keeps ts-node.
 */
const Module = require("node:module");

const tracing = /cmd[\\/]run[\\/]tracing\.js$/;
const codePaths = /codePaths\.js$/;

/** Name of the module -> the file of the SDK that requires it. */
const deferred = {
  typescript: /typescript-shim\.js$/,
  "@npmcli/arborist": codePaths,
  "normalize-package-data": codePaths,
  fdir: codePaths,
  "./automation": /@pulumi[\\/]pulumi[\\/]index\.js$/,
  "./rewriteSuper": /createClosure\.js$/,
  semver: /(runtime[\\/]rpc|cmd[\\/]run[\\/]run)\.js$/,
  "js-yaml": /runtime[\\/]manifest\.js$/,
  "source-map-support/register": /cmd[\\/](run|dynamic-provider)[\\/]index\.js$/,
  "@opentelemetry/resources": tracing,
  "@opentelemetry/sdk-trace-base": tracing,
  "@opentelemetry/exporter-zipkin": tracing,
  "@opentelemetry/instrumentation-grpc": tracing,
  "@opentelemetry/sdk-trace-node": tracing,
  "@opentelemetry/instrumentation": tracing,
};

if (process.env.PROGRAM_IS_TYPESCRIPT === undefined) {
  delete process.env.PULUMI_NODEJS_TYPESCRIPT;
}

// Unlike `_load`, this function is not in the stack frames of the program, which are part of the state.
const resolve = Module._resolveFilename;
Module._resolveFilename = function resolveOrDefer(request, parent, ...others) {
  const path = resolve.call(this, request, parent, ...others);
  return deferred[request]?.test(parent?.filename) ? standIn(path) : path;
};

/** Adds a module to the cache that loads the module at `path` when a property of it is read. Returns its name. */
function standIn(path) {
  const module = new Module(`deferred ${path}`);
  module.loaded = true;
  // Without `__esModule`, the SDK would copy the properties of the module, which would load it.
  module.exports = new Proxy({}, { get: (_, key) => key === "__esModule" || require(path)[key] });
  Module._cache[module.id] = module;
  return module.id;
}
