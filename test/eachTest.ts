type Made = { remove(): unknown } | { close(): unknown };

/**
 * Makes something before each test of a `describe`, and removes or closes it after the test.
 * @returns stands for what the present test has
 */
export function eachTest<T extends Made>(make: () => Promise<T>): T {
  return madeIn(beforeEach, afterEach, make);
}

/** The same once for all tests of a `describe`. */
export function allTests<T extends Made>(make: () => Promise<T>): T {
  return madeIn(before, after, make);
}

function madeIn<T extends Made>(begin: Mocha.HookFunction, end: Mocha.HookFunction, make: () => Promise<T>): T {
  let made: T;
  begin(async () => {
    made = await make();
  });
  end(async () => {
    await ("remove" in made ? made.remove() : made.close());
  });
  return new Proxy({} as T, {
    get: (_nothing, name) => {
      const value = Reflect.get(made, name);
      return typeof value === "function" ? value.bind(made) : value;
    },
    set: (_nothing, name, value) => Reflect.set(made, name, value),
  });
}
