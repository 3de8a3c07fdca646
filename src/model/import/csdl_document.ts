/**
 * A metadata document as CSDL JSON, with its names resolved (OData CSDL JSON 4.01).
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { vocabularyOf } from "../csdl/vocabularies.ts";

/** Members of an object of the document. */
export type CsdlObject = Readonly<Record<string, unknown>>;

/** A definition of a schema. */
export interface CsdlDefinition {
  /** With namespace. */
  readonly qualified: string;
  readonly namespace: string;
  readonly name: string;
  /** Overloads of an operation come as list. */
  readonly value: CsdlObject | readonly CsdlObject[];
}

/** The schemas of a document. */
export class CsdlDocument {
  /** Definitions by qualified name. */
  readonly definitions: ReadonlyMap<string, CsdlDefinition>;
  /** Namespaces of the schemas. */
  readonly namespaces: readonly string[];
  /** Qualified name of the entity container. */
  readonly container: string | undefined;
  readonly #aliases: ReadonlyMap<string, string>;
  readonly #annotations: ReadonlyMap<string, CsdlObject>;

  /**
   * @param document a parsed document
   * @throws ConfigurationError for what is no CSDL
   */
  constructor(document: unknown) {
    if (!isPlainObject(document) || typeof document.$Version !== "string") {
      throw new ConfigurationError('Expected a metadata document of OData, an object with "$Version"');
    }
    const schemas = Object.entries(document).filter((entry): entry is [string, CsdlObject] =>
      !entry[0].startsWith("$") && !entry[0].startsWith("@") && isPlainObject(entry[1])
    );
    this.namespaces = schemas.map(([namespace]) => namespace);
    this.#aliases = new Map([...includedAliases(document), ...ownAliases(schemas)]);
    this.definitions = new Map(
      schemas.flatMap(([namespace, schema]) =>
        Object.entries(schema).filter(([name]) => /^[^$@]/.test(name)).map(([name, value]) => {
          const qualified = `${namespace}.${name}`;
          return [qualified, { qualified, namespace, name, value: value as CsdlObject }] as const;
        })
      ),
    );
    this.#annotations = new Map(
      schemas.flatMap(([, schema]) => Object.entries(schema.$Annotations ?? {}))
        .map(([target, annotations]) => [this.#target(target), annotations as CsdlObject]),
    );
    const named = document.$EntityContainer;
    this.container = typeof named === "string"
      ? this.qualify(named)
      : [...this.definitions.values()].find(({ value }) => kindOf(value) === "EntityContainer")?.qualified;
  }

  /**
   * A name with the namespace in place of its alias.
   *
   * @param name `self.Book`
   */
  qualify(name: string): string {
    const at = name.lastIndexOf(".");
    const namespace = at < 0 ? undefined : this.#aliases.get(name.slice(0, at));
    return namespace === undefined ? name : namespace + name.slice(at);
  }

  /**
   * The annotations of a target: those that stand with it, and those that name it.
   *
   * @param target qualified
   * @param inline what stands with it
   * @returns values by term with the usual alias of its vocabulary: `@Core.Computed`
   */
  annotationsOf(target: string, inline: CsdlObject = {}): CsdlObject {
    const own = Object.entries(inline).filter(([name]) => name.startsWith("@"));
    const named = Object.entries(this.#annotations.get(target) ?? {});
    return Object.fromEntries([...own, ...named].map(([name, value]) => [this.#term(name), value]));
  }

  /** `@alias.Term#Qualifier@other.Term` with the usual aliases. */
  #term(name: string): string {
    return name.replace(/@([\w.]+)\.(\w+)/g, (_, vocabulary: string, term: string) => {
      const namespace = this.#aliases.get(vocabulary) ?? vocabulary;
      return `@${vocabularyOf(namespace)?.alias ?? vocabulary}.${term}`;
    });
  }

  /** Targets may begin with an alias; parameters of functions stand in parentheses with qualified types. */
  #target(target: string): string {
    const [, head = target, rest = ""] = /^([\w.]+)(.*)$/s.exec(target) ?? [];
    return this.qualify(head) + rest.replace(/[\w.]+\.\w+/g, (name) => this.qualify(name));
  }
}

/**
 * What kind of definition something is.
 *
 * @param value the definition
 * @returns `EntityType`, …; of overloads that of the first one
 */
export function kindOf(value: CsdlObject | readonly CsdlObject[]): unknown {
  return Array.isArray(value) ? value[0]?.$Kind : (value as CsdlObject).$Kind;
}

/**
 * The members of a definition that the document gives names to.
 *
 * @param value the definition
 */
export function membersOf(value: CsdlObject): readonly (readonly [string, CsdlObject])[] {
  return Object.entries(value).filter((entry): entry is [string, CsdlObject] =>
    /^[^$@]/.test(entry[0]) && !entry[0].includes("@") && isPlainObject(entry[1])
  );
}

function* includedAliases({ $Reference }: CsdlObject): Iterable<readonly [string, string]> {
  for (const { $Include } of Object.values($Reference ?? {}) as { $Include?: readonly CsdlObject[] }[]) {
    for (const { $Alias, $Namespace } of $Include ?? []) {
      if (typeof $Alias === "string" && typeof $Namespace === "string") yield [$Alias, $Namespace];
    }
  }
}

function* ownAliases(
  schemas: readonly (readonly [string, CsdlObject])[],
): Iterable<readonly [string, string]> {
  for (const [namespace, { $Alias }] of schemas) {
    if (typeof $Alias === "string") yield [$Alias, namespace];
  }
}
