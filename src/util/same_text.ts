/**
 * Comparing secrets.
 *
 * @module
 */

import { sha256 } from "@oslojs/crypto/sha2";
import { constantTimeEqual } from "@oslojs/crypto/subtle";

/** Whether two texts are equal, in a time that tells nothing about where they differ: their SHA-256 are compared. */
export function sameText(a: string, b: string): boolean {
  const encoder = new TextEncoder();
  return constantTimeEqual(sha256(encoder.encode(a)), sha256(encoder.encode(b)));
}
