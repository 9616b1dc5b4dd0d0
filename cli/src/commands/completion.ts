// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of shells
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
      'Bash: add eval "$(webextract completion bash)" to ~/.bashrc. Zsh: add source <(webextract completion zsh) to ~/.zshrc. ' +
      "Fish: webextract completion fish > ~/.config/fish/completions/webextract.fish.",
    connects: false,
    arguments: [new Argument("<shell>", "the shell").choices(Object.keys(shells))],
    examples: [{ line: "completion bash", does: "prints the script for Bash" }],
    async run({ arguments: [shell] }) {
      const script = shells[shell as keyof typeof shells](all());
      return { json: { shell, script }, text: () => script };
    },
  };
}

/** The words that can follow `first`, or begin a command line. */
function wordsAfter(commands: readonly CliCommand[], first?: string): string[] {
  const words = commands.map(({ name }) => name.split(" "));
  const next = words.flatMap((each) => (first === undefined ? each[0] : each[0] === first ? each[1] : undefined) ?? []);
  return [...new Set(next)];
}

function bash(commands: readonly CliCommand[]): string {
  const offer = (pattern: string, words: readonly string[]): string => `    ${pattern}) words="${words.join(" ")}" ;;`;
  const groups = wordsAfter(commands).filter((word) => wordsAfter(commands, word).length > 0);
  const ofCommands = commands.flatMap((command) => {
    const options = optionsOf(command).map(({ short, long, argChoices }) => {
      return { flags: [short, long].filter((flag) => flag != null), argChoices };
    });
    const choices = options.flatMap(({ flags, argChoices }) =>
      flags.flatMap((flag) => (argChoices === undefined ? [] : [offer(`"${command.name}:${flag}:"*`, argChoices)])),
    );
    const flags = options.flatMap((option) => option.flags);
    return [...choices, offer(`"${command.name}:"*":-"*`, flags)];
  });
  return [
    "_webextract() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" command="" words=""',
    "  COMPREPLY=()",
    '  [ "$COMP_CWORD" -le 1 ] || command="${COMP_WORDS[1]}"',
    `  case "$command" in ${groups.join("|")}) [ "$COMP_CWORD" -le 2 ] || command="$command \${COMP_WORDS[2]}" ;; esac`,
    '  case "$command:$prev:$cur" in',
    offer('":"*', wordsAfter(commands)),
    ...groups.map((group) => offer(`"${group}:"*`, wordsAfter(commands, group))),
    ...ofCommands,
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
  const line = (after: readonly string[], words: string): string => {
    const seen = after.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    return `complete -c webextract -n '${seen || "__fish_use_subcommand"}' ${words}`;
  };
  const lines = commands.flatMap((command) => {
    const words = command.name.split(" ");
    const options = optionsOf(command).map(({ long = "", short, required, argChoices }) => {
      const value = argChoices === undefined ? (required ? " -r" : "") : ` -x -a '${argChoices.join(" ")}'`;
      return line(words, `-l ${long.slice(2)} ${short == null ? "" : `-s ${short.slice(1)}`}${value}`);
    });
    return [...words.map((word, index) => line(words.slice(0, index), `-f -a ${word}`)), ...options];
  });
  return `${[...new Set(lines)].join("\n")}\n`;
}
