import type { QueryParams, SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import { QueryTemplates } from "../../cqn/query_templates.ts";
import type { Dialect, ValueType } from "../render/dialect.ts";
import { valueType } from "../render/binding.ts";
import { DEFAULT_LIMITS } from "../../config/limits.ts";
import type { DatabaseOptions } from "../../service/database.ts";
import { type CompiledSelect, compileSelect } from "./compile_select.ts";
import type { EventContext } from "../../context/event_context.ts";
import type { LinkedModel } from "../../model/linked.ts";

/** What a compiled query gives. */
export interface QueryVariant {
  /** JSON text in payload form instead of rows. */
  readonly payload?: boolean;
  /** The values of that JSON as columns, where none of them is JSON itself. */
  readonly values?: boolean;
  /** The number of rows instead of the rows. */
  readonly counting?: boolean;
}

/** For whom a query is compiled. */
export interface QueryReader {
  readonly localized: boolean;
  /** Values of its parameters; only for databases that want to know their types. */
  readonly params?: QueryParams;
}

/** In which way a query is compiled. */
export interface CompiledVariant extends QueryVariant {
  readonly localized: boolean;
  /** What is known of the values of parameters. */
  readonly types?: Readonly<Record<string, ValueType>>;
}

const ROWS: QueryVariant = {};

/** Ways in which a template is kept compiled: a URL of many numbers has one for each choice of whole ones among them. */
const KEPT_VARIANTS = 64;

/** Compiles queries; frozen ones are templates and are compiled once in each way. */
export class CompiledQueries<T> {
  /** The templates of other queries. */
  readonly templates: QueryTemplates = new QueryTemplates();
  readonly #compile: (query: SelectQuery | SetQuery, variant: CompiledVariant) => T;
  readonly #known: WeakMap<object, Map<string, T>> = new WeakMap();

  /** @param compile compiles a query */
  constructor(compile: (query: SelectQuery | SetQuery, variant: CompiledVariant) => T) {
    this.#compile = compile;
  }

  /**
   * What a query is compiled to.
   *
   * @param query the query
   * @param reader for whom
   * @param variant what it gives; default: rows
   */
  get(query: SelectQuery | SetQuery, reader: QueryReader, variant: QueryVariant = ROWS): T {
    let variants = this.#known.get(query);
    if (variants === undefined) {
      if (!Object.isFrozen(query)) return this.#new(query, reader, variant);
      this.#known.set(query, variants = new Map());
    }
    const name = nameOf(reader, variant);
    let compiled = variants.get(name);
    if (compiled === undefined) {
      compiled = this.#new(query, reader, variant);
      if (variants.size >= KEPT_VARIANTS) variants.delete(variants.keys().next().value!);
      variants.set(name, compiled);
    }
    return compiled;
  }

  /** Whether a query was compiled, in whatever way. */
  isKnown(query: SelectQuery | SetQuery): boolean {
    return this.#known.has(query);
  }

  #new(query: SelectQuery | SetQuery, { localized, params }: QueryReader, variant: QueryVariant): T {
    const types = params && typesOf(params);
    return this.#compile(variant.counting ? countQuery(query as SelectQuery) : query, {
      ...variant,
      localized,
      types,
    });
  }
}

/** Names of the ways to compile, by what differs; they are looked up with each query. */
const NAMES: readonly string[] = Array.from({ length: 16 }, (_, flags) => flags.toString(16));

function nameOf({ localized, params }: QueryReader, { payload, values, counting }: QueryVariant): string {
  let name = NAMES[(localized ? 1 : 0) | (payload ? 2 : 0) | (values ? 4 : 0) | (counting ? 8 : 0)]!;
  for (const parameter in params) name += LETTERS[valueType(params[parameter])];
  return name;
}

/** What stands for the types of values in the order of the parameters. */
const LETTERS: Readonly<Record<ValueType, string>> = {
  boolean: "b",
  infinite: "f",
  integer: "i",
  number: "n",
  other: "o",
};

/**
 * What is known of the values of parameters before the text is written.
 *
 * @param params the values
 */
export function typesOf(params: QueryParams): Readonly<Record<string, ValueType>> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, valueType(value)]));
}

/**
 * The query that counts the rows of another one, ignoring its limit.
 *
 * @param query the query
 */
function countQuery(query: SelectQuery): SelectQuery {
  const { columns, orderBy: _orderBy, limit: _limit, count: _count, one: _one, ...body } = query.SELECT;
  const counted = { func: "count", args: ["*"] as const, as: "count" };
  if (!body.groupBy && !body.distinct && "ref" in body.from) {
    return { SELECT: { ...body, columns: [counted] } };
  }
  const inner: SelectQuery = { SELECT: { ...body, columns } };
  return { SELECT: { from: { ...inner, as: "rows" }, columns: [counted] } };
}

/**
 * The compiled queries of a database that speaks SQL.
 *
 * @param options the model of the tables, and those of contexts
 * @param dialect the SQL of the database
 * @param settings `isWatched`: whether costly queries call `$step` as they go
 */
export function sqlQueries(
  options: Pick<DatabaseOptions, "model" | "modelOf" | "limits" | "binaries">,
  dialect: Dialect,
  { isWatched = false }: { readonly isWatched?: boolean } = {},
): QueriesByModel<CompiledSelect> {
  const { computedLength } = options.limits ?? DEFAULT_LIMITS;
  return queriesByModel(
    options,
    (model) =>
      new CompiledQueries((query, { localized, payload = false, values, types }) =>
        compileSelect(query, {
          model,
          dialect,
          isWatched,
          computedLength,
          localized,
          payload,
          binaries: options.binaries,
          values: values ? dialect.plainValue : undefined,
          types,
        })
      ),
  );
}

/** Compiled queries of all models of a database. */
export interface QueriesByModel<T> {
  /** Queries against the model of the tables, which those follow that belong to a write. */
  readonly compiled: CompiledQueries<T>;
  /** Queries against the model that a context sees. */
  readonly compiledFor: (context: EventContext) => CompiledQueries<T>;
}

/**
 * The compiled queries of a database; those of a model live as long as it does.
 *
 * @param options the model of the tables, and those of contexts
 * @param create begins with a model
 */
export function queriesByModel<T>(
  { model, modelOf }: Pick<DatabaseOptions, "model" | "modelOf">,
  create: (model: LinkedModel) => CompiledQueries<T>,
): QueriesByModel<T> {
  const compiled = create(model);
  if (modelOf === undefined) return { compiled, compiledFor: () => compiled };
  const known: WeakMap<LinkedModel, CompiledQueries<T>> = new WeakMap([[model, compiled]]);
  return {
    compiled,
    compiledFor: (context) => {
      const visible = modelOf(context);
      let queries = known.get(visible);
      if (!queries) known.set(visible, queries = create(visible));
      return queries;
    },
  };
}
