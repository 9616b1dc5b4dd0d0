import { runtime } from "@pulumi/pulumi";
import { programEnd } from "../../engine/programEnd";
import { ServiceClient } from "../../service/client";
import type { ServiceClientOptions } from "../../service/options";
import { perProgram } from "../perProgram";

/**
 * The clients of one program's reads, one for each profile. A client keeps its claim on the limiter of its service until it is closed. So the
 * clients are closed when the program has ended: in a process that runs many programs, they would slow down the later ones.
 */
class ReadClients {
  private readonly clients = new Map<string | undefined, ServiceClient>();
  private inProgress = 0;
  private hasEnded = false;

  constructor() {
    void programEnd(runtime.getStackResource()).then(() => {
      this.hasEnded = true;
      this.closeUnused();
    });
  }

  async read<T>(
    profile: string | undefined,
    options: ServiceClientOptions,
    read: (client: ServiceClient) => Promise<T>,
  ): Promise<T> {
    const client = this.clients.get(profile) ?? new ServiceClient(options);
    this.clients.set(profile, client);
    this.inProgress++;
    try {
      return await read(client);
    } finally {
      this.inProgress--;
      this.closeUnused();
    }
  }

  /** After the end, reads of values that are not outputs of the stack can still start. */
  private closeUnused(): void {
    if (!this.hasEnded || this.inProgress > 0) {
      return;
    }
    const clients = [...this.clients.values()];
    this.clients.clear();
    for (const client of clients) {
      void close(client);
    }
  }
}

async function close(client: ServiceClient): Promise<void> {
  try {
    await client.tokensSettled();
    client.close();
  } catch {
    // A token could not be stored. A warning was shown at that time.
  }
}

export const readClients = perProgram(() => new ReadClients());
