/** Names with the values that each can take. */
export type Parameters = ReadonlyMap<string, readonly (string | number)[]>;
export type Combination = Map<string, string | number>;

/** Combinations that contain each pair of values of two parameters. Greedy and deterministic. */
export function pairwise(parameters: Parameters): Combination[] {
  const names = [...parameters.keys()];
  const open = new Set<string>();
  for (const [index, one] of names.entries()) {
    for (const other of names.slice(index + 1)) {
      for (const a of parameters.get(one) ?? [])
        for (const b of parameters.get(other) ?? []) open.add(key(one, a, other, b));
    }
  }
  const order = new Map(names.map((name, index) => [name, index]));
  const pairKey = (one: string, a: string | number, other: string, b: string | number) =>
    (order.get(one) ?? 0) < (order.get(other) ?? 0) ? key(one, a, other, b) : key(other, b, one, a);
  const combinations: Combination[] = [];
  for (let first = open.values().next(); !first.done; first = open.values().next()) {
    const [one, a, other, b] = JSON.parse(first.value) as [string, string | number, string, string | number];
    const combination: Combination = new Map([
      [one, a],
      [other, b],
    ]);
    for (const name of names) {
      if (combination.has(name)) continue;
      const gain = (value: string | number) =>
        [...combination].filter(([known, its]) => open.has(pairKey(name, value, known, its))).length;
      const values = parameters.get(name) ?? [];
      combination.set(
        name,
        values.reduce((best, value) => (gain(value) > gain(best) ? value : best)),
      );
    }
    for (const [x, its] of combination)
      for (const [y, other] of combination) if (x !== y) open.delete(pairKey(x, its, y, other));
    combinations.push(combination);
  }
  return combinations;
}

function key(one: string, a: string | number, other: string, b: string | number): string {
  return JSON.stringify([one, a, other, b]);
}
