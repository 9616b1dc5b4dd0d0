const unreplaced = /^(?:\$[A-Z_][A-Z0-9_]*|\$\{[A-Z_][A-Z0-9_]*\}|\$env:\w+|%[A-Za-z_]\w*%)$/;

/**
 * The part of a path that only a shell replaces, such as `~` or `$HOME`: the operating system would take it for the name
 * of a folder. Undefined if there is none, or if `./` in front says that such a folder is meant.
 */
export function shellPartOf(path: string): string | undefined {
  const [first = "", ...rest] = path.split(/[/\\]/);
  if (first === ".") return undefined;
  return /^~[\w.-]*$/.test(first) ? "~" : [first, ...rest].find((part) => unreplaced.test(part));
}

/** What a path with such a part is, for an error. */
export function describeShellPart(part: string): string {
  const orReal = part.startsWith("~") ? `, or "./" before a real "${part}"` : "";
  return `a path with "${part}", which only a shell replaces. Write the whole path${orReal}`;
}
