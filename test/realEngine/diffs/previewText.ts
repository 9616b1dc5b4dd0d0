import type { Project } from "../harness";

/** The part of a preview about one resource. */
export interface Shown {
  /** The type without its namespace: `TaskCopy`. */
  type: string;
  name: string;
  /** The sign and the word of the heading: `~ (update)`. */
  step: string;
  lines: string[];
}

const heading = /^ {4}(\S{0,2}) ?(?:pulumi-nodejs:dynamic\/webextract|webextract:index):(\w+): \(([\w-]+)\)(.*)$/;

/** A changed secret list as the newest engine shows it: with the places of the changed items. */
const changedSecretList = /^( *~ \w+ *: )\[\n(?: +~ \[\d+\]: \[secret\] => \[secret\]\n)+ +\]$/gm;

/**
 * Splits the output of `pulumi preview --diff` by resource, in an order that does not depend on the engine.
 * @param mark only resources whose name has this end, and without it in `name`
 */
export function resourcesShown(output: string, mark = ""): Shown[] {
  const shown: Shown[] = [];
  let inResources = false;
  for (const line of output.replace(changedSecretList, "$1[secret] => [secret]").split("\n")) {
    const [, sign, type, word] = heading.exec(line) ?? [];
    if (type !== undefined) {
      shown.push({ type, name: "", step: `${sign} (${word})`, lines: [line.slice(4)] });
      inResources = true;
    } else if (/^ {4,}\S/.test(line) && inResources) {
      const last = shown.at(-1);
      last?.lines.push(line.slice(4));
      const name = /^ +\[urn=.*::(.*)\]$/.exec(line)?.[1];
      if (last !== undefined && name !== undefined) {
        last.name = name;
      }
    } else {
      inResources = false;
    }
  }
  return shown
    .filter(({ name }) => name.endsWith(mark))
    .map((each) => ({ ...each, name: each.name.slice(0, each.name.length - mark.length) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Replaces the parts that differ in each test run: ids become the names of their resources. */
export class Names {
  private readonly names = new Map<string, string>();

  /** Names a value. An earlier value with this name keeps it. */
  set(value: string, name: string): void {
    this.names.set(value, `<${name}>`);
  }

  /** Names the ids of all resources in the state. */
  addFrom(project: Project): void {
    for (const { urn, id } of project.state().resources) {
      if (id !== undefined && id !== "" && !this.names.has(id) && /^[0-9a-f-]{36}$|^\d{18}$/.test(id)) {
        this.set(id, `id of ${urn.split("::").at(-1)}`);
      }
    }
  }

  in(text: string): string {
    let named = text;
    for (const [value, name] of this.names) {
      named = named.replaceAll(value, name);
    }
    return named.replaceAll(/\b[0-9a-f]{64}\b/g, "<sha256>").replaceAll(/ [0-9a-f]{12}(?=")/g, " <hash>");
  }
}
