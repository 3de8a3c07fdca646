/**
 * Multipart answers in the form the recorded cases have.
 *
 * @module
 */

/** Splits a multipart body into parts; change sets become `{changeset: […]}`. */
export function parseMultipart(text: string, boundary: string): unknown[] {
  const pieces = text.split(`--${boundary}`).slice(1, -1);
  return pieces.map((piece) => parsePart(piece.replace(/^\r\n/, "").replace(/\r\n$/, "")));
}

function parsePart(text: string): unknown {
  const [head, rest] = splitOnce(text, "\r\n\r\n");
  const headers = parseHeaders(head);
  const inner = /^multipart\/mixed;.*boundary="?([^";]+)/i.exec(headers["content-type"] ?? "")?.[1];
  if (inner) return { changeset: parseMultipart(rest, inner) };
  const [responseHead, body] = splitOnce(rest, "\r\n\r\n");
  const [statusLine, ...lines] = responseHead.split("\r\n");
  const responseHeaders = parseHeaders(lines.join("\r\n"));
  delete responseHeaders["content-length"];
  if (responseHeaders["content-type"]) {
    responseHeaders["content-type"] = responseHeaders["content-type"].split(";")[0];
  }
  return {
    status: Number(statusLine.split(" ")[1]),
    headers: responseHeaders,
    ...(headers["content-id"] ? { contentId: headers["content-id"] } : {}),
    ...(body.trim() === ""
      ? {}
      : { body: /json/.test(responseHeaders["content-type"] ?? "") ? JSON.parse(body) : body }),
  };
}

function parseHeaders(text: string): Record<string, string> {
  const lines = text.split("\r\n").filter(Boolean);
  return Object.fromEntries(lines.map((line) => {
    const [name, value] = splitOnce(line, ":");
    return [name.toLowerCase(), value.trim()];
  }));
}

function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + separator.length)];
}
