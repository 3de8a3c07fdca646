/**
 * Lines of a message box (spec 2.7): `<topic> {"data":…,"headers":{…}}`.
 *
 * @module
 */

import { isDeeperThan } from "../../util/json_text.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import type { Message } from "../channel.ts";
import { fromDataMember, toDataMember } from "../data_member.ts";
import { jsonOf } from "../message_json.ts";

/** A line that was read: a message, nothing (blank), or why it is bad. */
export type ParsedLine =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "blank" }
  | { readonly kind: "bad"; readonly reason: string };

/**
 * A message as line, without line breaks around it.
 *
 * @param message the message; its topic has no white space
 */
export function formatLine({ topic, data, headers }: Message): string {
  return `${topic} ${jsonOf({ ...toDataMember(data), headers })}`;
}

/**
 * Reads a line. No proper prefix of the text of a JSON object is valid JSON, so a torn line is always found.
 *
 * @param text the line without its line break
 * @param maxDepth nesting of JSON beyond which a line is bad
 */
export function parseLine(text: string, maxDepth: number): ParsedLine {
  const line = text.trim();
  if (line.length === 0) return { kind: "blank" };
  const gap = line.search(/\s/);
  if (gap < 0) return { kind: "bad", reason: "no payload" };
  let body: unknown;
  try {
    body = JSON.parse(line.slice(gap + 1));
  } catch {
    return { kind: "bad", reason: "no valid JSON" };
  }
  if (!isPlainObject(body)) return { kind: "bad", reason: "no JSON object" };
  const { data, fault } = fromDataMember(body);
  if (fault) return { kind: "bad", reason: fault };
  if (isDeeperThan(body, maxDepth + 1)) {
    return { kind: "bad", reason: `nested deeper than ${maxDepth} levels` };
  }
  const headers = isPlainObject(body.headers) ? body.headers : {};
  const key = typeof headers.partitionkey === "string" ? headers.partitionkey : undefined;
  return { kind: "message", message: { topic: line.slice(0, gap), data, headers, key } };
}
