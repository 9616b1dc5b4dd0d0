import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import fsPromises from "node:fs/promises";
import sinon from "sinon";
import type { Exchange, WireRequest } from "../internals/service";
import { Transport } from "../internals/service";

/** What a step ends with in a process that was killed. */
class Killed extends Error {
  override readonly name = "Killed";
}

export interface KillPlan {
  /** The process is killed before its step of this number: a request, or a change in the file system. A write is half done then. */
  killBefore?: number;
  /** Called with each request, by its path, before it is sent. `lost…`: the answer never comes, and the request was carried out or not. */
  onRequest(path: string): "answered" | "lostBefore" | "lostAfter";
}

/**
 * A process that can be killed between any two steps that anybody outside can see: each request and each change in the file system. From
 * then on none of its steps has an effect, as if it were not there.
 */
export class KillableProcess {
  dead = false;
  private steps = 0;
  private readonly box = sinon.createSandbox();

  constructor(private readonly plan: KillPlan) {
    this.watchRequests();
    this.watchFiles();
  }

  restore(): void {
    this.box.restore();
  }

  /** @throws Killed */
  private begin(): void {
    if (this.dead || this.steps === this.plan.killBefore) {
      this.dead = true;
      throw new Killed();
    }
    this.steps += 1;
  }

  private watchRequests(): void {
    const real = Transport.prototype.exchange;
    const exchange = async (transport: Transport, request: WireRequest): Promise<Exchange> => {
      this.begin();
      const fate = this.plan.onRequest(new URL(request.url).pathname);
      const lost: Exchange = {
        loss: { reason: "connection", sent: true, detail: "the connection broke", host: "service" },
      };
      const answered = fate === "lostBefore" ? lost : await real.call(transport, request);
      return fate === "answered" ? answered : lost;
    };
    this.box.replace(Transport.prototype, "exchange", function (this: Transport, request) {
      return exchange(this, request);
    });
  }

  private watchFiles(): void {
    const { open } = fsPromises;
    for (const name of ["rename", "link", "rm"] as const) {
      this.before(fsPromises, name);
    }
    this.before(fs, "createWriteStream");
    this.box.stub(fsPromises, "open").callsFake(async (...args) => {
      this.begin();
      return this.watched(await open(...args));
    });
  }

  private before<Api extends object>(api: Api, name: keyof Api & string): void {
    const real = api[name] as (...args: unknown[]) => unknown;
    const watched = (...args: unknown[]): unknown => {
      this.begin();
      return real(...args);
    };
    this.box.replace(api, name, watched as Api[keyof Api & string]);
  }

  private watched(handle: FileHandle): FileHandle {
    const { writeFile, sync } = handle;
    handle.writeFile = async (data) => {
      if (!this.dead && this.steps === this.plan.killBefore && Buffer.isBuffer(data)) {
        await writeFile.call(handle, data.subarray(0, data.length / 2));
      }
      this.begin();
      return writeFile.call(handle, data);
    };
    handle.sync = async () => {
      this.begin();
      return sync.call(handle);
    };
    return handle;
  }
}
