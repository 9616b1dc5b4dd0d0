import { execFile, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { owner, startOnPort } from "../../../../../scripts/objectStore/objectStore";
import type { RunningStore } from "./runningStore";
import { runningStore } from "./runningStore";

const run = promisify(execFile);

/** A cluster of one node that keeps its objects in memory: a monitor, a daemon for objects and the gateway. */
export async function startCeph(folder: string): Promise<RunningStore> {
  const file = join(folder, "ceph.conf");
  const id = randomUUID();
  const env = { ...process.env, CEPH_CONF: file };
  const configure = (port: number): void => {
    const settings = {
      fsid: id,
      "mon host": `v2:127.0.0.1:${port}`,
      "mon data": join(folder, "mon"),
      "mon data avail crit": 0,
      "mon allow pool size one": true,
      "osd data": join(folder, "osd"),
      "osd objectstore": "memstore",
      "osd pool default size": 1,
      "osd pool default pg num": 1,
      "rgw data": join(folder, "rgw"),
      "public addr": "127.0.0.1",
      "cluster addr": "127.0.0.1",
      "admin socket": "",
      "log file": join(folder, "$name.log"),
      "auth cluster required": "none",
      "auth service required": "none",
      "auth client required": "none",
      // The gateway asks for encryption otherwise, which needs a key.
      "ms mon client mode": "crc",
    };
    writeFileSync(
      file,
      `[global]\n${Object.entries(settings)
        .map((pair) => `${pair.join(" = ")}\n`)
        .join("")}`,
    );
  };
  const options = { env, cwd: folder, stdio: "ignore" } as const;
  const monitor = await startOnPort("ceph-mon", (port) => {
    configure(port);
    const map = join(folder, "monmap");
    rmSync(join(folder, "mon"), { recursive: true, force: true });
    execFileSync(
      "monmaptool",
      ["--create", "--clobber", "--fsid", id, "--addv", "a", `[v2:127.0.0.1:${port}]`, map],
      options,
    );
    execFileSync("ceph-mon", ["--mkfs", "-i", "a", "--monmap", map], options);
    return spawn("ceph-mon", ["-f", "-i", "a"], options);
  });
  const osd = randomUUID();
  await run("ceph", ["osd", "new", osd], options);
  mkdirSync(join(folder, "osd"));
  await run("ceph-osd", ["-i", "0", "--mkfs", "--osd-uuid", osd], options);
  const objects = spawn("ceph-osd", ["-f", "-i", "0"], options);
  const keys = ["--access-key", owner.accessKeyId, "--secret-key", owner.secretAccessKey];
  await run("radosgw-admin", ["user", "create", "--uid", "owner", "--display-name", "owner", ...keys], options);
  const gateway = await startOnPort("radosgw", (port) =>
    spawn("radosgw", ["-f", "-n", "client.rgw", "--rgw-frontends", `beast endpoint=127.0.0.1:${port}`], options),
  );
  return runningStore(gateway.port, [gateway.process, objects, monitor.process]);
}
