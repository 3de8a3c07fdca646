/**
 * What a symbol of an enum stands for (csn-cqn 3).
 *
 * @module
 */

import type { ResolvedType } from "../../model/linked.ts";

/** The symbols of a type. */
export type EnumSymbols = NonNullable<ResolvedType["enum"]>;

/**
 * The value of a symbol. Of a type without such a symbol its name is the value.
 *
 * @param symbol its name
 * @param symbols those of the type, if it is known
 */
export function symbolValue(symbol: string, symbols: EnumSymbols | undefined): Scalar {
  const found = symbols && Object.hasOwn(symbols, symbol) ? symbols[symbol] : undefined;
  return found?.val ?? symbol;
}

type Scalar = string | number | boolean;
