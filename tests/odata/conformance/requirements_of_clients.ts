/**
 * What OData 4.01 Part 1 asks of clients (clause 13.3), in our words; ours are the remote services.
 *
 * @module
 */

import type { Level } from "./requirement.ts";

/** Clause 13.3. */
export const CLIENTS: Level = {
  clause: "13.3",
  title: "Interoperable clients: remote services",
  requirements: [
    ["1", "MUST", "requests say `OData-MaxVersion`"],
    ["2", "MUST", "requests with body say `OData-Version` and `Content-Type`"],
    ["3", "MUST", "OData JSON is read as the JSON format says"],
    ["4", "MUST", "redirects are followed"],
    ["5", "MUST", "next links are followed"],
    ["6", "MUST", "properties that the metadata do not name are no error"],
    ["7", "MUST", "updates are PATCH requests"],
    ["8", "MUST", "system query options are written with `$`"],
    ["9", "MUST", "options, operators and functions are written in the letter case of the standard"],
    ["10", "MUST", "a plus in a URL is written as `%2B`"],
    ["11", "SHOULD", "Basic authentication over https"],
    ["12", "MAY", "references in place of entities that were there already"],
    ["13", "MAY", "deleted entities and links of delta answers"],
    ["14", "MAY", "asynchronous answers"],
    ["15", "MAY", "`metadata=minimal`"],
    ["16", "MAY", "streamed answers"],
    ["17", "MUST", "bodies are those of 4.0, which all services take"],
    ["18", "MUST", "names are written in the letter case of the metadata"],
    ["19", "MUST", "CSDL of 4.01 is understood"],
    ["20", "MUST", "answers of 4.01 are understood"],
    [
      "21",
      "SHOULD",
      "what a service refuses as unknown or unsupported is an error that the caller can handle",
    ],
  ],
};
