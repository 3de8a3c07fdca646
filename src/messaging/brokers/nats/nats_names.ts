/**
 * Names of streams, subjects and consumers in NATS.
 *
 * @module
 */

import { ConfigurationError } from "../../../errors/configuration_error.ts";

/** Messages with a key go through one of these, one at a time, so that they keep their order. */
export const PARTITIONS = 8;

/** What a stream name may hold. */
const STREAM = /^[\w-]+$/;

/** Names below one stream. */
export class NatsNames {
  /** Name of the stream. */
  readonly stream: string;

  /**
   * Checks the name of a stream.
   *
   * @param stream the name
   * @param entry configuration entry, for the message
   * @throws ConfigurationError for characters that NATS refuses
   */
  constructor(stream: string, entry: string) {
    if (!STREAM.test(stream)) {
      throw new ConfigurationError(`${entry}.stream is '${stream}', expected letters, digits, - and _`);
    }
    this.stream = stream;
  }

  /** Everything of the stream. */
  get all(): string {
    return `${this.stream}.>`;
  }

  /** Subject of a message: the topic behind `t`, or behind `k` and its partition if the message has a key. */
  subject(topic: string, key: string | undefined): string {
    const prefix = key === undefined ? "t" : `k.${partitionOf(key, PARTITIONS)}`;
    return `${this.stream}.${prefix}.${encodeTopic(topic)}`;
  }

  /** The topic of a subject; one that is not encoded as ours are stands for itself. */
  topic(subject: string): string {
    const rest = subject.slice(this.stream.length + 1);
    const topic = rest.startsWith("t.") ? rest.slice(2) : rest.replace(/^k\.\d+\./, "");
    try {
      return decodeURIComponent(topic);
    } catch {
      return topic;
    }
  }

  /** Filter of the messages without key, or of a partition of those with one. */
  filter(partition: number | undefined): string {
    return `${this.stream}.${partition === undefined ? "t" : `k.${partition}`}.>`;
  }

  /** Name of the consumer of a group. */
  consumer(group: string, partition: number | undefined): string {
    const name = encodeURIComponent(group).replace(
      /[.*~'()!%]/g,
      (char) => `=${char.charCodeAt(0).toString(16)}`,
    );
    return partition === undefined ? name : `${name}-k${partition}`;
  }

  /** Subject of the dead letters of a group. */
  dead(group: string): string {
    return `${this.stream}.dead.${this.consumer(group, undefined)}`;
  }
}

/** White space, wildcards, empty tokens and everything outside of ASCII are percent-encoded; other dots stay. */
function encodeTopic(topic: string): string {
  return topic.replace(/[^\x21-\x24\x26-\x29\x2b-\x3d\x3f-\x7e]/gu, (char) => percentEncoded(char))
    .replace(/^\.|\.$|\.(?=\.)/g, "%2E");
}

function percentEncoded(char: string): string {
  return char === "*" ? "%2A" : encodeURIComponent(char.toWellFormed());
}

/**
 * The partition of a key: equal keys have the same one, in every process.
 *
 * @param key the key
 * @param partitions number of partitions
 */
function partitionOf(key: string, partitions: number): number {
  // FNV-1a over UTF-16 units.
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % partitions;
}
