import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { ConfigurationError } from "../../../src/errors/configuration_error.ts";
import { inferModel } from "../../../src/model/infer_model.ts";

/** What is wrong with a model, without places and names that were meant. */
export function problemsOf(text: string): readonly string[] {
  try {
    inferModel(parseCdl(text));
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [error, ...error.others].map((problem) => problem.text.replace(/, did you mean .*/, ""));
  }
}
