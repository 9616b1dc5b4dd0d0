import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workFolder } from "./folders";
import { Problem } from "./problem";

/** The servers with a remembered port. */
export type ServiceName = "emulator" | "site";

const preferred: Record<ServiceName, number> = { emulator: 8790, site: 8791 };
const file = join(workFolder, "ports.json");

/**
 * Opens a server on the port that it had before, because the program declares its address: another port would show as a change of every
 * resource. The first time, opens the preferred port, or any free port, as with a remembered 0.
 * @throws {@link Problem} if the remembered port is in use.
 */
export async function onRememberedPort<T extends { url: string }>(
  name: ServiceName,
  open: (port: number) => Promise<T>,
): Promise<T> {
  const remembered = readPorts()[name];
  if (remembered) {
    return await open(remembered).catch((error: unknown) => {
      if (!isInUse(error)) throw error;
      throw new Problem(
        `Port ${remembered} is in use by another program, perhaps by another \`npm start\`. The stack uses this port: ` +
          `stop that program and try again. Or run \`npm start -- reset\` to start again on other ports.`,
      );
    });
  }
  const opened = await open(remembered ?? preferred[name]).catch((error: unknown) => {
    if (!isInUse(error)) throw error;
    return open(0);
  });
  mkdirSync(workFolder, { recursive: true });
  writeFileSync(
    file,
    `${JSON.stringify({ ...readPorts(), [name]: Number(new URL(opened.url).port) }, undefined, 2)}\n`,
  );
  return opened;
}

function readPorts(): Partial<Record<ServiceName, number>> {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}
