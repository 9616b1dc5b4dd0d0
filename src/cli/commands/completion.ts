// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of shells
import type { Option } from "commander";
import { Argument } from "commander";
import type { CliCommand } from "../command";
import { optionsOf } from "../options";

const shells = { bash, zsh, fish };

/** @param all the commands, this one included */
export function completion(all: () => readonly CliCommand[]): CliCommand {
  return {
    name: "completion",
    summary: "print a script with which a shell completes commands and options",
    details:
      'Bash: add eval "$(webextract completion bash)" to ~/.bashrc. Zsh: add source <(webextract completion zsh) to ~/.zshrc, after compinit. ' +
      "Fish: webextract completion fish > ~/.config/fish/completions/webextract.fish. The program must be on the PATH.",
    connects: false,
    arguments: [new Argument("<shell>", "the shell").choices(Object.keys(shells))],
    examples: [{ line: "completion bash", does: "prints the script for Bash" }],
    async run({ arguments: [shell] }) {
      const script = shells[shell as keyof typeof shells](all());
      return { json: { shell, script }, text: () => script };
    },
  };
}

function flagsOf({ short, long }: Option): string[] {
  return [short, long].filter((flag) => flag != null);
}

function bash(commands: readonly CliCommand[]): string {
  const offer = (pattern: string, words: Iterable<string>): string =>
    `    ${pattern}) words="${[...new Set(words)].join(" ")}" ;;`;
  const names = commands.map(({ name }) => name.split(" "));
  const groups = new Set(names.flatMap(([first, second]) => (second === undefined ? [] : [first])));
  const secondWords = (group?: string): string[] =>
    names.flatMap(([first, second]) => (first === group && second !== undefined ? [second] : []));
  return [
    "_webextract() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" command="" words=""',
    "  COMPREPLY=()",
    '  [ "$COMP_CWORD" -le 1 ] || command="${COMP_WORDS[1]}"',
    `  case "$command" in ${[...groups].join("|")}) [ "$COMP_CWORD" -le 2 ] || command="$command \${COMP_WORDS[2]}" ;; esac`,
    '  case "$command:$prev:$cur" in',
    offer(
      '":"*',
      names.flatMap(([first]) => first ?? []),
    ),
    ...[...groups].map((group) => offer(`"${group}:"*`, secondWords(group))),
    ...commands.flatMap((command) => [
      ...optionsOf(command).flatMap((option) =>
        flagsOf(option).flatMap((flag) =>
          option.argChoices === undefined ? [] : [offer(`"${command.name}:${flag}:"*`, option.argChoices)],
        ),
      ),
      offer(`"${command.name}:"*":-"*`, optionsOf(command).flatMap(flagsOf)),
    ]),
    "  esac",
    '  [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    "}",
    "complete -o default -F _webextract webextract",
    "",
  ].join("\n");
}

/** Zsh can use a completion for Bash. */
function zsh(commands: readonly CliCommand[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
}

function fish(commands: readonly CliCommand[]): string {
  const quoted = (text: string): string => `'${text.replace(/[\\']/g, (character) => `\\${character}`)}'`;
  const seen = (word: string): string => `__fish_seen_subcommand_from ${word}`;
  const line = (condition: string, words: string, description: string): string =>
    `complete -c webextract -n ${quoted(condition)} ${words} -d ${quoted(description)}`;
  const lines = commands.flatMap((command) => {
    const [first = "", second] = command.name.split(" ");
    const options = optionsOf(command).map((option) => {
      const { long, required, argChoices, description } = option;
      const names = flagsOf(option).map((flag) => (flag === long ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
      const value = argChoices === undefined ? [] : ["-x", "-a", quoted(argChoices.join(" "))];
      const words = [...names, ...(required ? ["-r"] : []), ...value].join(" ");
      return line([first, second ?? []].flat().map(seen).join("; and "), words, description);
    });
    const word =
      second === undefined
        ? [line("__fish_use_subcommand", `-f -a ${first}`, command.summary)]
        : [line("__fish_use_subcommand", `-f -a ${first}`, ""), line(seen(first), `-f -a ${second}`, command.summary)];
    return [...word, ...options];
  });
  return `${[...new Set(lines)].join("\n")}\n`;
}
