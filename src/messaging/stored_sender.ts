/**
 * Senders of received messages, while the messages wait to be handled.
 *
 * @module
 */

import { User } from "../context/user.ts";
import type { StoredSender } from "../service/queue/work_queue.ts";

/**
 * What is kept of a sender, so that the message is handled later with the rights of now and no others.
 *
 * @param user the sender
 */
export function toStoredSender(user: User): StoredSender {
  const { id, roles, attr, tenant, features } = user;
  return { id, roles, attr, tenant, features: [...features], isPrivileged: user instanceof User.Privileged };
}

/**
 * The sender of a message that waited.
 *
 * @param stored what was kept
 */
export function fromStoredSender({ isPrivileged, ...properties }: StoredSender): User {
  return isPrivileged ? new User.Privileged(properties) : new User(properties);
}
