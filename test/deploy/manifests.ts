import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { projectFolder } from '../support/program.ts';

/** A port of a container or of a Service. */
interface Port {
  readonly name: string;
  readonly containerPort: number;
  readonly targetPort: string;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

/** What the tests read of the container; `kubernetes.test.ts` checks all fields. */
interface Container {
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly valueFrom: object }[];
  readonly ports: readonly Port[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly securityContext: object;
  readonly resources: Readonly<Record<'requests' | 'limits', { readonly memory: string }>>;
}

/** An object of the Kubernetes API. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: tests read objects of any kind
  readonly spec: any;
}

export const manifestFolder = join(projectFolder, 'deploy/kubernetes');

/** Reads a file of the project. */
export function read(path: string): string {
  return readFileSync(join(projectFolder, path), 'utf8');
}

export const kustomization: {
  readonly resources: readonly string[];
  readonly images: readonly { readonly name: string; readonly newTag: string }[];
} = parse(read('deploy/kubernetes/kustomization.yaml'));

/** Files with objects of Kubernetes. */
export const manifestFiles = readdirSync(manifestFolder).filter(
  (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
);

/** Reads the objects of a YAML text. */
export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    for (const error of document.errors) throw error;
    return document.toJS();
  });
}

export const manifests = manifestFiles.flatMap((name) =>
  readManifests(read(`deploy/kubernetes/${name}`)),
);

/** The only object of a kind. */
export function manifestOf(kind: string): Manifest {
  const [found, ...others] = manifests.filter((manifest) => manifest.kind === kind);
  if (found === undefined || others.length > 0) throw new Error(`There must be one ${kind}.`);
  return found;
}

export const pod = manifestOf('Deployment').spec.template;
export const container: Container = pod.spec.containers[0];
