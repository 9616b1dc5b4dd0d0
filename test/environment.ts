/** Whether the slow tests run too, see scripts/test.ts. Properties and lists are tested with more values then. */
export const isLarge = process.env.TEST_SIZE === "large";

/** Declares a test that only `npm run test:all` runs, in a file of which other tests are fast. */
export function slowIt(behaviour: string, test: (this: Mocha.Context) => unknown): void {
  if (isLarge) {
    it(behaviour, test);
  }
}

/**
 * Sets environment variables of this process. `process.env` stays the same object: a copy in its place would no longer reach `os.homedir()` and other native code.
 * @param variables an undefined one is removed
 * @returns restores what was there before
 */
export function setEnvironment(variables: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  assign(variables);
  return () => assign(before);
}

function assign(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) {
      delete process.env[name];
    } else {
      process.env[name] = value;
    }
  }
}
