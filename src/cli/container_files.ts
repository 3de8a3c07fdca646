/**
 * Files for containers: an image, and what runs it in Kubernetes.
 *
 * @module
 */

import { VERSION } from "../fw/version.ts";
import { type ProjectFiles, V8_FLAGS } from "./project_files.ts";

const CLI = `jsr:@fw/runtime@^${VERSION}/cli`;

/**
 * What a server needs of Deno: its port and other services, variables of the environment, the files of the project, and one
 * folder to write to. It starts no processes, loads no native code, and asks for nothing of the system.
 *
 * @param folder of the project
 * @param data folder of databases in files and of message boxes
 */
export function serverPermissions(folder: string, data: string): readonly string[] {
  return ["--no-prompt", "--allow-net", "--allow-env", `--allow-read=${folder}`, `--allow-write=${data}`];
}

const PERMISSIONS = serverPermissions("/app", "/app/data");

const DOCKERFILE = `FROM denoland/deno:2.9.6 AS build
WORKDIR /app
COPY . .
# all modules come into the image now, those that handlers import as well: its server needs no registry
RUN deno install && deno cache ${CLI} && deno run -A ${CLI} build --load

FROM denoland/deno:2.9.6
WORKDIR /app
COPY --from=build --chown=deno:deno /deno-dir /deno-dir
COPY --from=build /app /app
# the one folder that is written to: SQLite ("fw.requires.db.credentials.url": "data/db.sqlite") and message boxes
RUN mkdir -p data && chown deno:deno data
VOLUME /app/data
USER deno
ENV FW_ENV=production PORT=4004
# what is allocated between two collections; by default, V8 lets it grow to more than the rest of a server takes
ENV DENO_V8_FLAGS=${V8_FLAGS}
EXPOSE 4004
HEALTHCHECK CMD ["deno", "eval", "if (!(await fetch('http://localhost:' + Deno.env.get('PORT') + '/health')).ok) Deno.exit(1)"]
CMD [${["run", "--cached-only", ...PERMISSIONS, CLI, "serve"].map((word) => JSON.stringify(word)).join(", ")}]
`;

const IGNORED = `.git
node_modules
*.sqlite*
data
.env
.cdsrc-private.json
test
`;

/** The files of `fw add docker`. */
export const DOCKER_FILES: ProjectFiles = { Dockerfile: DOCKERFILE, ".dockerignore": IGNORED };

const MANIFEST = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: app
spec:
  replicas: 2
  selector:
    matchLabels: { app: app }
  template:
    metadata:
      labels: { app: app }
    spec:
      # longer than fw.server.drainMs and fw.server.shutdownMs together
      terminationGracePeriodSeconds: 30
      securityContext:
        runAsNonRoot: true
        runAsUser: 1993 # deno
        fsGroup: 1993
        seccompProfile: { type: RuntimeDefault }
      containers:
        - name: app
          image: app:latest
          ports:
            - containerPort: 4004
          env:
            # load balancers learn that it ends before it refuses connections
            - { name: FW_SERVER_DRAINMS, value: "5000" }
          envFrom:
            # FW_CONFIG={"requires":{"db":{"credentials":{...}}}}
            - secretRef: { name: app, optional: true }
          startupProbe:
            httpGet: { path: /health, port: 4004 }
            periodSeconds: 1
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /health, port: 4004 }
            periodSeconds: 10
            timeoutSeconds: 5
          readinessProbe:
            httpGet: { path: /ready, port: 4004 }
            periodSeconds: 5
            timeoutSeconds: 3
          resources:
            requests: { cpu: 100m, memory: 256Mi }
            limits: { memory: 512Mi }
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          volumeMounts:
            - { name: data, mountPath: /app/data }
            - { name: tmp, mountPath: /tmp }
      volumes:
        # a database in a file, or a message box, needs a volume that outlives the pod, and one replica
        - { name: data, emptyDir: {} }
        - { name: tmp, emptyDir: {} }
---
apiVersion: v1
kind: Service
metadata:
  name: app
spec:
  selector: { app: app }
  ports:
    - { port: 80, targetPort: 4004 }
`;

/** The files of `fw add kubernetes`. */
export const KUBERNETES_FILES: ProjectFiles = { "deploy/kubernetes.yaml": MANIFEST };
