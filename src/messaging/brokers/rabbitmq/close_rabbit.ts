/**
 * Closing what the broker may not confirm any more.
 *
 * @module
 */

/** A channel or a connection of the driver. */
export interface RabbitClosable {
  /** Asks the broker; the promise never settles if the connection is lost before the answer. */
  close(): Promise<void>;
  /** Tells the end, whatever its reason. */
  once(event: "close", listener: () => void): unknown;
}

/**
 * Closes a channel or a connection; that ends when the broker has answered or the connection was lost.
 *
 * @param one what is closed
 */
export async function closeRabbit(one: RabbitClosable): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  one.once("close", resolve);
  await Promise.race([one.close(), ended]);
}
