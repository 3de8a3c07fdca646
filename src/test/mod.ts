/**
 * In-process tests of services: many applications per file, no port (api 10).
 *
 * @example A project folder
 * ```ts
 * import { test } from "@fw/runtime/test";
 *
 * const { GET, close } = test("examples/bookshop", { requires: { messaging: false } });
 * const { status, data } = await GET<{ title: string }>("/odata/v4/catalog/Books(201)?$select=title");
 * if (status !== 200 || data.title !== "Wuthering Heights") throw new Error(String(status));
 * await close();
 * ```
 *
 * @example Users with tokens
 * ```ts
 * import { createIdentity, test } from "@fw/runtime/test";
 *
 * const identity = createIdentity({ kind: "oauth2" });
 * const { GET, close } = test("examples/bookshop", { requires: { messaging: false } }, { identity });
 * const { status } = await GET("/odata/v4/admin/Books", { token: { user: "alice", roles: ["admin"] } });
 * if (status !== 200) throw new Error(String(status));
 * await close();
 * ```
 *
 * @module
 */

export { test, TestClient, type TestOptions } from "./test_client.ts";
export { createIdentity, Identity, type IdentityOptions } from "./identity/identity.ts";
export type { AssertWord, ChaiAssert, Should } from "./expect/chai_assert.ts";
export type { IdentityBehaviour } from "./identity/identity_answers.ts";
export type { TokenOptions } from "./identity/token_claims.ts";
export type { ClaimSettings } from "../auth/tokens/openid/openid_settings.ts";
export type { IdentityKind } from "../auth/strategy.ts";
export { createSigningKeys, type TokenAlgorithm } from "./identity/signing_keys.ts";
export { type Certificate, type CertificateOptions, createCertificate } from "./identity/certificate.ts";
export type { TestKit } from "../fw/test_kit.ts";
export type { Answer, RequestSettings } from "./request_arguments.ts";
export type { ReadRequest, WriteRequest } from "./request_arguments.ts";
export type { AxiosAnswer, AxiosFailure, AxiosLike, AxiosRequest, AxiosSettings } from "./axios_like.ts";
export type { CapturedLog } from "./capture_log.ts";
export { Assertion, type Expect, expect } from "./expect/expect.ts";
export type { AnyClass, ChaiAssertion, Ordered, Word } from "./expect/chai_assertion.ts";
export type { ChaiWords } from "./expect/chai_words.ts";
export type { Checks, ErrorExpectation, Flags } from "./expect/checks.ts";
export type { Matcher } from "./expect/compare.ts";
export { type FwTest, fwTest, type KitData, type KitRequest, ProjectTest } from "./project_suite.ts";
export { fwTest as default } from "./project_suite.ts";
