/**
 * `fw completions bash|zsh|fish`
 *
 * @module
 */

import { type Command, unknownWord } from "./parse_command.ts";

/** What `fw help completions` prints. */
export const COMPLETIONS_HELP = `Usage: fw completions bash|zsh|fish

Prints what a shell needs to complete commands and their options.

Examples: source <(fw completions bash)
          fw completions zsh > ~/.zfunc/_fw
          fw completions fish > ~/.config/fish/completions/fw.fish`;

/** What completions need to know of commands. */
type Table = Readonly<Record<string, { readonly about: string; readonly options: readonly string[] }>>;

const SHELLS: Readonly<Record<string, (commands: Table) => string>> = { bash, zsh, fish };

/** Prints the completions of a shell. */
export function completionsCommand({ words: [shell = ""] }: Command, commands: Table): Promise<number> {
  if (Object.hasOwn(SHELLS, shell)) {
    console.log(SHELLS[shell]!(commands));
    return Promise.resolve(0);
  }
  throw unknownWord("shell", shell, Object.keys(SHELLS));
}

function optionsOf({ options }: Table[string]): string {
  return [...options, "help"].map((name) => `--${name}`).join(" ");
}

function bash(commands: Table): string {
  const cases = Object.entries(commands).map(([name, entry]) =>
    `    ${name}) words="${optionsOf(entry)}" ;;`
  );
  return `_fw() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${Object.keys(commands).join(" ")} help" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    help) words="${Object.keys(commands).join(" ")}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}
complete -o filenames -F _fw fw`;
}

function zsh(commands: Table): string {
  const list = Object.entries(commands).map(([name, { about }]) => `    '${name}:${quoted(about)}'`);
  const cases = Object.entries(commands).map(([name, entry]) =>
    `    ${name}) compadd -- ${optionsOf(entry)} ;;`
  );
  return `#compdef fw
_fw() {
  local -a commands=(
${list.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases.join("\n")}
  esac
  _files
}
compdef _fw fw`;
}

function fish(commands: Table): string {
  return Object.entries(commands).flatMap(([name, { about, options }]) => [
    `complete -c fw -n __fish_use_subcommand -a ${name} -d '${quoted(about)}'`,
    ...options.map((option) => `complete -c fw -n '__fish_seen_subcommand_from ${name}' -l ${option}`),
  ]).join("\n");
}

function quoted(text: string): string {
  return text.replaceAll("'", "").replaceAll(":", " ");
}
