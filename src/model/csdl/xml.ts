/**
 * A minimal XML tree and its text.
 *
 * @module
 */

/** An XML element: attributes, then either children or text. */
export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly children: readonly XmlNode[];
  readonly text?: string;
}

/**
 * An element; attributes without value are left out.
 *
 * @param name tag name
 * @param attributes by name
 * @param rest children, or text instead of them
 */
export function element(
  name: string,
  attributes: XmlNode["attributes"] = {},
  ...rest: [children?: readonly XmlNode[], text?: string]
): XmlNode {
  return { name, attributes, children: rest[0] ?? [], text: rest[1] };
}

/**
 * A document as text, indented by two blanks.
 *
 * @param root the document element
 */
export function xmlText(root: XmlNode): string {
  const lines = ['<?xml version="1.0" encoding="utf-8"?>'];
  writeNode(root, "", lines);
  return lines.join("\n");
}

function writeNode(node: XmlNode, indent: string, lines: string[]): void {
  const attributes = Object.entries(node.attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join("");
  const open = `${indent}<${node.name}${attributes}`;
  if (node.text !== undefined) {
    lines.push(`${open}>${escapeXml(node.text)}</${node.name}>`);
  } else if (node.children.length === 0) {
    lines.push(`${open}/>`);
  } else {
    lines.push(`${open}>`);
    for (const child of node.children) writeNode(child, `${indent}  `, lines);
    lines.push(`${indent}</${node.name}>`);
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  '"': "&quot;",
  "\n": "&#xa;",
  "\r": "&#xd;",
  "\t": "&#x9;",
};

/**
 * Text as it stands in attributes and between tags. Control characters cannot be written in XML 1.0 at all; they are left out.
 *
 * @param text any text
 */
export function escapeXml(text: string): string {
  // deno-lint-ignore no-control-regex -- these are the characters to remove
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replace(/[&<"\n\r\t]/g, (character) => ESCAPES[character]);
}
