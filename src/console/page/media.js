/**
 * Streams of an entity: shown, downloaded, uploaded.
 *
 * @module
 */

import { exchange, send } from "./api.js";
import { h, newId, replace } from "./dom.js";
import { errorNotice, say } from "./notice.js";
import { t } from "./texts.js";

/** The section for a property that is a stream. */
export function mediaOf({ service, property, path, isWritable, etag }) {
  const shown = h("div", { class: "media" });
  const url = `${service.root}/${path}/${property.name}`;
  const id = newId("media");
  const read = async () => {
    try {
      const answer = await exchange("GET", url, { headers: { accept: "*/*" } });
      replace(
        shown,
        answer.status === 200
          ? picture(answer, property)
          : h("p", { class: "soft" }, t("Nothing stored yet")),
      );
    } catch (error) {
      replace(shown, errorNotice(error));
    }
  };
  const upload = async ({ target }) => {
    const [file] = target.files;
    if (!file) return;
    const headers = { "content-type": file.type || "application/octet-stream", "if-match": etag ?? "*" };
    try {
      await send("PUT", url, { headers, body: file });
      say(t("Saved"));
      await read();
    } catch (error) {
      replace(shown, errorNotice(error));
    }
  };
  read();
  return h(
    "section",
    {},
    h("h3", {}, property.label),
    shown,
    isWritable &&
      h(
        "p",
        {},
        h("label", { for: id }, t("Upload a file"), " "),
        h("input", { id, type: "file", onchange: upload }),
      ),
  );
}

/** Pictures are shown as such, all else as a file to keep: nothing of it runs here. */
function picture({ body, header }, { label, name }) {
  const blob = body instanceof Blob
    ? body
    : new Blob([typeof body === "string" ? body : JSON.stringify(body)]);
  const type = header("content-type") ?? "";
  const url = URL.createObjectURL(blob);
  if (/^image\/(?:png|jpeg|gif|webp|avif|bmp)/.test(type)) return h("img", { src: url, alt: label });
  return h("a", { href: url, download: name }, `${t("Download")} (${type}, ${blob.size} B)`);
}
