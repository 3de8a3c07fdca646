/**
 * In-process tests of services: many applications per file, no port (api 10).
 *
 * @example A project folder
 * ```ts
 * import { test } from "@fw/runtime/test";
 *
 * const { GET, close } = test("examples/bookshop", { requires: { messaging: false } });
 * const { status, data } = await GET("/odata/v4/catalog/Books(201)?$select=title");
 * if (status !== 200 || (data as { title: string }).title !== "Wuthering Heights") throw new Error(String(status));
 * await close();
 * ```
 *
 * @module
 */

export { test, TestClient } from "./test_client.ts";
export type { Answer, RequestSettings } from "./request_settings.ts";
export type { AxiosAnswer, AxiosFailure, AxiosLike } from "./axios_like.ts";
export type { CapturedLog } from "./capture_log.ts";
export { type Assertion, expect } from "./expect.ts";
