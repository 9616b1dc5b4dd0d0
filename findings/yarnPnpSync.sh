#!/usr/bin/env bash
# Yarn 4.18.1 (npm package @yarnpkg/cli-dist) with nodeLinker pnp.
#
# Seen: the file that Node.js loads for Plug'n'Play, .pnp.cjs, replaces file handles of node:fs/promises, also for files that are in no archive. `sync` and
# `datasync` of these handles throw "Method not implemented.", so a program that writes a file durably fails. fs.fsync with the handle's fd works.
#
# Needs Node.js 20 or later with npm. Exits with 0 as long as Yarn behaves like this.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tools" "$folder/program"
npm install --silent --no-audit --no-fund --prefix "$folder/tools" @yarnpkg/cli-dist@4.18.1
cd "$folder/program"
echo '{"name": "program", "private": true}' > package.json
printf 'nodeLinker: pnp\nenableTelemetry: false\n' > .yarnrc.yml
touch yarn.lock
node "$folder/tools/node_modules/@yarnpkg/cli-dist/bin/yarn.js" install > install.log
cat > write.js <<'JS'
const { open } = require("node:fs/promises");
const { fsyncSync } = require("node:fs");
(async () => {
  const handle = await open("file", "w");
  const seen = [];
  for (const [name, call] of [["sync", () => handle.sync()], ["datasync", () => handle.datasync()], ["fsync", () => fsyncSync(handle.fd)]]) {
    try {
      await call();
      seen.push(`${name} works`);
    } catch (error) {
      seen.push(`${name}: ${error.message}`);
    }
  }
  await handle.close();
  console.log(seen.join(", "));
})();
JS
seen="plain: $(node write.js); "
seen+="Plug'n'Play: $(node --require ./.pnp.cjs write.js)"
echo "$seen"
test "$seen" = "plain: sync works, datasync works, fsync works; Plug'n'Play: sync: Method not implemented., datasync: Method not implemented., fsync works"
