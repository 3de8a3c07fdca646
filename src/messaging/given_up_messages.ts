/**
 * The dead letters of an application, wherever they are: in its outbox, and in the channels of its messaging services.
 *
 * @module
 */

import type { Backlog, DeadLetter, DeadLetters, Message } from "./channel.ts";
import type { Outbox } from "./outbox/outbox.ts";
import type { OutboxMessage } from "./outbox/stored_work.ts";

/** Dead letters of a channel that are counted: it gives them with all that they hold. */
const COUNTED = 1_000;
const DEFAULT_LIMIT = 100;
/** Dead letters of a channel that are looked through for one of them, or tried again at once. */
const ALL = 10_000;

/** A message that was given up. */
export interface GivenUpMessage
  extends Pick<OutboxMessage, "ID" | "target" | "attempts" | "lastError" | "lastAttemptTimestamp" | "work"> {
  /** When it was stored, where that is known. */
  readonly timestamp?: string;
  /** Name of the task, if it is one. */
  readonly task?: string | null;
}

/** A messaging service whose channel keeps messages. */
export interface LetterSource {
  /** Name of the service. */
  readonly name: string;
  /** The dead letters of its group, where the channel shows them. */
  readonly letters?: DeadLetters;
  /** What waits for its group; undefined as long as that has not subscribed. Missing where the channel cannot tell. */
  readonly backlog?: () => Promise<Backlog | undefined>;
  /** The header that carries the tenant of a message, if there is one. */
  readonly tenantHeader?: string;
}

/** A source that shows its dead letters. */
type ShownLetters = LetterSource & Required<Pick<LetterSource, "letters">>;

/** Where dead letters are. */
export interface GivenUpOptions {
  /** The outbox, if there is one. */
  readonly outbox: Pick<Outbox, "deadLetters" | "revive" | "discard" | "states"> | undefined;
  /** The channels. */
  readonly sources: () => readonly LetterSource[];
  /** Whether each tenant sees its own only. */
  readonly multitenancy: boolean;
  /** Told of channels that cannot be asked, which are passed over then; default: their errors are thrown. */
  readonly onFailure?: (source: string, error: unknown) => void;
}

/** What is waiting, and what was given up. */
export interface MessageState {
  /** Where the messages are. */
  readonly place: "outbox" | "channel";
  /** Whom they are for: a service, or the messaging service whose channel keeps them. */
  readonly target: string;
  /** How many wait, where that is known. */
  readonly waiting?: number;
  /** Set where the channel counts by group, and the group of the application has never subscribed. */
  readonly unsubscribed?: true;
  /** Age of the oldest of those. */
  readonly oldestAgeMs?: number;
  /** How many were given up, where that is known. */
  readonly dead?: number;
}

/** Whose, and which. */
export interface GivenUpQuery {
  /** The tenant, with multitenancy. */
  readonly tenant?: string;
  /** Id of one. */
  readonly id?: string;
}

/** Lists dead letters, tries them again, and removes them. */
export class GivenUpMessages {
  readonly #options: GivenUpOptions;

  /**
   * Looks at nothing yet.
   *
   * @param options where they are
   */
  constructor(options: GivenUpOptions) {
    this.#options = options;
  }

  /**
   * Dead letters, oldest first.
   *
   * @param query how many at most (default 100), whose, and the id of one or its beginning (default: all)
   */
  async list(
    { limit = DEFAULT_LIMIT, tenant, id = "" }: GivenUpQuery & { readonly limit?: number } = {},
  ): Promise<readonly GivenUpMessage[]> {
    const { outbox } = this.#options;
    const isStored = outbox !== undefined && !id.includes(":");
    const stored = isStored ? await outbox.deadLetters({ limit, tenant, ...id === "" ? {} : { id } }) : [];
    const kept = await Promise.all(
      this.#sources(id).map((source) => this.#lettersOf(source, { tenant, limit: id === "" ? limit : ALL })),
    );
    const found: readonly GivenUpMessage[] = [...stored, ...kept.flat()].filter(({ ID }) =>
      ID.startsWith(id)
    );
    const exact = found.filter(({ ID }) => ID === id);
    return exact.length > 0 ? exact : found.toSorted(byTime).slice(0, limit);
  }

  /**
   * How much is waiting and how much was given up: in the outbox by service, in channels by messaging service. Of a channel no
   * more dead letters are counted than a list has at most.
   */
  async states(): Promise<readonly MessageState[]> {
    const { outbox, onFailure } = this.#options;
    const stored = (await outbox?.states() ?? []).map((state) => ({ ...state, place: "outbox" as const }));
    const kept = await Promise.all(
      this.#options.sources().map(async ({ name, letters, backlog }) => {
        try {
          const [dead, waiting] = await Promise.all([letters?.list(COUNTED), backlog?.()]);
          if (!dead && !waiting) return [];
          const known = waiting ?? (backlog && { unsubscribed: true as const });
          return [{ place: "channel" as const, target: name, ...known, ...dead && { dead: dead.length } }];
        } catch (error) {
          if (!onFailure) throw error;
          onFailure(name, error);
          return [];
        }
      }),
    );
    return [...stored, ...kept.flat()];
  }

  /**
   * Tries dead letters again, with no attempts counted: calls of the outbox, and messages in the group that gave them up.
   *
   * @param query id of one, and whose; default: all
   * @returns how many there were
   */
  async replay({ tenant, id }: GivenUpQuery = {}): Promise<number> {
    const { outbox } = this.#options;
    const isStored = outbox !== undefined && !id?.includes(":");
    let count = isStored ? await outbox.revive({ tenant, ...id === undefined ? {} : { id } }) : 0;
    for (const [{ letters }, own] of await this.#find({ tenant, id })) {
      if (await letters.replay(own)) count++;
    }
    return count;
  }

  /**
   * Removes a dead letter for good.
   *
   * @param query its id, and whose
   * @returns whether it was there
   */
  async discard({ tenant, id }: GivenUpQuery & { readonly id: string }): Promise<boolean> {
    const { outbox } = this.#options;
    if (!id.includes(":")) return await outbox?.discard({ tenant, id }) ?? false;
    for (const [{ letters }, own] of await this.#find({ tenant, id })) {
      if (await letters.discard(own)) return true;
    }
    return false;
  }

  /** The letters of channels with an id, or all, each with its id there. */
  async #find({ tenant, id }: GivenUpQuery): Promise<readonly (readonly [ShownLetters, string])[]> {
    const found = await Promise.all(
      this.#sources(id ?? "").map(async (source) => {
        const letters = await this.#lettersOf(source, { tenant, limit: ALL });
        return letters.filter(({ ID }) => id === undefined || ID === id)
          .map(({ ID }) => [source, ID.slice(source.name.length + 1)] as const);
      }),
    );
    return found.flat();
  }

  /** The channels that can have a letter whose id begins so. */
  #sources(id: string): readonly ShownLetters[] {
    return this.#options.sources().filter((source): source is ShownLetters =>
      source.letters !== undefined && (`${source.name}:`.startsWith(id) || id.startsWith(`${source.name}:`))
    );
  }

  async #lettersOf(
    source: ShownLetters,
    { tenant, limit }: { readonly tenant: string | undefined; readonly limit: number },
  ): Promise<readonly GivenUpMessage[]> {
    const { multitenancy, onFailure } = this.#options;
    const { name, letters, tenantHeader } = source;
    try {
      // Those of other tenants come first, perhaps.
      const found = await letters.list(multitenancy ? ALL : limit);
      return found.map((letter) => toGivenUp(name, letter, tenantOf(letter.message, tenantHeader)))
        .filter(({ work }) => !multitenancy || work?.tenant === tenant);
    } catch (error) {
      if (!onFailure) throw error;
      onFailure(name, error);
      return [];
    }
  }
}

function toGivenUp(
  service: string,
  { id, message, attempts, lastError, at }: DeadLetter,
  tenant: string | undefined,
): GivenUpMessage {
  const { topic, data, headers, key } = message;
  const correlation = headers.correlationid ?? headers["x-correlation-id"];
  return {
    ID: `${service}:${id}`,
    target: service,
    attempts,
    lastError,
    lastAttemptTimestamp: at ?? null,
    work: {
      ...{ service, kind: "receive", event: topic, data, headers, key, tenant },
      ...typeof correlation === "string" ? { id: correlation } : {},
    },
  };
}

function tenantOf({ headers }: Message, header: string | undefined): string | undefined {
  const tenant = header === undefined ? undefined : headers[header];
  return typeof tenant === "string" ? tenant : undefined;
}

function byTime(one: GivenUpMessage, other: GivenUpMessage): number {
  const time = ({ lastAttemptTimestamp, timestamp }: GivenUpMessage) =>
    lastAttemptTimestamp ?? timestamp ?? "";
  return time(one) < time(other) ? -1 : +(time(one) > time(other));
}
