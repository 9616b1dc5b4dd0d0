/**
 * Preloaded into every Node.js process of a run (NODE_OPTIONS): writes down each file that is loaded as a module. At once and not at the
 * end, for the engine does not let its helpers end in peace.
 */
const { appendFileSync } = require("node:fs");
const { Module } = require("node:module");
const { join } = require("node:path");

const folder = process.env.BENCH_MODULES_FOLDER;
const kind = /[\\/]cmd[\\/](dynamic-provider|run)(?:[\\/]|$)/.exec(process.argv[1] ?? "")?.[1];
if (folder !== undefined && kind !== undefined) {
  const load = Module.prototype.load;
  Module.prototype.load = function (filename) {
    appendFileSync(join(folder, `${kind}-${process.pid}`), `${filename}\n`);
    return load.call(this, filename);
  };
}
