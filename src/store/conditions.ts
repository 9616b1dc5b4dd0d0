import { randomBytes, randomUUID } from "node:crypto";
import type { ObjectStore } from "./objectStore";
import { StoreError } from "./storeError";

/**
 * Which conditions a store does not keep, in words. Makes 8 requests or a few more, and leaves nothing.
 * @param folder where to try them
 */
export async function conditionsNotKept(store: ObjectStore, folder: string): Promise<string[]> {
  await store.keys(`${folder}/`);
  const key = `${folder}/${randomUUID()}`;
  const [first, second] = [randomBytes(16), randomBytes(16)];
  const lost: string[] = [];
  const [, , write, remove] = store.operations;
  // After a lost response, a request meets the object that it has made itself: a refusal says nothing then.
  const etagOf = async (body: Buffer): Promise<string | undefined> => {
    const found = await store.get(key);
    return found?.body.equals(body) === true ? found.etag : undefined;
  };
  const created = (await store.put(key, first, undefined)) ?? (await etagOf(first));
  if (created === undefined || (await store.put(key, second, undefined)) !== undefined) {
    lost.push(`If-None-Match of ${write}`);
  }
  const isReplaced = (await store.put(key, second, "0".repeat(32))) !== undefined;
  if (
    isReplaced ||
    created === undefined ||
    ((await store.put(key, second, created)) ?? (await etagOf(second))) === undefined
  ) {
    lost.push(`If-Match of ${write}`);
  }
  const isRemoved = await store.remove(key, created ?? "").catch((error: unknown) => {
    // The store has no such condition.
    if (error instanceof StoreError && error.kind === "refused") return true;
    throw error;
  });
  const left = await store.get(key);
  const isGone = left === undefined || (await store.remove(key, left.etag)) || (await store.get(key)) === undefined;
  if (isRemoved || !isGone) {
    lost.push(`If-Match of ${remove}`);
  }
  return lost;
}
