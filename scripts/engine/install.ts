import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { NoEngine } from "./engine";
import { runAndWatch } from "./runAndWatch";

const installerHost = "get.pulumi.com";
const reachableWithin = 5_000;
const installedWithin = 300_000;

/** Puts an engine into the folder `root` with Pulumi's own installer, as the Automation API would. */
export async function installEngine(
  root: string,
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
  version: string,
): Promise<void> {
  await assertReachable();
  say(`Installing Pulumi ${version} with Pulumi's own installer.`);
  // In its own process, because the installer cannot be cancelled and a process can.
  const result = await runAndWatch(
    process.execPath,
    ["--import", "tsx", join(__dirname, "installerProcess.ts"), root, version],
    {
      cwd: __dirname,
      env: environment,
      timeout: installedWithin,
      everySoOften: ({ seconds }) => say(`Pulumi's installer is running, ${seconds} s.`),
    },
  );
  if (result.code !== 0) {
    throw new NoEngine(`Pulumi's installer failed: ${result.lastLine}`);
  }
}

/** Without a connection, the installer would try for minutes. */
async function assertReachable(): Promise<void> {
  try {
    await lookup(installerHost);
    await connectOnce();
  } catch (error) {
    throw new NoEngine(`Pulumi's installer cannot be reached (${error instanceof Error ? error.message : error})`);
  }
}

function connectOnce(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: installerHost, port: 443, timeout: reachableWithin });
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("timeout", () =>
      socket.destroy(new Error(`${installerHost} did not respond within ${reachableWithin / 1000} s`)),
    );
    socket.once("error", reject);
  });
}
