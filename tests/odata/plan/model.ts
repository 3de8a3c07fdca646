/** A model for the tests of planning. */

import assert from "node:assert/strict";
import { linkModel } from "../../../src/model/link_model.ts";
import type { Csn } from "../../../src/model/csn.ts";
import { createPlanner, type Planner, type PlannerOptions } from "../../../src/odata/plan/planner.ts";
import type { EntityPlan } from "../../../src/odata/plan/plan.ts";

const many = { cardinality: { max: "*" as const } };

const csn: Csn = {
  definitions: {
    S: { kind: "service" },
    "S.Books": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        title: { type: "cds.String", length: 111 },
        stock: { type: "cds.Integer" },
        price: { type: "cds.Decimal", precision: 9, scale: 2 },
        available: { type: "cds.Boolean" },
        publishedAt: { type: "cds.Timestamp" },
        address: { elements: { city: { type: "cds.String" } } },
        author: { type: "cds.Association", target: "S.Authors", keys: [{ ref: ["ID"] }] },
        reviews: {
          type: "cds.Association",
          target: "S.Reviews",
          ...many,
          on: [{ ref: ["reviews", "book"] }, "=", { ref: ["$self"] }],
        },
        texts: {
          type: "cds.Composition",
          target: "S.Books.texts",
          ...many,
          on: [{ ref: ["texts", "ID"] }, "=", { ref: ["ID"] }],
        },
      },
      actions: {
        submit: { kind: "action" },
        rate: {
          kind: "function",
          params: { stars: { type: "cds.Integer" } },
          returns: { type: "cds.Integer" },
        },
        best: {
          kind: "function",
          params: { in: { items: { type: "$self" } } },
          returns: { type: "cds.Integer" },
        },
      },
    },
    "S.Books.texts": {
      kind: "entity",
      elements: {
        locale: { key: true, type: "cds.String" },
        ID: { key: true, type: "cds.Integer" },
        title: { type: "cds.String" },
      },
    },
    "S.Authors": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.UUID" },
        name: { type: "cds.String" },
        books: {
          type: "cds.Association",
          target: "S.Editions",
          ...many,
          on: [{ ref: ["books", "author"] }, "=", { ref: ["$self"] }],
        },
      },
    },
    "S.Editions": {
      kind: "entity",
      elements: {
        title: { key: true, type: "cds.String" },
        edition: { key: true, type: "cds.Integer" },
        author: { type: "cds.Association", target: "S.Authors", keys: [{ ref: ["ID"] }] },
      },
    },
    "S.Reviews": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.UUID" },
        rating: { type: "cds.Integer" },
        book: { type: "cds.Association", target: "S.Books", keys: [{ ref: ["ID"] }] },
      },
    },
    "S.getStock": {
      kind: "function",
      params: {
        book: { type: "cds.Integer" },
        warehouse: { type: "cds.String" },
        count: { type: "cds.Integer" },
      },
      returns: { type: "cds.Integer" },
    },
    "S.restock": { kind: "action", params: { amount: { type: "cds.Integer" } } },
  },
};

/** The linked model. */
export const model = linkModel(csn);

/** A planner of its service. */
export function testPlanner(options?: PlannerOptions): Planner {
  return createPlanner(model.service("S")!, options);
}

/** The plan of a URL that leads to an entity. */
export function planOf(planner: Planner, ...url: Parameters<Planner["planUrl"]>): EntityPlan {
  const plan = planner.planUrl(...url);
  assert.ok(plan.target, url[0]);
  return plan;
}

/** A GUID. */
export const GUID = "11111111-aaaa-4bbb-8ccc-222222222222";
