/**
 * The dead letters of a group in a file beside the message box.
 *
 * @module
 */

import { pause } from "../../util/time.ts";
import type { DeadLetter, DeadLetters } from "../channel.ts";
import { channelUnreachable } from "../brokers/channel_connection.ts";
import { isReplayable, letterId, readDeadLetter } from "../dead_letter.ts";
import { type BoxPaths, groupFileName, writeSynced } from "./box.ts";
import { readCursor, withTopics, writeCursor } from "./cursor.ts";
import { GroupLease, type GroupTurn } from "./group_lease.ts";
import { formatLine } from "./line_format.ts";

/** How often a turn is asked for, and for how long. */
const ASK_MS = 2;
const PATIENCE_MS = 30_000;

/** The file with the dead letters of a group. */
export function deadPath({ folder }: BoxPaths, group: string): string {
  return `${folder}/${groupFileName(group)}.dead`;
}

/** What dead letters are read from. */
export interface FileDeadLettersOptions {
  /** The box. */
  readonly paths: BoxPaths;
  /** The group. */
  readonly group: string;
  /** How long an instance of the group may stand still. */
  readonly leaseMs: number;
  /** Called when there is something to deliver. */
  readonly wake: () => void;
}

/** Reads the file as it is; changes it in a turn of the group, between those of its consumers. */
export class FileDeadLetters implements DeadLetters {
  readonly #options: FileDeadLettersOptions;

  /** @param options box and group */
  constructor(options: FileDeadLettersOptions) {
    this.#options = options;
  }

  /** @param limit how many at most */
  list(limit: number): Promise<readonly DeadLetter[]> {
    return Promise.resolve(this.#lines().slice(0, limit).map((line) => readDeadLetter(letterId(line), line)));
  }

  /** The message goes to those of the group that wait for their next delivery; the box, which all read, stays as it is. */
  async replay(id: string): Promise<boolean> {
    const isDone = await this.#remove(id, (turn, line) => {
      const letter = readDeadLetter(id, line);
      if (!isReplayable(letter)) return false;
      const { message } = letter;
      const retry = { line: formatLine(message), key: message.key, deliveries: 0, due: Date.now() };
      const cursor = readCursor(turn.paths, turn.group) ?? withTopics(undefined, []);
      // First the cursor: a crash between the two delivers the message twice rather than never.
      writeCursor(turn, { ...cursor, retries: [...cursor.retries, retry] });
      return true;
    });
    if (isDone) this.#options.wake();
    return isDone;
  }

  /** @param id of a dead letter */
  discard(id: string): Promise<boolean> {
    return this.#remove(id, () => true);
  }

  /** Removes a line, if a step before that succeeds. */
  async #remove(id: string, before: (turn: GroupTurn, line: string) => boolean): Promise<boolean> {
    const { paths, group } = this.#options;
    const isThere = () => this.#lines().some((line) => letterId(line) === id);
    if (!isThere()) return false;
    using turn = await this.#takeTurn();
    const lines = this.#lines();
    const at = lines.findIndex((line) => letterId(line) === id);
    if (at < 0 || !before(turn, lines[at])) return false;
    const rest = lines.toSpliced(at, 1).map((line) => `${line}\n`).join("");
    turn.replace(deadPath(paths, group), (temporary) => writeSynced(temporary, rest));
    return true;
  }

  /** @throws ServiceError `CHANNEL_UNREACHABLE` if consumers of the group leave no room for so long */
  async #takeTurn(): Promise<GroupTurn> {
    const { paths, group, leaseMs } = this.#options;
    const lease = new GroupLease({ paths, group, leaseMs, onTakeOver: () => {} });
    for (const end = Date.now() + leaseMs + PATIENCE_MS; Date.now() < end;) {
      const turn = await lease.take();
      if (turn) return turn;
      await pause(ASK_MS);
    }
    throw channelUnreachable(`The message box ${paths.box}`);
  }

  #lines(): readonly string[] {
    const { paths, group } = this.#options;
    try {
      return Deno.readTextFileSync(deadPath(paths, group)).split("\n").filter(Boolean);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  }
}
