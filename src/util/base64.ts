/**
 * Bytes as text: base64 (RFC 4648, section 4) and binary strings.
 *
 * @module
 */

/** Bytes written at once where the engine cannot write all: three of them make four characters. */
const PART = 0x6000;

/**
 * Writes bytes as base64. Characters made one by one would take a hundred times as long: seconds for a picture.
 *
 * @param bytes the bytes
 */
export function encodeBase64(bytes: Uint8Array): string {
  // Node has it since version 25
  if (bytes.toBase64) return bytes.toBase64();
  let text = "";
  for (let at = 0; at < bytes.length; at += PART) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PART)));
  }
  return text;
}

/**
 * Reads base64.
 *
 * @param text base64 in the standard alphabet, padding optional
 * @throws DOMException when it is none
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return binaryBytes(atob(text));
}

/**
 * The bytes of a binary string.
 *
 * @param text each character is one byte
 */
export function binaryBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
