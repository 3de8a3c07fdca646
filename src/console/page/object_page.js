/**
 * `<fw-object>`: one entity with its properties, media, parts, associations and operations.
 *
 * @module
 */

import { JSON_TYPE, send } from "./api.js";
import { draftAction, operationsOf, resolve } from "./csdl.js";
import { button, h, replace } from "./dom.js";
import { mayWrite, partsOf } from "./form.js";
import { titleOf } from "./grid.js";
import { mediaOf } from "./media.js";
import { errorNotice, say, sayMessages } from "./notice.js";
import { callOperation } from "./operations.js";
import { t } from "./texts.js";
import { confirmed } from "./value_help.js";
import { rowPath } from "./url.js";

const WRITING = { "content-type": JSON_TYPE, prefer: "return=representation" };

/** One entity. */
export class FwObject extends HTMLElement {
  #service;
  #path;
  #place;
  #row;
  #form;

  /** Reads the entity at a path and shows it. */
  async show({ service, path }) {
    this.#service = service;
    this.#path = path;
    this.#place = resolve(service, path);
    try {
      const { body, header } = await send("GET", `${service.root}/${path}`);
      this.#row = { ...body, "@odata.etag": body?.["@odata.etag"] ?? header("etag") ?? undefined };
      if (body === undefined) replace(this, h("p", {}, t("There is nothing at {0}", path)));
      else this.#render();
    } catch (error) {
      replace(this, errorNotice(error, { where: this.#where() }));
    }
    return this;
  }

  #where() {
    return { service: this.#service.name, member: this.#path.split(/[/(]/)[0] };
  }

  #render() {
    const { entity, set } = this.#place;
    const service = this.#service;
    const row = this.#row;
    const isDraft = row.IsActiveEntity === false;
    const edit = draftAction(service, set, "EditAction");
    const isWritable = mayWrite(service, set, "Updatable") && (edit === undefined || isDraft);
    this.#form = document.createElement("fw-form").show({
      service,
      properties: entity.properties.filter(({ name }) =>
        !/^(?:(?:Is|Has)(?:Active|Draft)Entity|DraftMessages)$/.test(name)
      ),
      row,
      isNew: false,
      isReadOnly: !isWritable,
      place: set,
      where: this.#where(),
      submit: { text: t("Save"), run: (values) => this.#save(values) },
      more: this.#buttons(edit, isDraft),
    });
    replace(
      this,
      h("h2", {}, titleOf(service, entity.name, row), isDraft && h("span", { class: "badge" }, t("Draft"))),
      this.#form,
      this.#operations(),
      entity.properties.filter(({ isMedia }) => isMedia).map((property) =>
        mediaOf({ service, property, path: this.#path, isWritable, etag: row["@odata.etag"] })
      ),
      this.#associations(),
    );
  }

  #buttons(edit, isDraft) {
    const { set } = this.#place;
    const service = this.#service;
    const act = (text, term, then) => button(text, () => this.#draft(draftAction(service, set, term), then));
    return [
      edit && !isDraft && mayWrite(service, set, "Updatable") && act(t("Edit"), "EditAction"),
      edit && isDraft && act(t("Activate"), "ActivationAction"),
      mayWrite(service, set, "Deletable") &&
      button(isDraft ? t("Discard draft") : t("Delete"), () => this.#delete()),
    ];
  }

  async #save(values, overwrite = false) {
    if (Object.keys(values).length === 0) return;
    const etag = this.#row["@odata.etag"];
    const condition = overwrite ? "*" : etag;
    const headers = { ...WRITING, ...(condition ? { "if-match": condition } : {}) };
    try {
      const answer = await send("PATCH", `${this.#service.root}/${this.#path}`, {
        headers,
        body: JSON.stringify(values),
      });
      this.#form.settle();
      sayMessages(answer, t("Saved"));
      await this.show({ service: this.#service, path: this.#path });
    } catch (error) {
      if (error.status !== 412) throw error;
      this.#form.fail(error, this.#conflict(values));
    }
  }

  /** Two ways on from a row that has changed meanwhile; what was typed stays until one is chosen. */
  #conflict(values) {
    const take = () => {
      this.#form.settle();
      this.show({ service: this.#service, path: this.#path });
    };
    const overwrite = () => this.#save(values, true).catch((error) => this.#form.fail(error));
    return [
      h("p", {}, h("strong", {}, t("Somebody else has changed this entry"))),
      h("p", {}, t("Your input is still here. Take the other version, or save yours over it.")),
      h(
        "p",
        { class: "buttons" },
        button(t("Take the other version"), take),
        button(t("Save mine"), overwrite),
      ),
    ];
  }

  async #draft(action) {
    try {
      const { body, header } = await send("POST", `${this.#service.root}/${this.#path}/${action}`, {
        headers: {
          ...WRITING,
          ...(this.#row["@odata.etag"] ? { "if-match": this.#row["@odata.etag"] } : {}),
        },
        body: "{}",
      });
      this.#form.settle();
      sayMessages({ header }, t("Saved"));
      const { entity, set } = this.#place;
      location.hash = `#/data/${this.#service.name}/${rowPath(set, entity, body)}`;
    } catch (error) {
      this.#form.fail(error);
    }
  }

  async #delete() {
    if (!await confirmed(t("Delete this entry for good?"), t("Delete"))) return;
    const etag = this.#row["@odata.etag"];
    try {
      await send("DELETE", `${this.#service.root}/${this.#path}`, {
        headers: etag ? { "if-match": etag } : {},
      });
      this.#form.settle();
      say(t("Deleted"));
      location.hash = `#/data/${this.#service.name}/${
        this.#path.replace(/(?:\((?:'(?:[^']|'')*'|[^')])*\)|\/[^/(]*)$/, "")
      }`;
    } catch (error) {
      this.#form.fail(error);
    }
  }

  #operations() {
    const found = operationsOf(this.#service, this.#place.type, false);
    if (found.length === 0) return undefined;
    return h(
      "section",
      {},
      h("h3", {}, t("Operations")),
      h(
        "div",
        { class: "buttons" },
        found.map((operation) =>
          button(
            operation.label ?? operation.local,
            () =>
              callOperation(this.#service, {
                operation,
                path: this.#path,
                etag: this.#row["@odata.etag"],
                done: () => this.show({ service: this.#service, path: this.#path }),
              }),
          )
        ),
      ),
    );
  }

  /** Parts as grids, other associations as links. */
  #associations() {
    const { entity } = this.#place;
    const isHidden = ({ name }) => /^(?:SiblingEntity|DraftAdministrativeData|localized)$/.test(name);
    const shown = entity.navigations.filter((one) => !isHidden(one));
    const parts = shown.filter(({ isPart, isCollection }) => isPart && isCollection);
    const links = shown.filter((one) => !parts.includes(one));
    return [
      links.length > 0 && h(
        "section",
        {},
        h("h3", {}, t("Associations")),
        h(
          "ul",
          { class: "links" },
          links.map(({ name, label }) =>
            h("li", {}, h("a", { href: `#/data/${this.#service.name}/${this.#path}/${name}` }, label))
          ),
        ),
      ),
      parts.map(({ name, label }) => {
        const path = `${this.#path}/${name}`;
        return h("section", {}, h("h3", {}, label), gridFor(this.#service, path));
      }),
    ];
  }
}

customElements.define("fw-object", FwObject);

/** A grid with what may be done with its rows. */
export function gridFor(service, path) {
  const place = resolve(service, path);
  const mayCreate = place.set === undefined || mayWrite(service, place.set, "Insertable");
  const grid = document.createElement("fw-grid");
  return grid.show({
    service,
    path,
    create: mayCreate ? () => location.hash = `#/new/${service.name}/${path}` : undefined,
    call: (operation, row) => callOperation(service, { operation, ...row, done: () => grid.refresh() }),
  });
}

/** The form for a new row of a collection. */
export function newObject(service, path) {
  const { entity, set, navigation } = resolve(service, path);
  const constraint = new Set(backReference(service, { entity, navigation, path }));
  const submit = async (values, form) => {
    const answer = await send("POST", `${service.root}/${path}`, {
      headers: WRITING,
      body: JSON.stringify(values),
    });
    form.settle();
    sayMessages(answer, t("Created"));
    const row = answer.body;
    location.hash = row && entity.keys.every((key) => row[key] !== undefined)
      ? `#/data/${service.name}/${rowPath(path, entity, row)}`
      : `#/data/${service.name}/${path}`;
  };
  return h(
    "div",
    {},
    h("h2", {}, t("New entry in {0}", path)),
    document.createElement("fw-form").show({
      service,
      properties: entity.properties.filter(({ name }) =>
        !constraint.has(name) && !/^(?:(?:Is|Has)(?:Active|Draft)Entity|DraftMessages)$/.test(name)
      ),
      isNew: true,
      place: set,
      where: { service: service.name, member: path.split(/[/(]/)[0] },
      parts: partsOf(service, entity),
      submit: { text: t("Create"), run: submit },
      more: [h("a", { class: "button", href: `#/data/${service.name}/${path}` }, t("Cancel"))],
    }),
  );
}

/** Properties that the path gives: those that lead back to what the rows are parts of. */
function backReference(service, { entity, navigation, path }) {
  if (!navigation) return [];
  const parent = resolve(service, path)?.parent;
  const back = entity.navigations.find(({ type, isCollection }) => type === parent?.type && !isCollection);
  return Object.keys(back?.constraint ?? {});
}
