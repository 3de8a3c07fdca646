import assert from "node:assert/strict";
import { frameworkLabel } from "../../src/i18n/framework_labels.ts";

Deno.test("labels of the common module follow the language, and are English for languages we do not speak", () => {
  const label = (locale?: string) => frameworkLabel("TimeZoneCode", locale);
  assert.equal(label("es"), "Zona horaria");
  assert.equal(label("es_MX"), "Zona horaria");
  assert.equal(label(), label("en"));
  assert.equal(label("fi"), label("en"));
  assert.notEqual(label("de"), label("en"));
  assert.equal(frameworkLabel("Nothing", "en"), undefined);
});
