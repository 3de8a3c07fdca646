/**
 * The share of keys that keep their order together.
 *
 * @module
 */

/**
 * The partition of a key: equal keys have the same one, in every process.
 *
 * @param key the key
 * @param partitions number of partitions
 */
export function partitionOf(key: string, partitions: number): number {
  // FNV-1a over UTF-16 units.
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % partitions;
}
