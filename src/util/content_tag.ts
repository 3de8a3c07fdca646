/**
 * Entity tags of documents.
 *
 * @module
 */

import { sha256 } from "@oslojs/crypto/sha2";
import { encodeBase64urlNoPadding } from "@oslojs/encoding";

/**
 * A short text that changes with the content: the opaque part of an entity tag.
 *
 * @param content the document
 */
export function contentTag(content: string): string {
  return encodeBase64urlNoPadding(sha256(new TextEncoder().encode(content)));
}
