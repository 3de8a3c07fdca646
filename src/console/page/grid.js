/**
 * `<fw-grid>`: the rows of a collection with paging, sort, filter, search, columns and expanded associations.
 *
 * @module
 */

import { send } from "./api.js";
import { allows, draftAction, operationsOf, resolve } from "./csdl.js";
import { button, h, newId, replace } from "./dom.js";
import { errorNotice } from "./notice.js";
import { t } from "./texts.js";
import { condition, operatorsFor, query, rowPath } from "./url.js";

const PAGE = 20;
const SHOWN = 8;
const NUMBER = /^Edm\.(?:S?Byte|Int\d+|Decimal|Double|Single)$/;
const MANAGED = /^(?:created|modified)(?:At|By)$|^(?:IsActiveEntity|HasActiveEntity|HasDraftEntity)$/;

/** A table of rows. */
export class FwGrid extends HTMLElement {
  #options;
  #place;
  #skip = 0;
  #sort = "";
  #search = "";
  #filters = [];
  #columns = new Set();
  #expanded = new Set();
  #body = h("div", { class: "rows" });
  #turn = 0;

  /** Shows a collection: `service`, `path`, and `pick` where a row is to be chosen, `call` for bound operations. */
  show(options) {
    this.#options = options;
    this.#place = resolve(options.service, options.path);
    const { entity } = this.#place;
    const properties = entity.properties.filter(({ isMedia }) => !isMedia);
    const others = properties.filter(({ name, isKey }) => !MANAGED.test(name) && !isKey);
    const keys = properties.filter(({ isKey, name }) => isKey && !MANAGED.test(name));
    for (const { name } of [...keys, ...others].slice(0, SHOWN)) this.#columns.add(name);
    replace(this, this.#toolbar(), this.#body);
    this.refresh();
    return this;
  }

  #toolbar() {
    const { service, path, create } = this.#options;
    const { set } = this.#place;
    const search = h("input", { type: "search", "aria-label": t("Search"), placeholder: t("Search") });
    return h(
      "div",
      { class: "toolbar" },
      allows(service, set, "Searchable") && h(
        "form",
        {
          role: "search",
          onsubmit: (event) => {
            event.preventDefault();
            this.#search = search.value.trim();
            this.#begin();
          },
        },
        search,
        h("button", { class: "small" }, t("Search")),
      ),
      this.#filterMenu(),
      this.#columnMenu(),
      button(t("Refresh"), () => this.refresh(), { class: "small" }),
      create && button(t("New"), create, { class: "small main", "aria-label": t("New entry in {0}", path) }),
    );
  }

  #columnMenu() {
    const { entity } = this.#place;
    const box = (set, { name, label }) =>
      h(
        "label",
        {},
        h("input", {
          type: "checkbox",
          checked: set.has(name),
          onchange: ({ target }) => {
            if (target.checked) set.add(name);
            else set.delete(name);
            this.refresh();
          },
        }),
        ` ${label}`,
      );
    return h(
      "details",
      { class: "menu", name: "menu" },
      h("summary", {}, t("Columns")),
      h(
        "div",
        { class: "panel" },
        h(
          "fieldset",
          {},
          h("legend", {}, t("Columns")),
          entity.properties.filter(({ isMedia }) => !isMedia).map((one) => box(this.#columns, one)),
        ),
        entity.navigations.length > 0 &&
          h(
            "fieldset",
            {},
            h("legend", {}, t("Associations")),
            entity.navigations.map((one) => box(this.#expanded, one)),
          ),
      ),
    );
  }

  #filterMenu() {
    const properties = this.#place.entity.properties.filter(({ isMedia, isCollection, type }) =>
      !isMedia && !isCollection && type.startsWith("Edm.")
    );
    const chosen = () => properties.find(({ name }) => name === property.value);
    const property = h("select", { "aria-label": t("Property"), onchange: () => fillOperators() });
    property.append(...properties.map(({ name, label }) => h("option", { value: name }, label)));
    const operator = h("select", { "aria-label": t("Operator") });
    const fillOperators = () =>
      replace(operator, operatorsFor(chosen().type).map((one) => h("option", { value: one }, one)));
    const value = h("input", { "aria-label": t("Value") });
    const list = h("ul", { class: "chips" });
    const showList = () =>
      replace(
        list,
        this.#filters.map((filter) => {
          const text = `${filter.property.label} ${filter.operator} ${filter.value}`;
          const remove = button("×", () => {
            this.#filters = this.#filters.filter((one) => one !== filter);
            showList();
            this.#begin();
          }, { "aria-label": t("Remove filter {0}", text) });
          return h("li", {}, text, remove);
        }),
      );
    fillOperators();
    const add = (event) => {
      event.preventDefault();
      this.#filters.push({ property: chosen(), operator: operator.value, value: value.value });
      showList();
      this.#begin();
    };
    return h(
      "details",
      { class: "menu", name: "menu" },
      h("summary", {}, t("Filter")),
      h(
        "div",
        { class: "panel" },
        h(
          "form",
          { class: "filter", onsubmit: add },
          property,
          operator,
          value,
          h("button", { class: "small" }, t("Add filter")),
        ),
        list,
      ),
    );
  }

  #begin() {
    this.#skip = 0;
    this.refresh();
  }

  /** The query options of what is shown. */
  #query() {
    const { entity, set } = this.#place;
    const { service, path } = this.#options;
    const isDrafts = draftAction(service, set, "EditAction") !== undefined && path === set;
    const drafts = isDrafts
      ? ["(IsActiveEntity%20eq%20false%20or%20SiblingEntity/IsActiveEntity%20eq%20null)"]
      : [];
    const expand = [...this.#expanded].map((name) => {
      const navigation = entity.navigations.find((one) => one.name === name);
      return navigation.isCollection ? `${name}($top=5;$count=true)` : name;
    });
    return query({
      $count: "true",
      $top: PAGE,
      $skip: this.#skip || undefined,
      $select: [...new Set([...entity.keys, ...this.#columns])].join(","),
      $expand: expand.join(","),
      $orderby: this.#sort.replace(" ", "%20"),
      $filter: [...drafts, ...this.#filters.map(condition)].join("%20and%20"),
      $search: this.#search && encodeURIComponent(`"${this.#search.replaceAll('"', " ")}"`),
    });
  }

  /** Reads the rows again. */
  async refresh() {
    const { service, path } = this.#options;
    const turn = ++this.#turn;
    this.setAttribute("aria-busy", "true");
    try {
      const { body } = await send("GET", `${service.root}/${path}${this.#query()}`);
      if (turn === this.#turn) this.#render(body);
    } catch (error) {
      const [root] = path.split(/[/(]/);
      if (turn === this.#turn) {
        replace(this.#body, errorNotice(error, { where: { service: service.name, member: root } }));
      }
    } finally {
      if (turn === this.#turn) this.removeAttribute("aria-busy");
    }
  }

  #render(body) {
    const { entity } = this.#place;
    const rows = body.value ?? [];
    const columns = [
      ...entity.properties.filter(({ name }) => this.#columns.has(name)),
      ...entity.navigations.filter(({ name }) => this.#expanded.has(name)),
    ];
    const { service } = this.#options;
    const actions = this.#options.call ? operationsOf(service, entity.name, false) : [];
    const captionId = newId("caption");
    const table = h(
      "table",
      { "aria-labelledby": captionId },
      h("caption", { id: captionId, class: "hidden" }, t("Rows of {0}", this.#options.path)),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, h("span", { class: "hidden" }, t("Details"))),
          columns.map((one) => this.#header(one)),
          actions.length > 0 && h("th", { scope: "col" }, t("Actions")),
        ),
      ),
      h("tbody", {}, rows.map((row) => this.#row(row, { columns, actions }))),
    );
    const total = Number(body["@odata.count"] ?? body["@count"] ?? rows.length);
    replace(
      this.#body,
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": captionId }, table),
      rows.length === 0 && h("p", { class: "soft" }, t("No rows")),
      this.#pager(rows.length, total),
    );
  }

  #header(column) {
    const isSortable = "isKey" in column && !column.isCollection;
    if (!isSortable) return h("th", { scope: "col" }, column.label);
    const [name, direction] = this.#sort.split(" ");
    const sorted = name !== column.name ? undefined : direction ? "descending" : "ascending";
    const sort = () => {
      this.#sort = sorted === "ascending" ? `${column.name} desc` : sorted ? "" : column.name;
      this.#begin();
    };
    const arrow = sorted && h("span", { "aria-hidden": "true" }, sorted === "ascending" ? " ▲" : " ▼");
    return h(
      "th",
      { scope: "col", class: alignment(column), "aria-sort": sorted ?? "none" },
      button(column.label, sort, { class: "sort" }),
      arrow,
    );
  }

  #row(row, { columns, actions }) {
    const { path, pick, call } = this.#options;
    const { entity } = this.#place;
    const own = rowPath(path, entity, row);
    const name = entity.keys.filter((key) => !MANAGED.test(key)).map((key) => row[key]).join(", ");
    const open = pick
      ? button(t("Choose"), () => pick(row), { class: "small", "aria-label": t("Choose {0}", name) })
      : h(
        "a",
        { href: this.#href(own), "aria-label": t("Open {0}", name) },
        row.IsActiveEntity === false ? `✎ ${t("Draft")}` : "→",
      );
    return h(
      "tr",
      {},
      h("td", {}, open),
      columns.map((column) => h("td", { class: alignment(column) }, this.#cell(row, { column, own }))),
      actions.length > 0 &&
        h(
          "td",
          {},
          h(
            "div",
            { class: "buttons" },
            actions.map((operation) =>
              button(operation.local, () => call(operation, { path: own, etag: row["@odata.etag"] }), {
                class: "small",
                "aria-label": `${operation.local} ${name}`,
              })
            ),
          ),
        ),
    );
  }

  #href(path) {
    return `#/data/${this.#options.service.name}/${path}`;
  }

  #cell(row, { column, own }) {
    const value = row[column.name];
    if ("constraint" in column) return this.#associated(row, { column, own });
    if (value === null || value === undefined) return h("span", { class: "soft" }, "–");
    const choice = column.choices?.find((one) => String(one.value) === String(value));
    const text = choice?.name ?? (typeof value === "object" ? JSON.stringify(value) : String(value));
    const isLink = column.navigation && !this.#options.pick;
    return isLink ? h("a", { href: this.#href(`${own}/${column.navigation.name}`) }, text) : text;
  }

  #associated(row, { column, own }) {
    const value = row[column.name];
    const href = this.#href(`${own}/${column.name}`);
    if (!column.isCollection) {
      return value ? h("a", { href }, titleOf(this.#options.service, column.type, value)) : "–";
    }
    const count = row[`${column.name}@odata.count`] ?? row[`${column.name}@count`] ?? value?.length ?? 0;
    const names = (value ?? []).map((one) => titleOf(this.#options.service, column.type, one)).join(", ");
    return h("a", { href }, `${count}: ${names}`);
  }

  #pager(shown, total) {
    const turn = (by) => {
      this.#skip = Math.max(0, this.#skip + by);
      this.refresh();
    };
    const from = shown === 0 ? 0 : this.#skip + 1;
    return h(
      "div",
      { class: "pager" },
      button("‹", () => turn(-PAGE), { "aria-label": t("Previous page"), disabled: this.#skip === 0 }),
      h("span", { role: "status" }, t("{0} to {1} of {2}", from, this.#skip + shown, total)),
      button("›", () => turn(PAGE), { "aria-label": t("Next page"), disabled: this.#skip + shown >= total }),
    );
  }
}

/** What a row is called: its first text that is no key, else its key. */
export function titleOf(service, typeName, row) {
  const type = service.types.get(typeName);
  const text = type?.properties.find(({ type, isKey, name }) =>
    type === "Edm.String" && !isKey && !MANAGED.test(name) && row[name]
  );
  return String(text ? row[text.name] : type?.keys.map((key) => row[key]).join(", "));
}

customElements.define("fw-grid", FwGrid);

/** Amounts stand below each other by their digits; keys and what is chosen from a list are names. */
function alignment({ type, isKey, navigation, choices }) {
  return NUMBER.test(type) && !isKey && !navigation && !choices ? "number" : undefined;
}
