import assert from "node:assert/strict";
import { findService, uniqueName } from "../contract/services.ts";
import { REPOSITORY, SMALL, withProject } from "../deno/project.ts";
import { startCli, startProcess, urlOf } from "../deno/project_processes.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";

const { address, isThere } = await findService("nats");

/** The page about events. */
function section(): string {
  return Deno.readTextFileSync(`${REPOSITORY}docs/guides/events.md`);
}

function block(language: string): string {
  return new RegExp("^```" + language + "\\n([\\s\\S]*?)^```", "m").exec(section())![1]!;
}

Deno.test({
  name: "the configuration, the code and the commands of the manual about events work as printed",
  ignore: !isThere,
  fn: async () => {
    const stream = uniqueName();
    const config = JSON.parse(block("json"));
    config.requires.broker = { ...config.requires.broker, stream, credentials: { url: address } };
    await withProject({ ...SMALL, "server.ts": block("ts") }, async (folder) => {
      config.requires.db = { kind: "sqlite", credentials: { url: `${folder}/shop.sqlite` } };
      config.requires.local.file = `${folder}/box`;
      await Deno.writeTextFile(`${folder}/.fwrc.json`, JSON.stringify(config));
      const served = startCli("serve", folder, "--port", "0");
      try {
        await urlOf(served);
        await served.waitFor(/^reviews\/changed \{ book: 201 \} import$/m);
      } finally {
        await served.close();
      }
      const commands = [...section().matchAll(/^fw queue (\w+)(?: <id>)? +#(?: or (--all))?/gm)]
        .filter(([, name]) => name !== "show");
      assert.equal(commands.length, 2);
      for (const [, name, all = []] of commands) {
        const args = ["src/cli/mod.ts", "queue", name, all, folder].flat();
        const { code, output } = await startProcess({ args }).ended;
        assert.equal(code, 0, output);
      }
    });
    const connection = await connect({ servers: address });
    await (await jetstreamManager(connection)).streams.delete(stream);
    await connection.close();
  },
});
