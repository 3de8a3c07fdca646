import assert from "node:assert/strict";
import { storesIn } from "../../src/deno/deno_kinds.ts";
import { channelOptions } from "../messaging/channels.ts";
import { withProject } from "./project.ts";

Deno.test("a message box lies below the root of the project, in the home, or where its absolute path says", async () => {
  const home = Deno.env.get("HOME");
  await withProject({ "shop/package.json": "{}", "home/.profile": "" }, async (folder) => {
    const root = `${folder}/shop`;
    const create = await storesIn(root).channels!["file-based-messaging"]!();
    const boxes = {
      "near.box": `${root}/near.box`,
      [`${folder}/far.box`]: `${folder}/far.box`,
      "~": `${folder}/home`,
      "~/own.box": `${folder}/home/own.box`,
      "~own.box": `${root}/~own.box`,
    };
    Deno.env.set("HOME", `${folder}/home`);
    try {
      for (const [file, box] of Object.entries(boxes)) {
        const channel = await create(channelOptions({ file }));
        await channel.connect();
        await channel.close();
        assert.ok((await Deno.stat(`${box}.d`)).isDirectory, file);
      }
    } finally {
      if (home === undefined) Deno.env.delete("HOME");
      else Deno.env.set("HOME", home);
    }
  });
});
