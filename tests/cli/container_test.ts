import assert from "node:assert/strict";
import { DOCKER_FILES, KUBERNETES_FILES, serverPermissions } from "../../src/cli/container_files.ts";
import { frameFiles, V8_FLAGS } from "../../src/cli/project_files.ts";
import { parseYaml } from "../../src/deno/parse_yaml.ts";
import { readConfiguration } from "../../src/deno/read_configuration.ts";
import { REPOSITORY, SMALL, withProject } from "../deno/project.ts";
import { startProcess, urlOf } from "../deno/project_processes.ts";
import { runCommand } from "./run_command.ts";

Deno.test("a server runs with the permissions of the image and no more: database and box in a file, handlers, packages, events", () =>
  withProject({
    ...SMALL,
    // packages of npm lie in the cache of Deno, which the server has no permission to read
    "srv/cat_service.ts": 'import globToRegExp from "glob-to-regexp";\n' +
      SMALL["srv/cat_service.ts"].replace('"one"', 'typeof globToRegExp + " one"'),
  }, async (folder) => {
    const data = `${folder}/data`;
    await Deno.mkdir(data);
    const requires = {
      db: { kind: "sqlite", credentials: { url: "data/db.sqlite" } },
      messaging: { kind: "file-based-messaging", file: "data/box" },
    };
    await Deno.writeTextFile(`${folder}/.fwrc.json`, JSON.stringify({ name: "shop", requires }));
    const permissions = serverPermissions(folder, data).map((one) =>
      // here the package is a folder, in an image its modules are in the cache
      one.startsWith("--allow-read=") ? `${one},${REPOSITORY}` : one
    );
    const server = startProcess({ args: ["src/cli/mod.ts", "serve", folder], permissions });
    try {
      const url = await urlOf(server);
      const ask = async (path: string, init?: RequestInit) => {
        const response = await fetch(url + path, init);
        return [response.status, await response.text()] as const;
      };
      const body = JSON.stringify({ ID: 9, title: "Persuasion" });
      const headers = { "content-type": "application/json" };
      assert.equal((await ask("/odata/v4/cat/Books", { method: "POST", body, headers }))[0], 201);
      assert.match((await ask("/odata/v4/cat/Books(9)"))[1], /Persuasion/);
      assert.match((await ask("/odata/v4/cat/hello()"))[1], /function one/);
      assert.equal((await ask("/ready"))[0], 200);
      assert.ok(Deno.statSync(`${data}/db.sqlite`).isFile);
      server.kill("SIGTERM");
      assert.equal((await server.ended).code, 0, server.output());
    } finally {
      await server.close();
    }
  }));

Deno.test("the image builds from the project and the package, and its server has these permissions only", () => {
  const { Dockerfile } = DOCKER_FILES;
  const [, command] = /\nCMD (\[.*\])\n$/.exec(Dockerfile) ?? [];
  const words = JSON.parse(command) as string[];
  for (const one of serverPermissions("/app", "/app/data")) assert.ok(words.includes(one), one);
  assert.ok(!words.includes("-A"));
  assert.match(words.at(-2)!, /^jsr:@fw\/runtime@\^\d+\.\d+\.\d+.*\/cli$/);
  assert.match(Dockerfile, /\nUSER deno\n/);
  // the server downloads nothing: neither what handlers import, nor packages of package.json
  assert.match(Dockerfile, /\nRUN deno install && .* build --load\n/);
  assert.ok(words.includes("--cached-only"));
  assert.match(DOCKER_FILES[".dockerignore"], /^\.env$/m);
});

Deno.test("what starts servers bounds the young generation of V8; Deno takes the flag from its environment, too", () => {
  const [, flags] = /\nENV DENO_V8_FLAGS=(.*)\n/.exec(DOCKER_FILES.Dockerfile) ?? [];
  assert.equal(flags, V8_FLAGS);
  const configurations = [
    frameFiles("/projects/shop", "shop")["deno.json"],
    Deno.readTextFileSync(`${REPOSITORY}deno.json`),
  ];
  for (const text of configurations) {
    assert.match(JSON.parse(text).tasks.start, new RegExp(`--v8-flags=${flags} `));
  }
  const size = "(await import('node:v8')).getHeapStatistics().heap_size_limit";
  const limitWith = (env: Record<string, string>) => {
    const { stdout, stderr } = new Deno.Command(Deno.execPath(), {
      args: ["eval", `console.log(${size})`],
      env,
    })
      .outputSync();
    assert.equal(new TextDecoder().decode(stderr), "");
    return Number(new TextDecoder().decode(stdout));
  };
  assert.ok(limitWith({ DENO_V8_FLAGS: flags }) < limitWith({}));
});

Deno.test("the manifest probes the endpoints that there are, and sets keys that there are", () => {
  const [deployment, service] = KUBERNETES_FILES["deploy/kubernetes.yaml"].split("\n---\n").map((text) =>
    parseYaml(text, "kubernetes.yaml")
  ) as {
    readonly spec: {
      readonly template: { readonly spec: { readonly containers: readonly Container[] } };
      readonly selector: unknown;
      readonly ports: readonly { readonly targetPort: number }[];
    };
  }[];
  const [container] = deployment.spec.template.spec.containers;
  assert.equal(container.livenessProbe.httpGet.path, "/health");
  assert.equal(container.readinessProbe.httpGet.path, "/ready");
  assert.equal(container.securityContext.readOnlyRootFilesystem, true);
  assert.equal(service.spec.ports[0].targetPort, container.ports[0].containerPort);
  const variables = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
  return withProject({}, (folder) => {
    const { env } = readConfiguration(folder, { variables });
    assert.equal((env.server as { drainMs?: number }).drainMs, 5000);
  });
});

interface Container {
  readonly ports: readonly { readonly containerPort: number }[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly livenessProbe: { readonly httpGet: { readonly path: string } };
  readonly readinessProbe: { readonly httpGet: { readonly path: string } };
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
}

Deno.test("fw build --sbom lists the packages of the lock file with hashes (CycloneDX 1.6)", () => {
  const hex = "ab".repeat(64);
  const sha512 = `sha512-${btoa(String.fromCharCode(...new Uint8Array(64).fill(0xab)))}`;
  const lock = {
    version: "5",
    jsr: { "@std/yaml@1.0.5": { integrity: "cd".repeat(32) } },
    npm: {
      "pg@8.16.0": { integrity: sha512 },
      "q@1.5.1": { integrity: sha512 },
      "vite@5.0.0_sass@1.0.0": { integrity: sha512 },
      "vite@5.0.0": { integrity: sha512 },
    },
  };
  return withProject({ "deno.json": '{"name":"shop","version":"1.2.3"}' }, async (folder) => {
    const missing = await runCommand("build", folder, "--sbom");
    assert.equal(missing.code, 1);
    assert.match(missing.output, /deno\.lock: There is no deno\.lock/);
    await Deno.writeTextFile(`${folder}/deno.lock`, JSON.stringify(lock));
    const { code, output } = await runCommand("build", folder, "--sbom");
    assert.equal(code, 0, output);
    const bill = JSON.parse(await Deno.readTextFile(`${folder}/gen/sbom.json`));
    assert.deepEqual([bill.bomFormat, bill.specVersion, bill.metadata.component.name], [
      "CycloneDX",
      "1.6",
      "shop",
    ]);
    const component = (purl: string, named: object, hashes: readonly object[]) => ({
      ...{ type: "library", "bom-ref": purl, purl },
      ...{ ...named, hashes },
    });
    assert.deepEqual(bill.components, [
      component("pkg:jsr/%40std/yaml@1.0.5", { group: "@std", name: "yaml", version: "1.0.5" }, [
        { alg: "SHA-256", content: "cd".repeat(32) },
      ]),
      component("pkg:npm/pg@8.16.0", { name: "pg", version: "8.16.0" }, [{ alg: "SHA-512", content: hex }]),
      component("pkg:npm/q@1.5.1", { name: "q", version: "1.5.1" }, [{ alg: "SHA-512", content: hex }]),
      component("pkg:npm/vite@5.0.0", { name: "vite", version: "5.0.0" }, [{
        alg: "SHA-512",
        content: hex,
      }]),
    ]);
  });
});
