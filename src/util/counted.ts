/**
 * A number with what it counts: `1 file`, `2 files`.
 *
 * @param count how many there are
 * @param noun its singular, whose plural ends in `s`
 */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
