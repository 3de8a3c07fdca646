/**
 * Lint plugin: import ranks, exact file imports, no platform outside its places, no default exports, token arrays
 * of expressions in few files (style 1, 4).
 *
 * @module
 */

import { mayUsePlatform, RANKS, roomOf } from "./ranks.ts";
import { mayReadTokens } from "./token_readers.ts";

/** Path below `src/`, or undefined for files elsewhere. */
function pathInSrc(file: string): string | undefined {
  const match = /(?:^|\/)src\/(.+)$/.exec(file.replaceAll("\\", "/"));
  return match?.[1];
}

/** Resolves a relative import to its path below `src/`. */
function resolveInSrc(from: string, specifier: string): string | undefined {
  const url = new URL(specifier, `file:///src/${from}`);
  return url.pathname.startsWith("/src/") ? url.pathname.slice("/src/".length) : undefined;
}

function importProblem(from: string, specifier: string): string | undefined {
  if (specifier.startsWith("node:")) {
    return mayUsePlatform(from) ? undefined : `"${specifier}" may not be imported here; use src/platform/`;
  }
  if (!specifier.startsWith(".")) return undefined;
  const target = resolveInSrc(from, specifier);
  if (target === undefined) return `"${specifier}" leaves src/`;
  const [room, targetRoom] = [roomOf(from), roomOf(target)];
  // files for browsers are not TypeScript
  if (room === "console" && targetRoom === room) return undefined;
  if (!specifier.endsWith(".ts")) return `Import the exact file with its .ts ending, not "${specifier}"`;
  if (room === targetRoom) return undefined;
  const [rank, targetRank] = [RANKS[room], RANKS[targetRoom]];
  if (rank === undefined || targetRank === undefined) {
    return `Room "${rank === undefined ? room : targetRoom}" has no rank in scripts/ranks.ts`;
  }
  if (targetRank < rank) return undefined;
  return `"${room}" (rank ${rank}) may not import from "${targetRoom}" (rank ${targetRank})`;
}

const plugin: Deno.lint.Plugin = {
  name: "fw",
  rules: {
    layers: {
      create(context) {
        const from = pathInSrc(context.filename);
        if (from === undefined) return {};
        const check = (node: Deno.lint.Node, specifier: string | undefined) => {
          const message = specifier === undefined ? undefined : importProblem(from, specifier);
          if (message) context.report({ node, message });
        };
        return {
          ImportDeclaration: (node) => check(node, node.source.value),
          ExportNamedDeclaration: (node) => check(node, node.source?.value),
          ExportAllDeclaration: (node) => check(node, node.source.value),
          ImportExpression: (node) =>
            check(node, node.source.type === "Literal" ? String(node.source.value) : undefined),
        };
      },
    },
    platform: {
      create(context) {
        const from = pathInSrc(context.filename);
        if (from === undefined || mayUsePlatform(from)) return {};
        return {
          MemberExpression(node) {
            if (node.object.type === "Identifier" && node.object.name === "Deno") {
              context.report({ node, message: "Deno.* may not be used here; use src/platform/" });
            }
          },
        };
      },
    },
    "token-arrays": {
      create(context) {
        const from = pathInSrc(context.filename);
        if (from === undefined || mayReadTokens(from)) return {};
        const report = (node: Deno.lint.Node) =>
          context.report({
            node,
            message: "Token arrays are read by src/algebra/from_cqn.ts; walk its tree",
          });
        return {
          MemberExpression(node) {
            if (!node.computed && node.property.type === "Identifier" && node.property.name === "xpr") {
              report(node);
            }
          },
          BinaryExpression(node) {
            if (node.operator === "in" && node.left.type === "Literal" && node.left.value === "xpr") {
              report(node);
            }
          },
        };
      },
    },
    "no-default-export": {
      create(context) {
        const from = pathInSrc(context.filename);
        // deno lint takes a plugin from the default export
        if (from === undefined || from === "lint/mod.ts") return {};
        return {
          ExportDefaultDeclaration: (node) => context.report({ node, message: "Use a named export" }),
        };
      },
    },
  },
};

export default plugin;
