/**
 * Values that programs keep with what is linked: `definition.own(name)`, `definition.set(name, value)`.
 *
 * @module
 */

const VALUES: WeakMap<object, Map<string | symbol, unknown>> = new WeakMap();

/** Remembers values. */
export class OwnValues {
  /**
   * A value that was set, or a member that the definition itself says.
   *
   * @param name name of the value
   */
  own(name: string | symbol): unknown {
    const values = VALUES.get(this);
    if (values?.has(name)) return values.get(name);
    return Object.hasOwn(this, name) ? this[name as keyof this] : undefined;
  }

  /**
   * Keeps a value, which is no part of the model.
   *
   * @param name name of the value
   * @param value the value
   * @returns the value
   */
  set<T>(name: string | symbol, value: T): T {
    let values = VALUES.get(this);
    if (!values) VALUES.set(this, values = new Map());
    values.set(name, value);
    return value;
  }
}
