/**
 * Phrases of HTTP status codes; the only importer of this module of the standard library.
 *
 * @module
 */

import { STATUS_TEXT } from "@std/http/status";

/** The standard phrase of an HTTP status (RFC 9110, 15): `statusText(404)` is `Not Found`. */
export function statusText(status: number): string {
  return (STATUS_TEXT as Record<number, string>)[status] ?? "Unknown";
}
