/**
 * The Model Context Protocol as protocol of a service: JSON-RPC over Streamable HTTP, without sessions. Its tools are requests
 * of OData, answered with the restrictions of the caller.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { runWithContext } from "../context/store.ts";
import { ServiceError } from "../errors/service_error.ts";
import type { LinkedModel } from "../model/linked.ts";
import { type Answer, createExchange, type Exchange } from "../odata/exchange.ts";
import { PartExchanges } from "../odata/batch/part_exchanges.ts";
import { errorAnswer } from "../odata/error_answer.ts";
import { handleRequest } from "../odata/handle_request.ts";
import { type HeaderEntry, HeaderList } from "../odata/header_list.ts";
import { createScopes } from "../odata/odata_adapter.ts";
import { accessOf } from "../service/authorization/pass.ts";
import { endpointPass, isPrivileged } from "../service/authorization/pass_of.ts";
import { authorizeService } from "../service/authorization/authorize_service.ts";
import type {
  ProtocolAdapter,
  ProtocolFactory,
  ProtocolOptions,
  WireAnswer,
} from "../service/wire/protocol_adapter.ts";
import { readText } from "../service/wire/read_body.ts";
import type { WireRequest } from "../service/wire/wire_request.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { describeModel } from "./describe_model.ts";
import { type Arguments, DESCRIBE, InvalidArguments, type Tool, type ToolRequest, toolsOf } from "./tools.ts";

/** Versions of the protocol that clients may ask for, the latest first. */
const VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** Codes of JSON-RPC 2.0 (clause 5.1). */
const CODES = { parse: -32700, request: -32600, method: -32601, params: -32602, internal: -32603 } as const;

/** Serves a service by the Model Context Protocol. */
export const createMcpAdapter: ProtocolFactory = (options: ProtocolOptions): ProtocolAdapter => {
  const scopeOf = createScopes(options);
  const tools: WeakMap<LinkedModel, ReadonlyMap<string, Tool>> = new WeakMap();
  return {
    kind: "mcp",
    async handle(request: WireRequest, context: EventContext, path: string): Promise<WireAnswer> {
      const scope = scopeOf(context);
      authorizeService(scope, context, { path });
      if (request.isFromOtherSite) throw new ServiceError({ status: 403 });
      if (path.replace(/\?.*$/, "") !== "") throw new ServiceError({ status: 404 });
      // there is no stream of the server's own messages, and no session to end
      if (request.method !== "POST") return plain(405, { allow: "POST" });
      const version = request.headers.get("mcp-protocol-version");
      if (version !== null && !VERSIONS.includes(version)) {
        return rpcAnswer(400, failure(null, CODES.request, `Protocol version "${version}" is not supported`));
      }
      const exchange = createExchange(scope, { request, context, rawUrl: path });
      let known = tools.get(scope.model);
      if (!known) {
        known = new Map(toolsOf(scope.definition, scope.model).map((tool) => [tool.name, tool]));
        tools.set(scope.model, known);
      }
      return await answer({ exchange, tools: known }, await readText(request, scope.settings.body));
    },
  };
};

/** A request with messages, and the tools there are. */
interface Call {
  readonly exchange: Exchange;
  readonly tools: ReadonlyMap<string, Tool>;
}

function plain(status: number, headers: Readonly<Record<string, string>> = {}): WireAnswer {
  return { status, headers: Object.entries(headers), body: null };
}

function rpcAnswer(status: number, body: object): WireAnswer {
  return { status, headers: [["content-type", "application/json"]], body: JSON.stringify(body) };
}

type Id = string | number | null;

function failure(id: Id, code: number, message: string): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

async function answer(call: Call, text: string): Promise<WireAnswer> {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return rpcAnswer(400, failure(null, CODES.parse, "The body is no JSON"));
  }
  if (!Array.isArray(given)) {
    const answered = await respond(call, given);
    return answered === undefined ? plain(202) : rpcAnswer(200, answered);
  }
  const { batchParts } = call.exchange.scope.host.limits;
  if (given.length === 0 || given.length > batchParts) {
    return rpcAnswer(400, failure(null, CODES.request, `A batch has from 1 to ${batchParts} messages`));
  }
  const answers: object[] = [];
  for (const message of given) {
    const answered = await respond(call, message);
    if (answered !== undefined) answers.push(answered);
  }
  return answers.length === 0 ? plain(202) : rpcAnswer(200, answers);
}

/** The response to a message; none to notifications and responses. */
async function respond(call: Call, message: unknown): Promise<object | undefined> {
  if (!isPlainObject(message) || message.jsonrpc !== "2.0") {
    return failure(null, CODES.request, "A message of JSON-RPC 2.0 is expected");
  }
  const { id, method, params = {} } = message;
  if (typeof method !== "string") {
    return "result" in message || "error" in message
      ? undefined
      : failure(null, CODES.request, "A method is expected");
  }
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  if (!isPlainObject(params)) return failure(id, CODES.params, "Parameters are expected as an object");
  try {
    const result = await run(call, method, params);
    return result === undefined
      ? failure(id, CODES.method, `There is no method "${method}"`)
      : { jsonrpc: "2.0", id, result };
  } catch (error) {
    if (error instanceof InvalidArguments) return failure(id, CODES.params, error.message);
    call.exchange.scope.host.log("mcp").error(`${method} failed:`, error);
    return failure(id, CODES.internal, "Internal error");
  }
}

async function run(call: Call, method: string, params: Arguments): Promise<object | undefined> {
  switch (method) {
    case "initialize":
      return initialize(call, params);
    case "ping":
      return {};
    case "tools/list":
      return { tools: [DESCRIBING, ...[...call.tools.values()].map(toWire)] };
    case "tools/call":
      return await callTool(call, params);
    default:
      return undefined;
  }
}

function initialize({ exchange: { scope } }: Call, { protocolVersion }: Arguments): object {
  const { definition } = scope;
  const own = definition["@mcp.instructions"];
  const generic =
    `Call ${DESCRIBE} to learn which entities and operations there are, then read, or call operations.`;
  return {
    protocolVersion: VERSIONS.includes(String(protocolVersion)) ? protocolVersion : VERSIONS[0],
    capabilities: { tools: { listChanged: false } },
    serverInfo: { name: definition.name, version: String(definition["@Core.SchemaVersion"] ?? "1.0.0") },
    instructions: typeof own === "string" ? `${generic}\n${own}` : generic,
  };
}

const DESCRIBING = {
  name: DESCRIBE,
  description: "Says which entities, elements, associations and operations there are",
  inputSchema: {
    type: "object",
    properties: { entity: { type: "string", description: "Name of an entity, to describe this one only" } },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
};

function toWire({ name, description, inputSchema, isReadOnly }: Tool): object {
  return { name, description, inputSchema, annotations: { readOnlyHint: isReadOnly } };
}

async function callTool(call: Call, { name, arguments: given = {} }: Arguments): Promise<object> {
  if (!isPlainObject(given)) throw new InvalidArguments("Arguments are expected as an object");
  const { exchange, tools } = call;
  if (name === DESCRIBE) {
    const pass = endpointPass(exchange.context, exchange.scope);
    const described = describeModel(
      exchange.scope.definition,
      given,
      (entity) => isPrivileged(exchange.context) || accessOf(pass, entity, "READ") !== "none",
    );
    return toolResult(JSON.stringify(described), false);
  }
  const tool = tools.get(String(name));
  if (!tool) throw new InvalidArguments(`There is no tool "${name}"`);
  const { status, body } = await send(exchange, tool.toRequest(given));
  return toolResult(typeof body === "string" ? body : "", status >= 400);
}

/** The result of a tool: as text, and as object for clients that understand these. */
function toolResult(text: string, isError: boolean): object {
  const content = [{ type: "text", text: text === "" ? "Done" : text }];
  if (isError) return { content, isError };
  const parsed: unknown = text === "" ? {} : JSON.parse(text);
  return { content, ...(isPlainObject(parsed) ? { structuredContent: parsed } : {}) };
}

/** Sends a request of OData, as if it were the part of a batch. */
async function send(outer: Exchange, { method, url, body }: ToolRequest): Promise<Answer> {
  const json = "application/json";
  const asked: HeaderEntry = ["accept", `${json};odata.metadata=none`];
  // callers of tools keep no versions of what they have read
  const sent: HeaderEntry[] = body === undefined ? [] : [["content-type", json], ["if-match", "*"]];
  const headers = new HeaderList([asked, ...sent]);
  const part = { id: "1", named: false, method, url, headers, body, dependsOn: [] };
  const exchange = new PartExchanges(outer, new Map()).create(part, outer.context);
  try {
    return await runWithContext(exchange.context, () => handleRequest(exchange));
  } catch (error) {
    return await runWithContext(exchange.context, () => errorAnswer(exchange, error));
  }
}
