/**
 * Whose turn it is to read a message box for a consumer group.
 *
 * @module
 */

import { type BoxPaths, groupFileName, statFile } from "./box.ts";

/** A look at a silent holder counts for so long at most: whoever looks may have stood still as well. */
const MAX_LOOK_MS = 250;
/** Beats of a holder within the time of the lease. */
const BEATS = 4;

/** What a lease is made from. */
export interface GroupLeaseOptions {
  /** The box. */
  readonly paths: BoxPaths;
  /** The group. */
  readonly group: string;
  /** How long a holder may be silent before it is passed over. */
  readonly leaseMs: number;
  /** Called by the instance that passes over a silent holder. */
  readonly onTakeOver: () => void;
}

/** What a group stored was refused: meanwhile it is the turn of another instance. */
export class LeaseLost extends Error {
  /** Names no group: it is for the inside only. */
  constructor() {
    super("Another instance has taken over");
  }
}

/**
 * The lease of a group, for one instance. The newest of the files `<group>.lock`, `<group>.lock-1`, … counts: whoever has
 * locked it has its turn. The kernel ends the lock when its holder dies; a holder that only stands still is passed over by a
 * newer file, and what it stores afterwards is refused.
 */
export class GroupLease {
  readonly #options: GroupLeaseOptions;
  readonly #cleaned: Set<number> = new Set();
  /** The holder as it was seen last: its file, its last beat, and for how long it has been silent. */
  #holder: { term: number; beat: number; silentMs: number; seenAt: number } | undefined;

  /** @param options box, group, time */
  constructor(options: GroupLeaseOptions) {
    this.#options = options;
  }

  /**
   * Begins a turn.
   *
   * @returns undefined while it is the turn of another instance; what is given may be lost at once
   */
  async take(): Promise<GroupTurn | undefined> {
    const { paths, group, leaseMs } = this.#options;
    const term = newestTerm(paths, group);
    const file = Deno.openSync(lockPath(paths, group, term), { create: true, write: true, mode: 0o600 });
    let turn: GroupTurn | undefined;
    try {
      if (await file.tryLock(true)) turn = new GroupTurn({ file, paths, group, term, leaseMs });
      else this.#watch(term);
    } finally {
      if (!turn) file.close();
    }
    try {
      if (turn?.isHeld) this.#clean(turn);
    } catch (error) {
      turn![Symbol.dispose]();
      throw error;
    }
    return turn;
  }

  /** Passes over a holder that did nothing for the time of the lease, by the own clock: that of the machine may be set. */
  #watch(term: number): void {
    const { paths, group, leaseMs, onTakeOver } = this.#options;
    const beat = statFile(lockPath(paths, group, term))?.mtime?.getTime() ?? 0;
    const seenAt = performance.now();
    const last = this.#holder;
    const isSame = last !== undefined && last.term === term && last.beat === beat;
    const silentMs = isSame ? last.silentMs + Math.min(MAX_LOOK_MS, seenAt - last.seenAt) : 0;
    this.#holder = { term, beat, silentMs, seenAt };
    if (silentMs < leaseMs) return;
    try {
      Deno.openSync(lockPath(paths, group, term + 1), { createNew: true, write: true, mode: 0o600 }).close();
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) return;
      throw error;
    }
    onTakeOver();
  }

  /**
   * Removes what instances have left behind that were killed or passed over. A cursor that one of them is about to put in
   * place goes as well, so it must happen before the cursor is read.
   */
  #clean({ term }: GroupTurn): void {
    if (this.#cleaned.has(term)) return;
    const { paths, group } = this.#options;
    const name = groupFileName(group);
    for (const entry of Deno.readDirSync(paths.folder)) {
      const isTemporary = entry.name.startsWith(`${name}.`) && entry.name.endsWith(".tmp");
      // The one before stays, so that whoever looks for a newer one finds it.
      if (isTemporary || (termOf(entry.name, name) ?? term) < term - 1) {
        removeIfThere(`${paths.folder}/${entry.name}`);
      }
    }
    this.#cleaned.add(term);
  }
}

/** What a turn is made from. */
interface TurnOptions extends Pick<GroupLeaseOptions, "paths" | "group" | "leaseMs"> {
  readonly file: Deno.FsFile;
  readonly term: number;
}

/** The turn of an instance; it ends with `using`. */
export class GroupTurn implements Disposable {
  /** Number of the lock file. */
  readonly term: number;
  /** The box. */
  readonly paths: BoxPaths;
  /** The group. */
  readonly group: string;
  readonly #options: TurnOptions;
  readonly #beating: ReturnType<typeof setInterval>;
  #sureUntil = 0;
  #isLost = false;

  /** @param options the locked file */
  constructor(options: TurnOptions) {
    this.#options = options;
    this.term = options.term;
    this.paths = options.paths;
    this.group = options.group;
    this.#beat();
    this.#beating = setInterval(() => this.#beatAgain(), options.leaseMs / BEATS);
  }

  /** Whether it still is the turn of this instance; looked up only after this process stood still. */
  get isHeld(): boolean {
    return !this.#isLost && (performance.now() < this.#sureUntil || this.#lookUp());
  }

  /**
   * Replaces a file of the group, unless it is the turn of another instance by now: who passes this one over removes the
   * temporary file before it reads anything.
   *
   * @param path the file
   * @param replace writes the new text beside it, under the name that it is given
   * @throws LeaseLost
   */
  replace(path: string, replace: (temporary: string) => void): void {
    const temporary = `${path}.${this.term}.tmp`;
    replace(temporary);
    try {
      if (this.#lookUp()) return Deno.renameSync(temporary, path);
      Deno.removeSync(temporary);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      this.#isLost = true;
    }
    throw new LeaseLost();
  }

  /** @throws LeaseLost if it is the turn of another instance */
  assertHeld(): void {
    if (!this.#lookUp()) throw new LeaseLost();
  }

  /** Ends the turn. */
  [Symbol.dispose](): void {
    clearInterval(this.#beating);
    this.#options.file.close();
  }

  #lookUp(): boolean {
    this.#isLost ||= newestTerm(this.paths, this.group) !== this.term;
    return !this.#isLost;
  }

  /** Where the box cannot be looked at any more, the turn is over: who begins the next one is told why. */
  #beatAgain(): void {
    try {
      this.#beat();
    } catch {
      this.#isLost = true;
    }
  }

  /** Counted from before the beat: nobody passes this instance over earlier. */
  #beat(): void {
    const from = performance.now();
    const now = new Date();
    this.#options.file.utimeSync(now, now);
    if (this.#lookUp()) this.#sureUntil = from + this.#options.leaseMs;
  }
}

function newestTerm({ folder }: BoxPaths, group: string): number {
  const name = groupFileName(group);
  let newest = 0;
  for (const entry of Deno.readDirSync(folder)) newest = Math.max(newest, termOf(entry.name, name) ?? 0);
  return newest;
}

/** The number of a lock file of a group; undefined for other files. */
function termOf(file: string, group: string): number | undefined {
  if (!file.startsWith(`${group}.lock`)) return undefined;
  const rest = file.slice(`${group}.lock`.length);
  return rest === "" ? 0 : /^-\d+$/.test(rest) ? Number(rest.slice(1)) : undefined;
}

function lockPath({ folder }: BoxPaths, group: string, term: number): string {
  return `${folder}/${groupFileName(group)}.lock${term === 0 ? "" : `-${term}`}`;
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
