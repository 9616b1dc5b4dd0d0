/**
 * Preloaded into every Node.js process of a run (NODE_OPTIONS). Records each loaded module, prefixed with `package` if a file of this package
 * loaded it, directly or indirectly, and each serialized closure. Writes at once, because the engine kills its helper processes.
 */
const { appendFileSync } = require("node:fs");
const { Module } = require("node:module");
const { join, resolve, sep } = require("node:path");

const folder = process.env.BENCH_MODULES_FOLDER;
const [, kind] = /[\\/](?:cmd|dist)[\\/](dynamic-provider|run|plugin)(?:[\\/]|$)/.exec(process.argv[1] ?? "") ?? [];
const dist = resolve(__dirname, "..", "..", "dist") + sep;

if (folder !== undefined && kind !== undefined) {
  const note = (what, file) => appendFileSync(join(folder, `${kind}-${process.pid}`), `${what}\t${file}\n`);
  const load = Module.prototype.load;
  Module.prototype.load = function (file) {
    note(isForPackage(this.parent, file) ? "package" : "other", file);
    const result = load.call(this, file);
    if (/[\\/]closure[\\/]serializeClosure\.js$/.test(file)) {
      watchSerializing(this.exports, () => note("closure", file));
    }
    return result;
  };
}

/** A module that is being loaded has no file name yet, so the file is passed with its parent. */
function isForPackage(parent, file) {
  if (file.startsWith(dist)) return true;
  for (let each = parent; each; each = each.parent) {
    if (each.filename?.startsWith(dist)) return true;
  }
  return false;
}

function watchSerializing(exports, note) {
  for (const name of ["serializeFunction", "serializeFunctionAsync"]) {
    const serialize = exports[name];
    if (typeof serialize === "function") {
      exports[name] = (...args) => {
        note();
        return serialize(...args);
      };
    }
  }
}
