import { isLarge } from "../environment";

/** Declares a test that only `npm run test:all` runs, in a file of which other tests are fast. */
export function slowIt(behaviour: string, test: () => Promise<void>): void {
  if (isLarge) {
    it(behaviour, test);
  }
}
