/** Limits of the requests to all stores. Replaced by tests. */
export const limits = {
  /**
   * Size of a part in bytes. A file of this size or less is sent in one request. S3 allows no smaller parts than 5 MiB,
   * and 10,000 parts; Google Cloud Storage needs a multiple of 256 KiB.
   */
  partBytes: 8 * 1024 * 1024,
  /** How often the SDK tries a request. It waits longer before each. */
  mostTries: 6,
  /**
   * Milliseconds without progress after which a request counts as failed, so that a server that hangs does not hang the
   * export.
   */
  idleMs: 60_000,
  /** Milliseconds for a try, with a whole part, where the SDK sees no progress. */
  tryMs: 300_000,
  /** Milliseconds for a request, with its repetitions, that is about a small object. */
  smallMs: 20_000,
  /** Milliseconds for a look at a bucket in a preview. */
  lookMs: 5_000,
};
