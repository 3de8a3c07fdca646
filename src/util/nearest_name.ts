/**
 * Suggestions for misspelt names.
 *
 * @module
 */

/**
 * The known name that is most like a given one.
 *
 * @param name what was found
 * @param known what there is
 * @returns the nearest name, or undefined when none is near: more than one letter of a name of three letters differs,
 *   where it does not just leave out two, or more than a third of a longer one and one letter
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.floor(name.length / 3) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (name.length === 3 && distance === 2 && candidate.length !== 5) continue;
    if (distance <= bestDistance && (best === undefined || distance < bestDistance)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * How many letters have to be put in, left out or replaced to make one name of another.
 *
 * @param a a name
 * @param b another
 */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, substitution);
    }
    row = next;
  }
  return row[b.length];
}
