/**
 * How texts look at the terminal.
 *
 * @module
 */

/** What a person at the terminal sees: colours where it shows them, and frames of stacks as `FW_STACK` says. */
export interface TerminalStyle {
  /** Whether messages on standard error may be coloured. */
  readonly colours: boolean;
  /** Whether stacks end where the code of the application does. */
  readonly shortStacks: boolean;
}

/**
 * The style of this process: `NO_COLOR` means none, and so does output that is no terminal, unless `FORCE_COLOR` is set;
 * `FW_STACK=full` shows all frames.
 */
export function terminalStyle(): TerminalStyle {
  return {
    colours: !Deno.noColor && (Deno.stderr.isTerminal() || Boolean(Deno.env.get("FORCE_COLOR"))),
    shortStacks: Deno.env.get("FW_STACK") !== "full",
  };
}
