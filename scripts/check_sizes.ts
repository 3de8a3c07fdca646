/**
 * Fails when a file, a function or a parameter list is larger than style 2 allows.
 *
 * @module
 */

import ts from "typescript";
import { sourceFiles } from "./source_files.ts";

const FILE_LINES = 400;
const TEST_LINES = 500;
const LARGE_FILE_LINES = 700;
const FUNCTION_LINES = 70;
const PARAMETERS = 3;

/** Grammars and type tables that may have up to 700 lines, each with its reason. */
const LARGE_FILES: Readonly<Record<string, string>> = {
  "src/cqn/grammar/expression_grammar.ts": "one grammar: its rules call each other in a circle",
  "src/cqn/grammar/query_grammar.ts": "one grammar: its rules call each other in a circle",
  "src/model/cdl/type_grammar.ts": "one grammar: its rules call each other in a circle",
  "examples/bookshop/srv/model.ts": "written by the compiler from the model",
  "src/odata/url/apply_grammar.ts": "one grammar: its rules call each other in a circle",
  "src/odata/url/ast.ts": "the table of node types",
  "src/model/cdl/cdl_parser.ts": "one grammar: its rules call each other in a circle",
};

interface Problem {
  readonly place: string;
  readonly message: string;
}

function checkFile(file: string): Problem[] {
  const text = Deno.readTextFileSync(file);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = text.split("\n").length - 1;
  const limit = file.startsWith("tests/") ? TEST_LINES : file in LARGE_FILES ? LARGE_FILE_LINES : FILE_LINES;
  const problems: Problem[] = [];
  if (file in LARGE_FILES && lines <= FILE_LINES) {
    problems.push({ place: file, message: `${lines} lines need no entry in LARGE_FILES` });
  }
  if (lines > limit) problems.push({ place: file, message: `${lines} lines, at most ${limit}` });
  if (!file.startsWith("tests/")) problems.push(...checkFunctions(source, file));
  return problems;
}

function checkFunctions(source: ts.SourceFile, file: string): Problem[] {
  const problems: Problem[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const start = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      const length = source.getLineAndCharacterOfPosition(node.end).line + 2 - start;
      const name = node.name?.getText(source) ?? "function";
      const place = `${file}:${start} ${name}()`;
      if (length > FUNCTION_LINES) {
        problems.push({ place, message: `${length} lines, at most ${FUNCTION_LINES}` });
      }
      const parameters = node.parameters.filter((parameter) => parameter.name.getText(source) !== "this");
      if (parameters.length > PARAMETERS && !parameters.some((parameter) => parameter.dotDotDotToken)) {
        problems.push({ place, message: `${parameters.length} parameters, at most ${PARAMETERS}` });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

if (import.meta.main) {
  const files = ["mod.ts", ...sourceFiles("src", "scripts", "tests", "examples")];
  const problems = files.flatMap(checkFile);
  for (const { place, message } of problems) console.error(`${place}: ${message}`);
  if (problems.length > 0) Deno.exit(1);
  console.log(`Sizes of ${files.length} files are within the limits`);
}
