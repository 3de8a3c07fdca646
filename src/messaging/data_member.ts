/**
 * The payload of a message as members of a JSON object: bytes stand in `data_base64` (CloudEvents JSON 3.1).
 *
 * @module
 */

import { decodeBase64, encodeBase64 } from "@oslojs/encoding";

/** A payload in JSON. */
export interface DataMember {
  /** The payload. */
  readonly data?: unknown;
  /** The payload if it is bytes. */
  readonly data_base64?: string;
}

/** The member for a payload. */
export function toDataMember(data: unknown): DataMember {
  return data instanceof Uint8Array ? { data_base64: encodeBase64(data) } : { data };
}

/**
 * The payload of its member.
 *
 * @param member an object that has one of them
 * @returns `fault` says why there is none
 */
export function fromDataMember(member: { readonly data?: unknown; readonly data_base64?: unknown }): {
  readonly data?: unknown;
  readonly fault?: string;
} {
  if (!("data_base64" in member)) return { data: member.data };
  if ("data" in member) return { fault: "data and data_base64 together" };
  try {
    return { data: decodeBase64(String(member.data_base64)) };
  } catch {
    return { fault: "data_base64 is not base64" };
  }
}
