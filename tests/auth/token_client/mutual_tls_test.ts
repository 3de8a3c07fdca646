import assert from "node:assert/strict";
import { TokenClient } from "../../../src/auth/token_client/token_client.ts";
import { readTokenCredentials } from "../../../src/auth/token_client/token_credentials.ts";
import type { TokenRequestError } from "../../../src/auth/token_client/token_response.ts";
import { createDenoSender } from "../../../src/deno/send_request.ts";
import type { Certificate } from "../../../src/test/identity/certificate.ts";
import { ANSWER, OIDC } from "./service_keys.ts";
import { withMutualTlsServer, withPlainServer } from "./token_server.ts";

/** A service key as the platform gives it: certificate and key on one line each. */
function keyOf(url: string, { pem, key }: Certificate): Record<string, string> {
  const oneLine = (text: string) => text.replaceAll("\n", "\\n");
  return { ...OIDC, url, certificate: oneLine(pem), key: oneLine(key) };
}

Deno.test("a token of the OIDC service is fetched over mutual TLS with the certificate of the key [5.3.3] [5.2.12]", () =>
  withMutualTlsServer(async (server, { authority, client, stranger }) => {
    const sender = createDenoSender({ caCerts: [authority.pem] });
    try {
      const clientOf = (key: unknown) =>
        new TokenClient({ credentials: readTokenCredentials(key), fetch: sender.send });
      const grant = { type: "client_credentials" } as const;
      assert.deepEqual(await clientOf(keyOf(server.url, client)).fetch(grant), ANSWER);
      assert.deepEqual(server.calls, [{
        path: "/oauth2/token",
        form: { grant_type: "client_credentials", client_id: "oidc-client" },
        subject: "bookshop",
      }]);
      await assert.rejects(clientOf(keyOf(server.url, stranger)).fetch(grant), (error: TokenRequestError) => {
        assert.equal(error.message, `The token endpoint ${server.url}/oauth2/token could not be reached`);
        assert.equal(error.isOutage, true);
        return true;
      });
      const secret = { clientid: "c", clientsecret: "s", url: server.url };
      await assert.rejects(clientOf(secret).fetch(grant), { name: "TokenRequestError" });
      assert.equal(server.calls.length, 1);
    } finally {
      sender.close();
    }
  }));

Deno.test("without key pair the platform's fetch sends, and redirects are not followed", () =>
  withPlainServer(async (server) => {
    const credentials = readTokenCredentials({ clientid: "c", clientsecret: "s", url: server.url });
    const client = new TokenClient({ credentials, fetch: createDenoSender().send });
    assert.deepEqual(await client.fetch({ type: "client_credentials" }), ANSWER);
    server.answer = { status: 307, body: {} };
    await assert.rejects(client.fetch({ type: "client_credentials" }), /answered 307$/);
    assert.equal(server.calls.length, 2);
  }));
