import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { ensureGcsServer } from "./ensureObjectStore";
import { startOnPort } from "./objectStore";

/** A server of this machine with the interface of a cloud, which keeps everything in memory. */
export interface CloudServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** The account of Azurite. Its key is the same everywhere. */
export const azuriteAccount = "devstoreaccount1";
export const azuriteKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/** fake-gcs-server: it checks no credentials, and ignores the condition of a delete. */
export async function startGcsServer(): Promise<CloudServer> {
  const program = await ensureGcsServer();
  return await started("fake-gcs-server", (port) => {
    const options = ["-scheme", "http", "-host", "127.0.0.1", "-port", String(port), "-backend", "memory"];
    return spawn(program, [...options, "-log-level", "error"], { stdio: "ignore" });
  });
}

export async function startAzurite(): Promise<CloudServer> {
  const program = require.resolve("azurite/dist/src/blob/main.js");
  return await started("Azurite", (port) => {
    const options = [
      "--blobHost",
      "127.0.0.1",
      "--blobPort",
      String(port),
      "--inMemoryPersistence",
      "--skipApiVersionCheck",
    ];
    return spawn(process.execPath, [program, ...options, "--silent", "--disableTelemetry"], { stdio: "ignore" });
  });
}

async function started(title: string, start: (port: number) => ChildProcess): Promise<CloudServer> {
  const { process: server, port } = await startOnPort(title, start);
  const stop = async (): Promise<void> => {
    if (server.exitCode !== null) return;
    server.kill("SIGKILL");
    await once(server, "exit");
  };
  return { port, stop };
}
