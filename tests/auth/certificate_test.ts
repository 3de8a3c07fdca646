import assert from "node:assert/strict";
import fc from "fast-check";
import { boundCertificate } from "../../src/auth/certificate/certificate_binding.ts";
import {
  CertificateReader,
  readForwardedCertificate,
} from "../../src/auth/certificate/certificate_reader.ts";
import { assertValidNow, readCertificate } from "../../src/auth/certificate/client_certificate.ts";
import { TokenRefused } from "../../src/auth/tokens/token.ts";
import { createCertificate } from "../../src/test/identity/certificate.ts";
import { propertyRuns } from "../property_runs.ts";

/** Made by OpenSSL, valid until 2126; thumbprint and subject as OpenSSL writes them. */
const FROM_OPENSSL =
  "MIICZzCCAg2gAwIBAgIUQfpYJpUMlfKN7F5F07CqdE50HY8wCgYIKoZIzj0EAwIwgYcxFDASBgoJkiaJk/IsZAEZFgR0ZXN0MRwwGgYDVQQKDBNF" +
  "eCwgIsOEbXBsZSIgPHg+Oz1cMR8wDQYDVQQLDAYjZmlyc3QwDgYDVQQDDAcgYmxhbmsgMRcwCAYDVQQDDAFhMAsGA1UEDAwEQm9zczEXMBUGCSqG" +
  "SIb3DQEJARYIYUBiLnRlc3QwIBcNMjYxMTIxMTYyMjAyWhgPMjEyNjEwMjgxNjIyMDJaMIGHMRQwEgYKCZImiZPyLGQBGRYEdGVzdDEcMBoGA1UE" +
  "CgwTRXgsICLDhG1wbGUiIDx4Pjs9XDEfMA0GA1UECwwGI2ZpcnN0MA4GA1UEAwwHIGJsYW5rIDEXMAgGA1UEAwwBYTALBgNVBAwMBEJvc3MxFzAV" +
  "BgkqhkiG9w0BCQEWCGFAYi50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDxo9qIcfrr/Qcl4Gb+MGfYNWy5x67/seTm27LemHJaiy7PLn" +
  "6mAN++0w9tCyiEe2X1/Nup21pDZpEJ0jlmkDeKNTMFEwHQYDVR0OBBYEFMl5xYv12Ap/3/MrodC2ltYtN8DFMB8GA1UdIwQYMBaAFMl5xYv12Ap/" +
  "3/MrodC2ltYtN8DFMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAMx5chqKBBotrxaGZfazCnQN/ePX5HW+VrxoCqdecs9fAiAO" +
  "Y05DwRKY0EgEvqCbaE/LZ9a9xM7sl9PcrMsjTy86tg==";
const LIMIT = 16_384;

const { header: a, pem, der, thumbprint } = await createCertificate({ subject: "CN=a" });
const { header: b, pem: pemB } = await createCertificate({ subject: "CN=b" });
const inList = (text: string) => `Cert="${encodeURIComponent(text)}"`;

/** The subject of the certificate in a header, or the reason why there is none. */
function read(text: string): string {
  try {
    return readForwardedCertificate(text, LIMIT).subject;
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    return error.message;
  }
}

Deno.test("thumbprint, subject and validity are those that OpenSSL finds, but for attribute types without a short name", () => {
  const certificate = readForwardedCertificate(FROM_OPENSSL, LIMIT);
  assert.equal(certificate.thumbprint, "ICzGAxEDSsgfR6TtogtufKcD0-aS2ZzTqHl_c3bspPs");
  assert.equal(
    certificate.subject,
    "#2a864886f70d010901=#16086140622e74657374,CN=a+#55040c=#0c04426f7373,OU=\\#first+CN=\\ blank\\ ," +
      'O=Ex\\, \\"Ämple\\" \\<x\\>\\;\\=\\\\,DC=test',
  );
  assert.equal(certificate.notBefore.toISOString(), "2026-11-21T16:22:02.000Z");
  assert.equal(certificate.notAfter.toISOString(), "2126-10-28T16:22:02.000Z");
});

Deno.test("the certificate is read from all three forms of the header", () => {
  const forms = [
    a,
    pem,
    pem.replaceAll("\n", "\\n"),
    pem.replaceAll("\n", "\\r\\n"),
    inList(pem),
    `By=spiffe://x/y;Hash=${"0".repeat(64)};${inList(pem)};Subject="CN=\\"x\\", O=y";URI=`,
    `${inList(pemB)};By=x, Hash=1;${inList(pem)}`,
    `${inList(pemB)};${inList(pem)}`,
    `Cert=${encodeURIComponent(pem)};By=x`,
    `Cert="${encodeURIComponent(a)}"`,
  ];
  for (const form of forms) {
    const certificate = readForwardedCertificate(form, LIMIT);
    assert.equal(certificate.thumbprint, thumbprint, form);
    assert.deepEqual(certificate.der, der);
    assert.equal(certificate.pem, pem);
  }
});

Deno.test("anything but one certificate is refused, and the reason does not repeat it", () => {
  const privateKey = pem.replaceAll("CERTIFICATE", "PRIVATE KEY");
  const forms = [
    "",
    "garbage",
    "====",
    `${a}, ${b}`,
    `${a},${a}`,
    a.slice(0, -8),
    `${a}AAAA`,
    a.includes("=") ? a.replaceAll("=", "") : `${a}=`,
    ` ${a.slice(0, 40)} ${a.slice(40)}`,
    pem.slice(0, -30),
    pem + pemB,
    `${pem}x`,
    privateKey,
    inList(privateKey),
    inList(pem + pemB),
    `${inList(pem)}, ${b}`,
    `${inList(pem)}, By=x`,
    `${inList(pem)}, `,
    `${inList(pem)};`,
    `Cert="${encodeURIComponent(pemB)}, By=x;${inList(pem)}`,
    `Cert="%zz"`,
    `Cert=`,
    `By=x;Cert="${"x".repeat(20)}`,
    btoa("\x30\x00"),
    btoa("\x30\x80\x00\x00"),
    "x".repeat(LIMIT + 1),
  ];
  for (const form of forms) {
    const reason = read(form);
    assert.match(reason, /^the (header of the )?client certificate (is|cannot|has) /, form.slice(0, 60));
    assert.ok(!reason.includes("BEGIN") && reason.length < 80);
  }
});

Deno.test("every cut and every changed byte gives another certificate or none, never another error", () => {
  for (let at = 0; at < der.length; at++) {
    for (const bytes of [der.slice(0, at), der.with(at, der[at]! ^ 0x21)]) {
      try {
        assert.notEqual(readCertificate(bytes).thumbprint, thumbprint);
      } catch (error) {
        assert.ok(error instanceof TokenRefused);
      }
    }
  }
});

Deno.test("a header is read up to its limit", () => {
  assert.equal(readForwardedCertificate(a, a.length).thumbprint, thumbprint);
  assert.throws(() => readForwardedCertificate(a, a.length - 1), /is too long/);
});

Deno.test("what a client writes before the value of the proxy never takes its place", () => {
  const fragment = fc.constantFrom(
    "Cert=",
    inList(pemB),
    b,
    pemB,
    '"',
    "\\",
    ";",
    ",",
    "=",
    "By=x",
    " ",
    "%22",
    "x",
  );
  const proxies = fc.constantFrom(inList(pem), `By=x;Hash=1;${inList(pem)};URI=`, a);
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 8 }), proxies, (written, value) => {
      // a client's header and that of a proxy arrive as one
      assert.notEqual(read(`${written.join("")}, ${value}`), "CN=b");
    }),
    propertyRuns(2000, 4106),
  );
});

Deno.test("certificates used last are kept as they were read, in bounded number", () => {
  const reader = new CertificateReader({ certificateLength: LIMIT, certificates: 2 });
  const first = reader.read(a);
  reader.read(b);
  assert.equal(reader.read(a), first);
  reader.read(pem);
  assert.equal(reader.read(a), first);
  reader.read(b);
  reader.read(pem);
  assert.notEqual(reader.read(a), first);
  assert.throws(() => reader.read("garbage"), TokenRefused);
});

Deno.test("an attribute of a name that has more than type and value is refused", async () => {
  const { der } = await createCertificate({ subject: "CN=abcd" });
  const text = String.fromCharCode(...der).replaceAll("\x13\x04abcd", "\x13\x02ab\x05\x00");
  const changed = Uint8Array.from(text, (char) => char.charCodeAt(0));
  assert.notDeepEqual(changed, der);
  assert.throws(() => readCertificate(changed), /cannot be read/);
});

Deno.test("two digits of a year mean 1950 to 2049 (RFC 5280, 4.1.2.5.1)", () => {
  const at = der.findIndex((byte, index) => byte === 0x17 && der[index + 1] === 0x0d) + 2;
  for (const [digits, year] of [["49", 2049], ["50", 1950], ["00", 2000], ["99", 1999]] as const) {
    const bytes = der.slice();
    bytes.set(new TextEncoder().encode(digits), at);
    assert.equal(readCertificate(bytes).notBefore.getUTCFullYear(), year);
  }
});

Deno.test("a certificate is valid from its first to its last moment", () => {
  const certificate = readForwardedCertificate(FROM_OPENSSL, LIMIT);
  const [begin, end] = [certificate.notBefore.getTime(), certificate.notAfter.getTime()];
  assertValidNow(certificate, begin);
  assertValidNow(certificate, end);
  assert.throws(() => assertValidNow(certificate, begin - 1), /is not valid yet/);
  assert.throws(() => assertValidNow(certificate, end + 1), /has expired/);
});

Deno.test("a token whose thumbprint is none is not bound, whether or not the client has shown a certificate", () => {
  const options = { mode: "always", checkValidity: false, clock: Date.now } as const;
  for (
    const cnf of [undefined, "x", {}, { "x5t#S256": 1 }, { "x5t#S256": "abc" }, {
      "x5t#S256": `${thumbprint}=`,
    }]
  ) {
    for (const certificate of [undefined, readForwardedCertificate(a, LIMIT)]) {
      assert.throws(
        () => boundCertificate({ cnf }, { certificate }, options),
        new TokenRefused("the token is not bound to a certificate"),
        JSON.stringify(cnf),
      );
    }
  }
});
