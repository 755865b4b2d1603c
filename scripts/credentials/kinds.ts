/** The identities that are judged, and where each finds the recording server. */
import {
  AZURE_AI,
  GOOGLE_CLOUD,
  type SigningScheme,
} from '../../packages/gateway/src/models/providers/signers/schemes.ts';

const BEDROCK: SigningScheme = { kind: 'aws-sigv4', service: 'bedrock' };

/** `origin`: of the recording server. `token`: a file. `account`: of workload identity federation. */
export type Place = { readonly origin: string; readonly token: string; readonly account: (tokenUrl: string) => string };
export type Kind = {
  readonly credential: string;
  readonly scheme: SigningScheme;
  readonly env: (place: Place) => Readonly<Record<string, string>>;
  /** After the start of its life. */
  readonly renewsAtMs: (lifetimeMs: number) => number;
  readonly lifetimeS?: number;
};

const EARLY_MS = 300_000;
const DAY_S = 86_400;
const early = (lifetimeMs: number): number => lifetimeMs - EARLY_MS;
const half = (lifetimeMs: number): number => lifetimeMs / 2;

export const ROLE = {
  AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/gateway',
  AWS_REGION: 'eu-west-1',
  AWS_ROLE_SESSION_NAME: 'gateway',
};
export const TENANT = { AZURE_TENANT_ID: 'tenant-1', AZURE_CLIENT_ID: 'client-1' };

export const KINDS: readonly Kind[] = [
  {
    credential: 'aws:web-identity',
    scheme: BEDROCK,
    env: ({ origin, token: file }) => ({ ...ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ENDPOINT_URL_STS: origin }),
    renewsAtMs: early,
  },
  {
    credential: 'aws:container',
    scheme: BEDROCK,
    env: ({ origin, token: file }) => ({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin}/agent/keys`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file,
    }),
    renewsAtMs: early,
  },
  {
    credential: 'aws:imds',
    scheme: BEDROCK,
    env: ({ origin }) => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: origin }),
    renewsAtMs: early,
  },
  {
    credential: 'gcp:metadata',
    scheme: GOOGLE_CLOUD,
    env: ({ origin }) => ({ GCE_METADATA_HOST: new URL(origin).host }),
    renewsAtMs: early,
  },
  { credential: 'gcp:file', scheme: GOOGLE_CLOUD, env: () => ({}), renewsAtMs: early },
  {
    credential: 'azure:managed',
    scheme: AZURE_AI,
    env: ({ origin }) => ({ AZURE_POD_IDENTITY_AUTHORITY_HOST: origin, AZURE_CLIENT_ID: TENANT.AZURE_CLIENT_ID }),
    renewsAtMs: half,
    lifetimeS: DAY_S,
  },
  {
    credential: 'azure:workload',
    scheme: AZURE_AI,
    env: ({ token: file }) => ({ ...TENANT, AZURE_FEDERATED_TOKEN_FILE: file }),
    renewsAtMs: half,
    lifetimeS: DAY_S,
  },
];
