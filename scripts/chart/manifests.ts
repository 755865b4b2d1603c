/** What every pod of the chart must be, read from the rendered manifests. */
import { parseAllDocuments } from 'yaml';

export type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, never>>;
  readonly data: Readonly<Record<string, string>>;
};
type PodSpec = Readonly<Record<string, unknown>> & {
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly Container[];
  readonly terminationGracePeriodSeconds?: number;
};
type Container = {
  readonly args: readonly string[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly envFrom?: readonly { readonly secretRef: { readonly name: string } }[];
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
};

export const manifestsOf = (rendered: string): readonly Manifest[] =>
  parseAllDocuments(rendered)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);

export const podOf = (manifest: Manifest): PodSpec | undefined =>
  (manifest.spec as { template?: { spec: PodSpec } } | undefined)?.template?.spec;

/** Empty when a pod has all that the strict profile of the pod security standards asks for, and more. */
export function laxSettings(pod: PodSpec): readonly string[] {
  const container = pod.containers[0]?.securityContext ?? {};
  const wanted: readonly (readonly [string, unknown, unknown])[] = [
    ['runAsNonRoot', pod.securityContext['runAsNonRoot'], true],
    ['runAsUser', pod.securityContext['runAsUser'], 65532],
    ['seccompProfile', pod.securityContext['seccompProfile'], { type: 'RuntimeDefault' }],
    ['automountServiceAccountToken', pod['automountServiceAccountToken'], false],
    ['enableServiceLinks', pod['enableServiceLinks'], false],
    ['allowPrivilegeEscalation', container['allowPrivilegeEscalation'], false],
    ['readOnlyRootFilesystem', container['readOnlyRootFilesystem'], true],
    ['capabilities', container['capabilities'], { drop: ['ALL'] }],
  ];
  return wanted.filter(([, is, must]) => JSON.stringify(is) !== JSON.stringify(must)).map(([name]) => name);
}
