import { join } from "node:path";
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

/** The path of fake-gcs-server, which keeps the objects of a test in memory. The version is that of its go.mod. */
export function ensureGcsServer(): Promise<string> {
  return ensureProgram({
    title: "fake-gcs-server",
    neededBy: "The tests of Google Cloud Storage need",
    file: "fake-gcs-server",
    version: "1.56.1",
    folder: join(__dirname, "gcs"),
    package: "github.com/fsouza/fake-gcs-server",
    about: "about 3 minutes on 2 cores",
  });
}
