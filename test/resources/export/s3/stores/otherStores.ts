import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { owner, startOnPort } from "../../../../../scripts/objectStore/objectStore";
import { startCeph } from "./ceph";
import { abortOverObject } from "./conditions";
import type { RunningStore } from "./runningStore";
import { runningStore } from "./runningStore";

const run = promisify(execFile);

export interface OtherStore {
  title: string;
  /** Whether this machine can have it. */
  isPossible: boolean;
  /** Installs it, if need be, and starts it in an empty folder. */
  start(folder: string): Promise<RunningStore>;
  /** What it accepts although it must refuse it. */
  accepts: string[];
  /** What a bucket with versions does with the name of an object that was removed. */
  afterRemoval: "writes" | "refuses" | "has no versions";
}

const folders = (process.env.PATH ?? "").split(delimiter);
const has = (...names: string[]): boolean =>
  names.every((name) => folders.some((each) => existsSync(join(each, name))));

export const otherStores: OtherStore[] = [
  {
    title: "Ceph RGW",
    isPossible: has("radosgw") || (process.getuid?.() === 0 && has("apt-get")),
    start: async (folder) => {
      if (!has("radosgw")) {
        await run("apt-get", ["update"]);
        const packages = ["radosgw", "ceph-mon", "ceph-osd"];
        const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
        await run("apt-get", ["install", "--yes", "--no-install-recommends", ...packages], { env });
      }
      return startCeph(folder);
    },
    accepts: [
      "PutObject with another CRC-32",
      "UploadPart with another CRC-32",
      "CompleteMultipartUpload if there is an object",
      "CompleteMultipartUpload if the object has changed",
      "DeleteObject if the object has changed",
    ],
    afterRemoval: "writes",
  },
  {
    title: "s3proxy",
    isPossible: has("java", "mvn"),
    start: async (folder) => {
      const properties = {
        "s3proxy.authorization": "aws-v4",
        "s3proxy.identity": owner.accessKeyId,
        "s3proxy.credential": owner.secretAccessKey,
        "jclouds.provider": "filesystem-nio2",
        "jclouds.filesystem.basedir": join(folder, "objects"),
      };
      mkdirSync(join(folder, "objects"));
      const file = join(folder, "s3proxy.properties");
      return startJava(folder, {
        // The second one is what the first one needs and does not name.
        packages: ["org.gaul:s3proxy:4.1.0", "com.fasterxml.jackson.core:jackson-annotations:2.21"],
        args: (port) => {
          const lines = Object.entries({ ...properties, "s3proxy.endpoint": `http://127.0.0.1:${port}` });
          writeFileSync(file, lines.map((pair) => pair.join("=")).join("\n"));
          return ["org.gaul.s3proxy.Main", "--properties", file];
        },
      });
    },
    accepts: [],
    afterRemoval: "has no versions",
  },
  {
    title: "S3Mock",
    isPossible: has("java", "mvn"),
    start: (folder) =>
      startJava(folder, {
        packages: ["com.adobe.testing:s3mock:5.2.0", "org.slf4j:slf4j-api:2.0.18"],
        args: (port) => ["com.adobe.testing.s3mock.S3MockApplication", "--server.port=0", `--http.port=${port}`],
      }),
    accepts: [abortOverObject],
    afterRemoval: "refuses",
  },
  {
    title: "moto",
    isPossible: has("python3"),
    start: async (folder) => {
      await run("python3", ["-m", "venv", join(folder, "venv")]);
      await run(join(folder, "venv", "bin", "pip"), ["install", "--quiet", "moto[server,s3]==5.2.5"]);
      const program = join(folder, "venv", "bin", "moto_server");
      return started(program, (port) => spawn(program, ["-H", "127.0.0.1", "-p", `${port}`], { stdio: "ignore" }));
    },
    accepts: [
      "PutObject with another CRC-32",
      "UploadPart with another CRC-32",
      "CompleteMultipartUpload if the object has changed",
    ],
    afterRemoval: "writes",
  },
];

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "webextract-other-store-"));
}

interface JavaProgram {
  /** Group, name and version. The first one wins where two packages need different versions. */
  packages: string[];
  /** The main class and its arguments. */
  args(port: number): string[];
}

async function startJava(folder: string, { packages, args }: JavaProgram): Promise<RunningStore> {
  const dependencies = packages.map((each) => {
    const [group, name, version] = each.split(":");
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
  });
  const project = "<groupId>x</groupId><artifactId>x</artifactId><version>1</version><packaging>pom</packaging>";
  const pom = join(folder, "pom.xml");
  const content = `<modelVersion>4.0.0</modelVersion>${project}<dependencies>${dependencies.join("")}</dependencies>`;
  writeFileSync(pom, `<project xmlns="http://maven.apache.org/POM/4.0.0">${content}</project>`);
  const jars = join(folder, "jars");
  await run("mvn", ["-q", "-B", "-f", pom, "dependency:copy-dependencies", `-DoutputDirectory=${jars}`]);
  return started(packages.join(), (port) =>
    spawn("java", ["-cp", join(jars, "*"), ...args(port)], { cwd: folder, stdio: "ignore" }),
  );
}

async function started(title: string, start: Parameters<typeof startOnPort>[1]): Promise<RunningStore> {
  const { process, port } = await startOnPort(title, start);
  return runningStore(port, [process]);
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
