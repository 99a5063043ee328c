import { execFileSync, spawnSync } from 'node:child_process';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { declared, defaultOf, drainMs } from './declared-settings.ts';
import {
  container,
  kustomization,
  type Manifest,
  manifestFiles,
  manifestFolder,
  manifestOf,
  manifests,
  pod,
  read,
  readManifests,
} from './manifests.ts';
import { typeErrors } from './type-errors.ts';

const settings = parseEnv(read('deploy/kubernetes/settings.env'));
const { version } = JSON.parse(read('package.json'));
const kubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
if (!kubectl) console.warn('Skipped: the output of kustomize, because kubectl is missing.');

test('every manifest has the fields and types of the Kubernetes API', async () => {
  expect(await typeErrors(manifests)).toEqual(manifests.map(() => []));
});

test('a wrong field, a wrong type and a missing field of a manifest are found', async () => {
  const deployment = manifestOf('Deployment');
  const change = (changes: object): Manifest => ({
    ...deployment,
    spec: { ...deployment.spec, ...changes },
  });
  const found = await typeErrors([
    change({ replica: 2 }),
    change({ replicas: '2' }),
    change({ selector: undefined }),
    change({ template: { ...pod, spec: { ...pod.spec, container: [] } } }),
    deployment,
  ]);
  expect(found.map((errors) => errors.length)).toEqual([1, 1, 1, 1, 0]);
});

test('kustomize has every file, and the version of the package', () => {
  expect([...kustomization.resources].sort()).toEqual(manifestFiles.sort());
  expect(kustomization.images).toMatchObject([{ name: container.image, newTag: version }]);
});

test.skipIf(!kubectl)('what kustomize makes of them has these fields and types, too', async () => {
  const rendered = readManifests(
    execFileSync('kubectl', ['kustomize', manifestFolder], { encoding: 'utf8' }),
  );
  expect(rendered.map(({ kind }) => kind).sort()).toEqual(
    [...manifests.map(({ kind }) => kind), 'ConfigMap'].sort(),
  );
  expect(await typeErrors(rendered)).toEqual(rendered.map(() => []));
});

test('the gateway accepts the settings, and each is declared', () => {
  const fromSecret = container.env
    .map(({ name }) => name)
    // OpenTelemetry reads it.
    .filter((name) => name !== 'OTEL_EXPORTER_OTLP_HEADERS');
  const names = [...Object.keys(settings), ...fromSecret];
  expect(names.filter((name) => !declared.has(name))).toEqual([]);
  expect(Object.keys(settings).filter((name) => declared.get(name)?.secret)).toEqual([]);
  expect(fromSecret.filter((name) => !declared.get(name)?.secret)).toEqual([]);
  expect(readGatewaySettings({ ...settings, DATABASE_URL: 'postgresql://db/tillgraph' })).toEqual(
    expect.objectContaining({ services: expect.anything() }),
  );
});

test('a pod does not start without DATABASE_URL', () => {
  const [store] = container.env.filter(({ name }) => name === 'DATABASE_URL');
  expect(store?.valueFrom).toEqual({ secretKeyRef: { name: 'tillgraph', key: 'DATABASE_URL' } });
});

test('every port is one that the gateway opens', () => {
  const ports = Object.fromEntries(
    container.ports.map(({ name, containerPort }) => [name, containerPort]),
  );
  const operations = Number(settings.OPERATIONS_PORT);
  expect(ports).toEqual({ http: defaultOf('PORT'), operations });
  expect(pod.metadata.annotations['prometheus.io/port']).toBe(String(operations));
  const policies = manifestOf('NetworkPolicy').spec.ingress.flatMap(
    ({ ports }: { ports: { port: string }[] }) => ports.map(({ port }) => port),
  );
  const targets = manifestOf('Service').spec.ports.map(
    ({ targetPort }: { targetPort: string }) => targetPort,
  );
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const probed = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.port);
  for (const name of [...policies, ...targets, ...probed]) expect(ports).toHaveProperty(name);
});

test('every selector finds the pods', () => {
  const { labels } = pod.metadata;
  const { topologySpreadConstraints: spread } = pod.spec;
  expect(spread).toHaveLength(2);
  const selectors = [
    manifestOf('Deployment').spec.selector.matchLabels,
    manifestOf('PodDisruptionBudget').spec.selector.matchLabels,
    manifestOf('NetworkPolicy').spec.podSelector.matchLabels,
    manifestOf('Service').spec.selector,
    ...spread.map(
      ({ labelSelector }: { labelSelector: { matchLabels: object } }) => labelSelector.matchLabels,
    ),
  ];
  expect(selectors).toEqual(selectors.map(() => labels));
});

test('a pod has the time to stop, and gets no request after it stops accepting them', () => {
  expect(pod.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(drainMs);
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  expect(periodSeconds * failureThreshold * 1_000).toBeLessThan(defaultOf('DRAIN_DELAY_MS'));
});

test('the disruption budget leaves a pod', () => {
  const { maxUnavailable } = manifestOf('PodDisruptionBudget').spec;
  expect(manifestOf('Deployment').spec.replicas).toBeGreaterThan(maxUnavailable);
});

test('a pod has no rights that it does not need', () => {
  expect(pod.spec).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
});

test('docs/install.md names the memory of a pod', () => {
  const { requests, limits } = container.resources;
  const [, sizing = ''] = read('docs/install.md').split('\n## Sizing\n');
  expect(sizing).toContain(requests.memory.replace('Mi', ' MiB'));
  expect(sizing).toContain(limits.memory.replace('Mi', ' MiB'));
});
