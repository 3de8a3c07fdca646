/**
 * Associations of the models of tests, as CSN.
 *
 * @module
 */

/** An association to an entity with the key `ID`. */
export const toOne = (target: string) => ({ type: "cds.Association", target, keys: [{ ref: ["ID"] }] });

/**
 * An association to many.
 *
 * @param name its own name
 * @param target the entity
 * @param back the association of the entity that points back
 */
export const toMany = (name: string, target: string, back: string) => ({
  type: "cds.Association",
  cardinality: { max: "*" as const },
  target,
  on: [{ ref: [name, back] }, "=", { ref: ["$self"] }],
});
