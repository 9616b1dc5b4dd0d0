import { ensureProgram } from "../engine/cachedProgram";

/** The path of Versity S3 Gateway, which keeps the objects of a test in a folder. The version is that of go.mod. */
export function ensureObjectStore(): Promise<string> {
  return ensureProgram({
    title: "Versity S3 Gateway",
    neededBy: "The tests of exports to S3 need",
    file: "versitygw",
    version: "1.8.0",
    folder: __dirname,
    package: "github.com/versity/versitygw/cmd/versitygw",
    about: "about 2 minutes on 2 cores",
  });
}
