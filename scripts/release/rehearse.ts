import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import fastifyStatic from "@fastify/static";
import fastify from "fastify";
import { parse } from "yaml";
import { collected, repositoryRoot } from "../commands";
import { manifestOf, packageFolders } from "../packages/packages";
import { goModule } from "../schema/generateSdks";

/** The last version for Node.js 20. It is in no package.json, because only a rehearsal needs it. */
const registryPackage = "verdaccio@~6.8.0";

/** The steps of `release.yml` that are not run: the tests take longer than all others, and the next jobs install again what is there. */
const leftOut = /^(npm test|npm ci --ignore-scripts|gh |docker |pipx run uv)/;

/**
 * Runs the commands of `release.yml` in a checkout of the last commit, as if its version were released today: a bare repository stands for the remote, a registry on
 * this machine for npm, a file server for the release on GitHub, its folder for PyPI, and the repository for the module proxy of Go. What GitHub's own actions do, such as attestations, is not rehearsed.
 */
export async function rehearse(say: (line: string) => void): Promise<void> {
  const stage = mkdtempSync(join(tmpdir(), "webextract-rehearsal-"));
  const { version } = manifestOf(".");
  const tag = `v${version}`;
  const checkout = join(stage, "checkout");
  const registry = await startRegistry(stage);
  const assets = fastify();
  try {
    await tagToday(stage, version);
    mkdirSync(join(checkout, "release"));
    assets.register(fastifyStatic, { root: join(checkout, "release") });
    const server = await assets.listen({ port: 0, host: "127.0.0.1" });
    const ofRegistry = { npm_config_registry: registry.url, npm_config_userconfig: registry.userConfig };
    const run = (line: string, env: NodeJS.ProcessEnv = {}) =>
      runStep(line, checkout, { GITHUB_REF_NAME: tag, ...env }, say);
    for (const line of workflowSteps(checkout)) {
      if (leftOut.test(line)) {
        say(`not run: ${line.split("\n")[0]}`);
      } else if (line.endsWith("publish")) {
        await refusesFirstVersion(run(line, ofRegistry));
        await run(`${line} --no-provenance`, ofRegistry);
        await run(line, ofRegistry);
      } else if (line.includes(" check ")) {
        await run(`${line} --server ${server}`, { ...ofRegistry, ...ofSdks(stage) });
      } else {
        await run(line);
      }
    }
    say(`The release of ${tag} was rehearsed. Nothing has left this machine.`);
  } finally {
    registry.server.close();
    registry.server.closeAllConnections();
    await assets.close();
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Lets pip find the wheel in the release, and Go the module in the repository. */
function ofSdks(stage: string): Record<string, string> {
  const repository = goModule.replace("/sdk/go", "");
  return {
    PIP_FIND_LINKS: `${process.env.PIP_FIND_LINKS ?? ""} ${join(stage, "checkout", "release")}`,
    GOPRIVATE: repository,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.${join(stage, "remote")}.insteadOf`,
    GIT_CONFIG_VALUE_0: `https://${repository}`,
  };
}

/** The lines that the jobs run, in their order. */
function workflowSteps(folder: string): string[] {
  const { jobs } = parse(readFileSync(join(folder, ".github/workflows/release.yml"), "utf8"));
  return Object.values<{ steps: { run?: string }[] }>(jobs)
    .flatMap((job) => job.steps)
    .flatMap(({ run }) => run ?? []);
}

/** Clones the last commit, dates its version, pushes the tag to a bare repository, and checks it out from there. */
async function tagToday(stage: string, version: string): Promise<void> {
  const git = (folder: string, ...args: string[]) => promisify(execFile)("git", args, { cwd: join(stage, folder) });
  await git("", "clone", "--quiet", "--bare", repositoryRoot, "remote");
  await git("", "clone", "--quiet", "remote", "author");
  const changelog = join(stage, "author", "CHANGELOG.md");
  const today = new Date().toISOString().slice(0, 10);
  const dated = readFileSync(changelog, "utf8").replace(/^## (?:\S+ - )?Unreleased$/m, `## ${version} - ${today}`);
  writeFileSync(changelog, dated);
  const author = ["-c", "user.name=rehearsal", "-c", "user.email=rehearsal@localhost"];
  await git("author", ...author, "commit", "--quiet", "--allow-empty", "--all", "--message", `Release ${version}`);
  await git("author", "tag", `v${version}`);
  await git("author", "push", "--quiet", "origin", `v${version}`);
  await git("", "clone", "--quiet", "--branch", `v${version}`, "remote", "checkout");
}

/** A registry with a user who may publish. It gets all other packages from the registry that npm uses. */
async function startRegistry(stage: string): Promise<{ server: Server; url: string; userConfig: string }> {
  const npm = (...args: string[]) => promisify(execFile)("npm", args, { cwd: stage });
  const upstream = (await npm("config", "get", "registry")).stdout.trim();
  // A part of it asks for the tag `cjs`, which a mirror of the registry need not have.
  const ofRegistry = { private: true, overrides: { "node-fetch": "^2.7.0" } };
  writeFileSync(join(stage, "package.json"), JSON.stringify(ofRegistry));
  await npm("install", "--no-audit", "--no-fund", "--prefer-offline", registryPackage);
  const ours = { access: "$all", publish: "$authenticated" };
  const { runServer } = createRequire(join(stage, "package.json"))("verdaccio") as {
    runServer(config: object): Promise<Server>;
  };
  const server = await runServer({
    self_path: join(stage, "registry.yaml"),
    storage: join(stage, "storage"),
    auth: { htpasswd: { file: join(stage, "htpasswd") } },
    uplinks: { upstream: { url: upstream } },
    packages: {
      ...Object.fromEntries(packageFolders.map((folder) => [manifestOf(folder).name, ours])),
      "**": { access: "$all", proxy: "upstream" },
    },
    max_body_size: "100mb",
    log: { type: "stdout", format: "pretty", level: "fatal" },
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const response = await fetch(`http://${address}-/user/org.couchdb.user:author`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "author", password: "of the rehearsal" }),
  });
  const { token } = (await response.json()) as { token: string };
  const userConfig = join(stage, "npmrc");
  writeFileSync(userConfig, `//${address}:_authToken=${token}\n`);
  return { server, url: `http://${address}`, userConfig };
}

/** Runs a line with the shell that GitHub uses. */
async function runStep(line: string, cwd: string, env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<void> {
  say(`$ ${line}`);
  const { code, output } = await collected("bash", ["-e", "-c", line], cwd, env);
  if (code !== 0) throw new Error(`${line} ended with ${code}:\n${output.slice(-4000)}`);
}

async function refusesFirstVersion(publishing: Promise<void>): Promise<void> {
  const message = await publishing.then(
    () => "it was published",
    (error: Error) => error.message,
  );
  if (!message.includes("Publish the first version by hand")) {
    throw new Error(`npm takes the first version from a person only, and the workflow did not say so: ${message}`);
  }
}
