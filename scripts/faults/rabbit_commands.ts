/**
 * How a fault test starts a RabbitMQ of its own: own node, ports, data and name service, so that nothing of it meets one
 * that runs here already.
 *
 * @module
 */

import { freePort, type ServerCommand } from "./server_command.ts";

/** Where packages put the script itself; what they put on the path changes the user and forgets the environment. */
const PACKAGED = "/usr/lib/rabbitmq/lib";

/**
 * The name service of Erlang, and the server with AMQP 1.0.
 *
 * @param port where the server listens
 * @param folder where everything is stored that it writes
 */
export function rabbitCommands(port: number, folder: string): readonly ServerCommand[] {
  const names = `${freePort()}`;
  Deno.writeTextFileSync(`${folder}/enabled_plugins`, "[rabbitmq_amqp1_0].\n");
  return [
    { command: "epmd", args: ["-address", "127.0.0.1", "-port", names] },
    {
      command: findScript(),
      args: [],
      env: {
        HOME: folder,
        ERL_EPMD_PORT: names,
        // The script becomes the server: its process is the one to kill.
        RUNNING_UNDER_SYSTEMD: "true",
        RABBITMQ_NODENAME: `fwfaults${port}@localhost`,
        RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
        RABBITMQ_NODE_PORT: `${port}`,
        RABBITMQ_DIST_PORT: `${freePort()}`,
        RABBITMQ_BASE: folder,
        RABBITMQ_MNESIA_BASE: `${folder}/mnesia`,
        RABBITMQ_LOG_BASE: `${folder}/log`,
        RABBITMQ_ENABLED_PLUGINS_FILE: `${folder}/enabled_plugins`,
        RABBITMQ_CONFIG_FILE: `${folder}/rabbitmq`,
        RABBITMQ_ADVANCED_CONFIG_FILE: `${folder}/advanced.config`,
        RABBITMQ_CONF_ENV_FILE: `${folder}/rabbitmq-env.conf`,
      },
    },
  ];
}

function findScript(): string {
  try {
    const versions = [...Deno.readDirSync(PACKAGED)].map(({ name }) => name);
    const newest = versions.filter((name) => name.startsWith("rabbitmq_server-")).toSorted().at(-1);
    if (newest !== undefined) return `${PACKAGED}/${newest}/sbin/rabbitmq-server`;
  } catch {
    // Not from a package: the script is on the path.
  }
  return "rabbitmq-server";
}
