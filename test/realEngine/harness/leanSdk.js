/**
 * Loaded before the SDK into the program and the provider process of a project. Saves a third of the time of each command:
 *
 * - The SDK loads TypeScript and arborist at its start, but uses them only to serialize closures. Here they are loaded at their first use.
 * - The language host that `npm run engine` builds ignores `typescript: false` in Pulumi.yaml and makes the program load ts-node. Newer ones obey.
 */
const Module = require("node:module");

/** Name of the module -> the file of the SDK that requires it. */
const deferred = { typescript: /typescript-shim\.js$/, "@npmcli/arborist": /codePaths\.js$/ };

delete process.env.PULUMI_NODEJS_TYPESCRIPT;

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
