/**
 * Starts the language server for models.
 *
 * @module
 */

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const [command, ...args] = workspace.getConfiguration("fw").get("command");
  const server = { command, args };
  client = new LanguageClient("fw", "CDS models", { run: server, debug: server }, {
    documentSelector: [{ scheme: "file", language: "cds" }],
  });
  await client.start();
};

exports.deactivate = () => client?.stop();
