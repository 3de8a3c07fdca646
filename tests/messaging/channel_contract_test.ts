import { testChannel } from "../contract/channel.ts";
import type { Channel } from "../../src/messaging/channel.ts";
import { createCompositeChannel } from "../../src/messaging/composite_channel.ts";
import { createLocalChannel } from "../../src/messaging/local_channel.ts";
import { withPrefixes } from "../../src/messaging/prefix_channel.ts";
import { channelOptions, fileChannel } from "./channels.ts";

testChannel({
  name: "local channel",
  isStored: false,
  create: () => {
    const channel = createLocalChannel(channelOptions({}));
    return Promise.resolve({ open: () => Promise.resolve(channel), dispose: () => channel.close() });
  },
});

function fileTransport(wrap: (channel: Channel) => Channel | Promise<Channel> = (channel) => channel) {
  const folder = Deno.makeTempDirSync();
  const opened: Channel[] = [];
  return Promise.resolve({
    open: async () => {
      const channel = await wrap(fileChannel(`${folder}/box`));
      opened.push(channel);
      await channel.connect();
      return channel;
    },
    dispose: async () => {
      await Promise.all(opened.map((channel) => channel.close()));
      Deno.removeSync(folder, { recursive: true });
    },
  });
}

testChannel({ name: "file channel", isStored: true, create: () => fileTransport() });

testChannel({
  name: "composite channel",
  isStored: true,
  create: () =>
    fileTransport((file) => createCompositeChannel(channelOptions({ routes: { file: ["**"] } }, { file }))),
});

testChannel({
  name: "file channel with prefixes",
  isStored: true,
  create: () => fileTransport((file) => withPrefixes(file, { publishPrefix: "p/", subscribePrefix: "p/" })),
});
