/**
 * `res.sendFile(…)` in own routes of the classic form.
 *
 * @module
 */

import type { ClassicMiddleware } from "../context/http_context.ts";
import type { HttpRequest, HttpResponse } from "../context/event_context.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { ServiceError } from "../errors/service_error.ts";
import { isPlainObject } from "../util/is_plain_object.ts";

/**
 * Answers the bytes of a file, by its path; undefined where there is none. What the client has is told by the tag in
 * `If-None-Match`.
 */
export type AnswerFile = (path: string, known: string | undefined) => Promise<Response | undefined>;

/**
 * Gives the response of a handler `sendFile(path, options?, done?)`; `options.root` is the folder of the path.
 *
 * @param handler the handler
 * @param answerFile reads files, where there is a file system
 * @returns a handler that calls it
 */
export function withSendFile(
  handler: ClassicMiddleware,
  answerFile: AnswerFile | undefined,
): ClassicMiddleware {
  return (req, res, next) => {
    const sendFile = (path: string, ...more: readonly unknown[]) => {
      const done = more.find((one) => typeof one === "function") as ((error?: unknown) => void) | undefined;
      const { root } = (more.find(isPlainObject) ?? {}) as { readonly root?: string };
      send(path, root, { req, res, answerFile }).then(() => done?.(), done ?? next);
    };
    Object.defineProperty(res, "sendFile", { value: sendFile, configurable: true });
    return handler(req, res, next);
  };
}

interface Sending {
  readonly req: HttpRequest;
  readonly res: HttpResponse;
  readonly answerFile: AnswerFile | undefined;
}

async function send(
  path: string,
  root: string | undefined,
  { req, res, answerFile }: Sending,
): Promise<void> {
  if (!answerFile) throw new ConfigurationError("Files need a file system: load the project by ./deno");
  const answer = await answerFile(fileOf(path, root), req.headers["if-none-match"]?.toString());
  if (!answer) throw new ServiceError({ status: 404 });
  answer.headers.forEach((value, name) => {
    if (!res.hasHeader(name)) res.set(name, value);
  });
  if (answer.status !== 200) res.status(answer.status);
  res.end(answer.body);
}

/** Where a file is. The path may come from a client: it leads neither out of its folder nor to hidden files. */
function fileOf(path: string, root: string | undefined): string {
  const steps = path.split(/[\\/]/);
  if (steps.includes("..")) throw new ServiceError({ status: 403 });
  if (path.includes("\0")) throw new ServiceError({ status: 400 });
  if (root === undefined) {
    if (/^(?:[A-Za-z]:)?[\\/]/.test(path)) return path;
    throw new Error("res.sendFile() takes an absolute path, or the folder of the path as options.root");
  }
  if (steps.some((step) => step.startsWith("."))) throw new ServiceError({ status: 404 });
  return `${root.replace(/\/$/, "")}/${path.replace(/^\//, "")}`;
}
