import type { Bucket } from "./bucket";

/** Names that are looked up one by one before all are listed. */
const fewNames = 8;

/**
 * Which keys of a path that counts up exist. A path with `{n}` tries the numbers from 1, and each look is a request: after a year of daily
 * exports, one list is faster.
 */
export class TakenNames {
  private lookedUp = 0;
  private taken: Promise<Set<string>> | undefined;

  constructor(
    private readonly bucket: Bucket,
    /** Matches each key of the path; its group `before` is what stands before the number. Undefined if the path does not count up. */
    private readonly pattern: RegExp | undefined,
  ) {}

  async has(key: string): Promise<boolean> {
    const prefix = this.pattern?.exec(key)?.groups?.before;
    this.lookedUp++;
    if (prefix !== undefined && this.lookedUp > fewNames) {
      this.taken ??= this.bucket.keys(prefix).then((keys) => new Set(keys));
      if ((await this.taken).has(key)) {
        return true;
      }
    }
    return (await this.bucket.head(key)) !== undefined;
  }
}
