#!/usr/bin/env bash
# Pulumi 3.276.0: the engine (Go module github.com/pulumi/pulumi/pkg/v3) and the SDK for Node.js (npm package @pulumi/pulumi).
#
# Seen:
#  - A policy that remediates changes an argument, and the provider replaces the resource for it. The engine checks the program's argument again for the new
#    resource, without the change, so the state gets the value of the program, and each further up replaces again.
#  - A replace for replacementTrigger, replaceWith or --replace does not ask the provider's Diff. The provider cannot say that the old resource must be
#    deleted first, so the new one is made first.
#  - If the provider leaves the comparison to the engine and hideDiffs hides what has changed, a preview with --diff prints all old values, as if they stayed.
#
# Needs Node.js 22 or later with npm, and `pulumi` 3.276.0 with its language host for Node.js on PATH. Exits with 0 as long as Pulumi behaves like this.
set -euo pipefail
version=3.276.0
test "$(pulumi version)" = "v$version"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir pack home
export PULUMI_HOME="$folder/home" PULUMI_BACKEND_URL="file://$folder/home" PULUMI_CONFIG_PASSPHRASE="" PULUMI_SKIP_UPDATE_CHECK=true
echo '{"private": true, "main": "index.js"}' > package.json
npm install --silent --ignore-scripts --no-audit --no-fund "@pulumi/pulumi@$version" @pulumi/policy@1
printf 'name: test\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n' > Pulumi.yaml
cat > index.js <<'JS'
const pulumi = require("@pulumi/pulumi");
const provider = {
  check: async (_olds, inputs) => ({ inputs }),
  diff: async (_id, olds, news) =>
    olds.value.startsWith("shown") ? {} : { changes: olds.value !== news.value, replaces: olds.value === news.value ? [] : ["value"], deleteBeforeReplace: true },
  create: async (outs) => {
    require("fs").appendFileSync("log", "create ");
    return { id: String(Date.now()), outs };
  },
  update: async (_id, _olds, outs) => ({ outs }),
  delete: async () => require("fs").appendFileSync("log", "delete "),
};
class Thing extends pulumi.dynamic.Resource {}
const options = JSON.parse(process.env.OPTIONS || "{}");
new Thing(provider, "thing", { value: process.env.VALUE || "of the program" }, options);
JS
cat > pack/index.js <<'JS'
const { PolicyPack } = require("@pulumi/policy");
new PolicyPack("fix", { policies: [{ name: "value", description: "value", enforcementLevel: "remediate",
  remediateResource: ({ type, props }) => (type.endsWith(":Resource") ? { ...props, value: "of the policy" } : undefined) }] });
JS
echo 'runtime: node' > pack/PulumiPolicy.yaml
echo '{"main": "index.js", "version": "1.0.0"}' > pack/package.json
printf '#!/bin/sh\ncd %q && exec node %q "$1" %q\n' "$folder/pack" "$folder/node_modules/@pulumi/pulumi/cmd/run-policy-pack" "$folder/pack" > pack/start
chmod +x pack/start

up() { : > log; pulumi up --yes --skip-preview --stack dev "$@" > out.txt 2>&1 || { cat out.txt; exit 1; }; cat log; }
value() { pulumi stack export --stack dev | node -p 'JSON.parse(require("fs").readFileSync(0)).deployment.resources.find((each) => each.inputs?.value).inputs.value'; }
pulumi stack init dev > /dev/null 2>&1
up > /dev/null
seen="remediated: $(up --policy-pack pack/start)and $(up --policy-pack pack/start)-> $(value); "
OPTIONS='{"replacementTrigger": "one"}' up > /dev/null
seen+="triggered: $(OPTIONS='{"replacementTrigger": "two"}' up); "
VALUE="shown 1" up > /dev/null
hidden=$(VALUE="shown 2" OPTIONS='{"hideDiffs": ["value"]}' pulumi preview --diff --stack dev 2>&1)
seen+="hidden: $(grep -o 'shown [12]' <<< "$hidden" | sort -u | paste -sd ' ')"
echo "$seen"
test "$seen" = "remediated: delete create and delete create -> of the program; triggered: create delete ; hidden: shown 1"
