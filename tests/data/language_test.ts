import assert from "node:assert/strict";
import { type App, errorOf, withApp } from "./app.ts";

const MODEL = `
entity db_Things { key ID : Integer; name : String(20) @mandatory; size : Integer @assert.range: [0, 9]; }
@protocol: ['odata', 'rest']
service Test {
  entity Things as projection on db_Things;
  action warn();
  action refuse(how : String);
}
`;

const TEXTS = {
  "": { SOLD: "{0} is sold, {1} left", LOW: "Stock is low", "404": "Nothing here" },
  en: { SOLD: "{0} is sold out, {1} left" },
  de: {
    SOLD: "{0} ist ausverkauft, noch {1}",
    LOW: "Bestand niedrig",
    ASSERT_RANGE: "Von {1} bis {2}, nicht {0}",
  },
  de_AT: { LOW: "Wenig da" },
  pt: { SOLD: "{0} esgotado" },
};

const withTexts = (test: (app: App) => Promise<unknown>, env: Readonly<Record<string, unknown>> = {}) =>
  withApp({
    model: MODEL,
    texts: TEXTS,
    env,
    handlers: (srv) => {
      srv.on("warn", (req) => {
        req.warn({ code: "LOW" });
        req.info("LOW");
        req.notify({ message: "SOLD", args: ["Book", 3] });
      });
      srv.on("refuse", (req) => {
        const { how } = req.data as { how?: string };
        if (how === "error") req.error({ status: 400, code: "SOLD", args: ["Pen", 0], target: "p" });
        else if (how === "unknown") req.reject({ code: "NO_TEXT", message: "Said {0}", args: ["so"] });
        else req.reject(409, "SOLD", "book", ["Book", 3]);
      });
    },
  }, test);

const refused = async (app: App, language?: string, path = "refuse") =>
  errorOf(await app.post(path, {}, language === undefined ? {} : { "accept-language": language }), 409)
    .message;

Deno.test("texts follow Accept-Language with all its weights [7.2.3] [2.1.locale]", () =>
  withTexts(async (app) => {
    const german = "Book ist ausverkauft, noch 3";
    const english = "Book is sold out, 3 left";
    for (
      const [language, expected] of [
        [undefined, english],
        ["de", german],
        ["DE-at", german],
        ["de-CH;q=0.8, en;q=0.9", english],
        ["en;q=0.5, de", german],
        ["fr, de;q=0.9", english],
        ["de;q=0, en;q=0.1", english],
        ["*", english],
        ["", english],
        ["xx-invalid-thing!, de;q=0.2", german],
        ["pt-BR", "Book esgotado"],
        ["pt-PT", "Book esgotado"],
        ["zh-Hant-TW, de;q=0.1", english],
      ] as const
    ) {
      assert.equal(await refused(app, language), expected, language);
      assert.equal(await refused(app, language, "/rest/test/refuse"), expected, language);
    }
    assert.equal(await refused(app, "en", "refuse?sap-locale=de"), german);
    assert.equal(await refused(app, "en", "/rest/test/refuse?sap-locale=de"), german);
  }));

Deno.test("a preserved locale falls back to its language, key by key", () =>
  withTexts(async (app) => {
    const answer = await app.post("warn", {}, { "accept-language": "de-AT" });
    const messages = JSON.parse(answer.headers.get("fw-messages")!) as { message: string }[];
    assert.deepEqual(messages.map(({ message }) => message), [
      "Wenig da",
      "Wenig da",
      "Book ist ausverkauft, noch 3",
    ]);
  }, { i18n: { preserved_locales: ["de_AT"] } }));

Deno.test("another default language stands in for what has no text", () =>
  withTexts(async (app) => {
    assert.equal(await refused(app, "fr"), "Book ist ausverkauft, noch 3");
    assert.equal(await refused(app), "Book ist ausverkauft, noch 3");
    assert.equal(await refused(app, "en"), "Book is sold out, 3 left");
  }, { i18n: { default_language: "de" } }));

Deno.test("texts of the project win over ours in their language, ours stay in the others", () =>
  withTexts(async (app) => {
    const message = async (language: string) =>
      errorOf(
        await app.post("Things", { ID: 1, name: "x", size: 10 }, { "accept-language": language }),
        400,
      ).message;
    assert.equal(await message("de"), "Von 0 bis 9, nicht 10");
    assert.equal(await message("en"), "The value must lie between 0 and 9");
    assert.equal(await message("fr"), "La valeur doit être comprise entre 0 et 9");
    assert.equal(await message("es"), "El valor debe estar entre 0 y 9");
    assert.equal(await message("it"), "The value must lie between 0 and 9");
  }));

Deno.test("each detail has its own text; statuses have texts where the project says so", () =>
  withTexts(async (app) => {
    const many = errorOf(
      await app.post("Things", { ID: 1, size: 10 }, { "accept-language": "de" }),
      400,
    ) as { message: string; details: { message: string }[] };
    assert.equal(many.message, "Mehrere Fehler sind aufgetreten, siehe Details");
    assert.deepEqual(many.details.map(({ message }) => message), [
      "Ein Wert ist erforderlich",
      "Von 0 bis 9, nicht 10",
    ]);
    assert.equal(errorOf(await app.get("Things(99)"), 404).message, "Nothing here");
    const recorded = await app.post("refuse", { how: "error" }, { "accept-language": "de" });
    const [detail] = (recorded.body.error!.details as unknown) as { message: string; code: string }[];
    assert.deepEqual([detail!.code, detail!.message], ["SOLD", "Pen ist ausverkauft, noch 0"]);
    const unknown = await app.post("refuse", { how: "unknown" });
    assert.equal(unknown.body.error!.message, "Internal Server Error" as unknown);
  }));

Deno.test("parts of a batch are answered in their own language", () =>
  withTexts(async (app) => {
    const part = (language?: string) => ({
      method: "POST",
      url: "refuse",
      body: {},
      headers: language ? { "accept-language": language } : {},
    });
    const answers = await app.batch([part("en"), part("pt"), part()], {
      headers: { "accept-language": "de" },
    });
    assert.deepEqual(answers.map((one) => one.body!.error!.message as unknown), [
      "Book is sold out, 3 left",
      "Book esgotado",
      "Book ist ausverkauft, noch 3",
    ]);
  }));
