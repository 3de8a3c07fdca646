/**
 * The model: entities and their associations as a diagram, and the sources.
 *
 * @module
 */

import { send } from "./api.js";
import { serviceOf } from "./csdl.js";
import { button, h, newId, replace, svg } from "./dom.js";
import { errorNotice } from "./notice.js";
import { hasOData } from "./operations.js";
import { ROOT, state } from "./state.js";
import { t } from "./texts.js";

const WIDTH = 200;
const LINE = 18;
const GAP = 60;
const MOST = 10;

/** The view of the model. */
export async function showModel(main) {
  const services = state.info.services.filter(hasOData);
  const shown = h("div");
  const choose = async (name) => {
    try {
      const service = await serviceOf(name);
      const { endpoints } = services.find((one) => one.name === name);
      replace(
        shown,
        h("h2", {}, t("Diagram of {0}", name)),
        h(
          "p",
          {},
          h("a", { href: new URL(`.${endpoints[0].path}/$metadata`, ROOT) }, t("Readable $metadata")),
        ),
        diagram(service),
      );
    } catch (error) {
      replace(shown, errorNotice(error, { where: { service: name } }));
    }
  };
  main.append(
    h("div", { class: "buttons" }, services.map(({ name }) => button(name, () => choose(name)))),
    shown,
  );
  const first = services.find(({ requires }) => requires === undefined) ?? services[0];
  if (first) await choose(first.name);
  main.append(h("h2", {}, t("Source")), await sources());
}

async function sources() {
  try {
    const { body } = await send("GET", "./-/console/sources.json", { unseen: true });
    if (body.value.length === 0) {
      return h("p", { class: "soft" }, t("The model is compiled; its sources are not here"));
    }
    return h(
      "div",
      {},
      body.value.map(({ name, text }) =>
        h(
          "details",
          { class: "card" },
          h("summary", {}, name),
          h("pre", { class: "cdl", tabindex: 0 }, coloured(text)),
        )
      ),
    );
  } catch (error) {
    return errorNotice(error);
  }
}

const TOKENS =
  /(?<doc>\/\*\*[\s\S]*?\*\/)|(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>'(?:[^']|'')*'|`[^`]*`)|(?<note>@[\w.]+)|(?<keyword>\b(?:namespace|using|from|service|entity|type|aspect|enum|action|function|event|returns|key|localized|virtual|projection|on|as|select|Association|Composition|of|many|to|default|annotate|with|extend|excluding|where|define|context|actions|array|not|null)\b)/g;

/** A source whose comments, texts, annotations and keywords can be told apart. */
function coloured(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [kind] = Object.entries(match.groups).find(([, found]) => found !== undefined);
    parts.push(text.slice(from, match.index), h("span", { class: kind }, match[0]));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)];
}

function diagram(service) {
  const entities = [...service.types.values()].filter(({ kind, local }) =>
    kind === "EntityType" && !/_texts$|DraftAdministrativeData/.test(local)
  );
  const boxes = arrange(entities);
  const lines = entities.flatMap((entity) =>
    entity.navigations.filter(({ type }) => boxes.has(type)).map((one) =>
      edge(boxes, { from: entity.name, one })
    )
  );
  const all = [...boxes.values()];
  const width = Math.max(...all.map(({ x }) => x + WIDTH), WIDTH) + GAP;
  const height = Math.max(...all.map(({ y, height }) => y + height), LINE) + 20;
  const title = newId("diagram");
  return [
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": t("Diagram of {0}", service.name) },
      svg(
        "svg",
        {
          width,
          height,
          viewBox: `0 0 ${width} ${height}`,
          role: "img",
          "aria-labelledby": title,
          class: "diagram",
        },
        svg("title", { id: title }, t("Diagram of {0}", service.name)),
        lines,
        entities.map((entity) => box(entity, boxes.get(entity.name))),
      ),
    ),
    textOf(service, entities),
  ];
}

/** The same for those who cannot see the picture. */
function textOf(service, entities) {
  return h(
    "details",
    { class: "card" },
    h("summary", {}, t("Details")),
    h(
      "dl",
      {},
      entities.map((entity) => [
        h("dt", {}, h("a", { href: `#/data/${service.name}/${entity.local}` }, entity.local)),
        h(
          "dd",
          {},
          entity.doc && h("p", {}, entity.doc),
          entity.navigations.map(({ name, type, isCollection, isPart }) =>
            h(
              "p",
              {},
              `${name} ${isPart ? "◆" : "→"}${isCollection ? " *" : ""} ${
                type.slice(type.lastIndexOf(".") + 1)
              }`,
            )
          ),
        ),
      ]),
    ),
  );
}

function arrange(entities) {
  const columns = Math.max(1, Math.round(Math.sqrt(entities.length * 1.5)));
  const bottoms = new Array(columns).fill(10);
  const boxes = new Map();
  for (const entity of entities) {
    const column = bottoms.indexOf(Math.min(...bottoms));
    const height = LINE * (Math.min(entity.properties.length, MOST + 1) + 2);
    boxes.set(entity.name, { x: 10 + column * (WIDTH + GAP), y: bottoms[column], height });
    bottoms[column] += height + GAP / 2;
  }
  return boxes;
}

function box(entity, { x, y, height }) {
  const shown = entity.properties.slice(0, MOST).map(({ name, type, isKey }) =>
    `${isKey ? "⚷ " : ""}${name}: ${type.replace(/^Edm\./, "")}`
  );
  const more = entity.properties.length > MOST ? [`+ ${entity.properties.length - MOST}`] : [];
  return svg(
    "g",
    {},
    svg("rect", { x, y, width: WIDTH, height, rx: 6 }),
    svg("text", { x: x + 10, y: y + LINE, class: "name" }, entity.local),
    [...shown, ...more].map((text, index) =>
      svg(
        "text",
        { x: x + 10, y: y + LINE * (index + 2.3) },
        text.length > 26 ? `${text.slice(0, 25)}…` : text,
      )
    ),
  );
}

function edge(boxes, { from, one }) {
  const [a, b] = [boxes.get(from), boxes.get(one.type)];
  const right = b.x >= a.x;
  const [x1, y1] = [right ? a.x + WIDTH : a.x, a.y + LINE];
  const [x2, y2] = [right && b.x > a.x ? b.x : b.x + WIDTH, b.y + LINE];
  const bend = a === b || a.x === b.x ? GAP / 1.2 : GAP / 2;
  const [c1, c2] = [right ? x1 + bend : x1 - bend, right && b.x > a.x ? x2 - bend : x2 + bend];
  return svg("path", {
    d: `M${x1},${y1 + 4} C${c1},${y1} ${c2},${y2} ${x2},${y2}`,
    class: one.isPart ? "part" : "",
  }, svg("title", {}, one.name));
}
