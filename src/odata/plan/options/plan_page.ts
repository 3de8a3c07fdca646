/**
 * Pages of collections: `$top`, `$skip` and `$skiptoken` (OData 4.01 Part 2, section 5.1.7).
 *
 * @module
 */

import type { PrimitiveLiteral, QueryOptions } from "../../url/ast.ts";
import { wholeNumber } from "../../url/literals.ts";
import { badRequest } from "../plan_error.ts";
import type { Binding, Bindings } from "../shapes/bindings.ts";
import type { PagingTemplate } from "../shapes/template.ts";
import type { PlannedQuery } from "./entity_query.ts";
import { rowCount, rowCountLiteral } from "./query_size.ts";

/** What a page is planned from beside options. */
interface PageContext extends Pick<PagingTemplate, "defaultRows" | "maxRows"> {
  /** The query of the page; undefined where several sets have pages together. */
  readonly planned: Pick<PlannedQuery, "keyset" | "numeric" | "page"> | undefined;
}

/**
 * The page of a collection.
 *
 * @param options the options
 * @param bindings has the values of their literals
 * @param context sizes, and the query
 */
export function planPage(options: QueryOptions, bindings: Bindings, context: PageContext): PagingTemplate {
  const { defaultRows, maxRows, planned } = context;
  const { page, keyset, numeric } = planned ?? {};
  const top = bindCount(options, "top", bindings);
  const skip = bindCount(options, "skip", bindings);
  const skiptoken = page?.former ?? bindToken(options, bindings);
  const isMoved = !planned || (!page && (skip ?? skiptoken) !== undefined);
  const behind = page && { total: page.total };
  return { defaultRows, maxRows, top, skip, skiptoken, behind, isWhole: false, isMoved, keyset, numeric };
}

/**
 * `$top` and `$skip` of what an operation returns, which has no pages.
 *
 * @param options the options
 * @param bindings has the values of their literals
 */
export function planCut(options: QueryOptions, bindings: Bindings): PagingTemplate {
  const most = 2 ** 31 - 1;
  const top = bindCount(options, "top", bindings);
  const skip = bindCount(options, "skip", bindings);
  return { defaultRows: most, maxRows: most, top, skip, isWhole: true, isMoved: skip !== undefined };
}

function bindCount(options: QueryOptions, name: "top" | "skip", bindings: Bindings): Binding | undefined {
  const literal = rowCountLiteral(options, name);
  return literal && bindings.bindApart(literal, rowCount);
}

/** Rows of former pages. */
function bindToken({ skiptoken, valueOffsets }: QueryOptions, bindings: Bindings): Binding | undefined {
  if (skiptoken === undefined) return undefined;
  const literal: PrimitiveLiteral = {
    kind: "primitiveLiteral",
    offset: valueOffsets?.skiptoken ?? -1,
    type: "Edm.Int64",
    value: Number(skiptoken),
    text: skiptoken,
  };
  const binding = bindings.bindApart(literal, ({ text, offset }) => {
    const number = wholeNumber(text);
    if (number === undefined) throw badRequest(`"${text}" is no valid $skiptoken`, offset);
    return number;
  });
  binding.convert(literal);
  return binding;
}
