const groups = ["config", "plugin", "policy", "stack", "state"];

/** The commands of Pulumi in code blocks and in code within text, such as `config set`, each with its options. */
export function pulumiCommands(page: string): Map<string, Set<string>> {
  const commands = new Map<string, Set<string>>();
  const shell = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = ""]) => block.split("\n"));
  const inText = [...page.matchAll(/`((?:WEBEXTRACT_\w+=\S+ )?pulumi [^`\n]+)`/g)].map(([, code = ""]) => code);
  for (const line of [...shell, ...inText]) {
    const [, words = ""] = /(?:^|[\s(])pulumi ((?:[a-z][a-z-]*\b ?)+)/.exec(line) ?? [];
    const [first = "", second = ""] = words.split(" ");
    if (first === "") continue;
    const command = groups.includes(first) && second !== "" ? `${first} ${second}` : first;
    const options = commands.get(command) ?? new Set();
    for (const [, option = ""] of line.matchAll(/ --([a-z-]+)/g)) options.add(option);
    commands.set(command, options);
  }
  return commands;
}
