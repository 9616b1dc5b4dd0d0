// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of shells
import type { Option } from "commander";
import { Argument } from "commander";
import { shellQuoted } from "../../resources/values";
import type { CliCommand } from "../command";
import { optionsOf } from "../options";

/** The command line as a shell completes it. */
interface Completed {
  /** Words such as `token status`. */
  name: string;
  summary: string;
  options: readonly Option[];
}

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
      const completed = all().map((each) => ({ name: each.name, summary: each.summary, options: optionsOf(each) }));
      const script = shells[shell as keyof typeof shells](completed);
      return { json: { shell, script }, text: () => script };
    },
  };
}

function firstWords(commands: readonly Completed[]): string[] {
  return [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))];
}

/** Words that begin several commands, each with its second words. */
function groupsOf(commands: readonly Completed[]): [string, Completed[]][] {
  const words = firstWords(commands);
  const within = (word: string): Completed[] => commands.filter(({ name }) => name.startsWith(`${word} `));
  return words.map((word): [string, Completed[]] => [word, within(word)]).filter(([, found]) => found.length > 0);
}

function secondWord({ name }: Completed): string {
  return name.split(" ")[1] ?? "";
}

function flagsOf({ short, long }: Option): string[] {
  return [short, long].filter((flag) => flag != null);
}

function bash(commands: readonly Completed[]): string {
  const groups = groupsOf(commands).map(
    ([word, found]) =>
      `    ${word}) command="$command \${COMP_WORDS[2]}"; [ "$COMP_CWORD" -gt 2 ] || words="${found.map(secondWord).join(" ")}" ;;`,
  );
  const values = commands.flatMap(({ name, options }) =>
    options.flatMap((option) =>
      option.argChoices === undefined
        ? []
        : [
            `    ${flagsOf(option)
              .map((flag) => `"${name}:${flag}"`)
              .join("|")}) words="${option.argChoices.join(" ")}" ;;`,
          ],
    ),
  );
  const flags = commands.map(
    ({ name, options }) => `        "${name}") words="${options.flatMap(flagsOf).join(" ")}" ;;`,
  );
  return [
    "_webextract() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" command="${COMP_WORDS[1]}" words=""',
    "  COMPREPLY=()",
    `  [ "$COMP_CWORD" -gt 1 ] || words="${firstWords(commands).join(" ")}"`,
    '  [ "$COMP_CWORD" -le 1 ] || case "$command" in',
    ...groups,
    "  esac",
    '  [ -n "$words" ] || case "$command:$prev" in',
    ...values,
    "    *)",
    '      case "$cur" in -*) case "$command" in',
    ...flags,
    "      esac ;; esac ;;",
    "  esac",
    '  [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    "}",
    "complete -o default -F _webextract webextract",
    "",
  ].join("\n");
}

function zsh(commands: readonly Completed[]): string {
  const described = (word: string, summary: string): string => shellQuoted(`${word}:${summary}`);
  const groups = groupsOf(commands);
  const spec = (option: Option): string => {
    const flags = flagsOf(option);
    const words = option.description.replace(/[[\]\\:]/g, (character) => `\\${character}`);
    const value = option.required
      ? `:${option.attributeName()}:${option.argChoices === undefined ? "_files" : `(${option.argChoices.join(" ")})`}`
      : "";
    return flags.map((flag) => shellQuoted(`${flag}[${words}]${value}`)).join(" ");
  };
  const top = firstWords(commands).map((word) =>
    described(
      word,
      commands.find(({ name }) => name === word)?.summary ??
        `${groups
          .find(([name]) => name === word)?.[1]
          .map(secondWord)
          .join(", ")}`,
    ),
  );
  return [
    "#compdef webextract",
    "_webextract() {",
    '  local command="$words[2]"',
    "  local -a found",
    "  if (( CURRENT == 2 )); then",
    `    found=(${top.join(" ")})`,
    "    _describe command found; return",
    "  fi",
    '  case "$command" in',
    ...groups.map(
      ([word, within]) =>
        `    ${word}) command="$command $words[3]"; if (( CURRENT == 3 )); then found=(${within.map((each) => described(secondWord(each), each.summary)).join(" ")}); _describe command found; return; fi ;;`,
    ),
    "  esac",
    '  case "$command" in',
    ...commands.map(
      ({ name, options }) => `    ${shellQuoted(name)}) _arguments ${options.map(spec).join(" ")} '*:file:_files' ;;`,
    ),
    "  esac",
    "}",
    "compdef _webextract webextract",
    "",
  ].join("\n");
}

function fish(commands: readonly Completed[]): string {
  const quoted = (text: string): string => `'${text.replace(/[\\']/g, (character) => `\\${character}`)}'`;
  const line = (condition: string, ...words: string[]): string =>
    ["complete -c webextract", `-n ${quoted(condition)}`, ...words].join(" ");
  const groups = groupsOf(commands);
  return [
    "function __webextract_at",
    "  set -l words (commandline -opc)[2..-1]",
    '  string match -q -- "$argv *" "$words "',
    "end",
    ...commands
      .filter(({ name }) => !name.includes(" "))
      .map(({ name, summary }) => line("__fish_use_subcommand", "-f", "-a", name, "-d", quoted(summary))),
    ...groups.flatMap(([word, within]) => [
      line("__fish_use_subcommand", "-f", "-a", word, "-d", quoted(within.map(secondWord).join(", "))),
      ...within.map((each) =>
        line(
          `__webextract_at ${word}; and test (count (commandline -opc)) -eq 2`,
          "-f",
          "-a",
          secondWord(each),
          "-d",
          quoted(each.summary),
        ),
      ),
    ]),
    ...commands.flatMap(({ name, options }) =>
      options.map((option) => {
        const { short, long, required, argChoices, description } = option;
        const names = [
          ...(short == null ? [] : ["-s", short.slice(1)]),
          ...(long == null ? [] : ["-l", long.slice(2)]),
        ];
        const value = argChoices === undefined ? (required ? ["-r"] : []) : ["-x", "-a", quoted(argChoices.join(" "))];
        return line(`__webextract_at ${name}`, ...names, ...value, "-d", quoted(description));
      }),
    ),
    "",
  ].join("\n");
}
