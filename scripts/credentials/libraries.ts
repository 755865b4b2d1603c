/** The clouds' own libraries, as judges: each gets a credential where ours does, from the same environment. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  AZURE_AI,
  GOOGLE_CLOUD,
  type SigningScheme,
} from '../../packages/gateway/src/models/providers/signers/schemes.ts';

export const BEDROCK: SigningScheme = { kind: 'aws-sigv4', service: 'bedrock' };

/** `origin`: of the recording server. `file`: of workload identity federation. */
export type Place = { readonly origin: string; readonly token: string; readonly account: (tokenUrl: string) => string };
export type Judge = {
  readonly credential: string;
  readonly scheme: SigningScheme;
  readonly env: (place: Place) => Readonly<Record<string, string>>;
  /** A function that gives a valid credential, and asks for another as the library does. */
  readonly library: (place: Place) => () => Promise<unknown>;
  /** In ms before the end, or as a share of the life, when a credential is renewed. */
  readonly renewsAtMs: (lifetimeMs: number) => number;
  readonly lifetimeS?: number;
};

type Provider = () => Promise<{ readonly expiration?: Date }>;
/** What is used of the libraries, which are installed elsewhere. */
type Aws = Readonly<Record<'fromTokenFile' | 'fromHttp' | 'fromInstanceMetadata', (options: object) => Provider>>;
type Memoize = (provider: Provider, isExpired: (identity: object) => boolean, needs: () => boolean) => Provider;
type Smithy = {
  readonly memoizeIdentityProvider: Memoize;
  readonly createIsIdentityExpiredFunction: (ms: number) => (identity: object) => boolean;
};
type GoogleClient = { getAccessToken(): Promise<unknown> };
type Google = {
  readonly Compute: new (options: object) => GoogleClient;
  readonly ExternalAccountClient: { fromJSON(account: object): GoogleClient };
};
type HttpRequest = { url: string };
type AzureCredential = { getToken(scope: string): Promise<unknown> };
type Azure = {
  readonly ManagedIdentityCredential: new (options: object) => AzureCredential;
  readonly WorkloadIdentityCredential: new (options: object) => AzureCredential;
};

const AWS_EARLY_MS = 300_000;
const AZURE_SCOPE = 'https://cognitiveservices.azure.com/.default';
const DAY_S = 86_400;
const early = (lifetimeMs: number): number => lifetimeMs - AWS_EARLY_MS;
const half = (lifetimeMs: number): number => lifetimeMs / 2;

export function judges(folder: string): readonly Judge[] {
  const require = createRequire(join(folder, 'package.json'));
  const aws = require('@aws-sdk/credential-providers') as Aws;
  const smithy = createRequire(require.resolve('@aws-sdk/credential-providers'))('@smithy/core') as Smithy;
  const google = require('google-auth-library') as Google;
  const azure = require('@azure/identity') as Azure;
  const { createDefaultHttpClient } = createRequire(require.resolve('@azure/identity'))(
    '@azure/core-rest-pipeline',
  ) as { createDefaultHttpClient(): { sendRequest(request: HttpRequest): Promise<unknown> } };

  /** As the clients of the SDK keep what a provider gives. */
  const kept = (provider: Provider): Provider =>
    smithy.memoizeIdentityProvider(provider, smithy.createIsIdentityExpiredFunction(AWS_EARLY_MS), () => true);
  /** The library insists on https. */
  const toRecorder = (origin: string) => {
    const client = createDefaultHttpClient();
    return {
      sendRequest: (request: HttpRequest) => {
        request.url = request.url.replace('https://login.microsoftonline.com', origin);
        Object.assign(request, { allowInsecureConnection: true });
        return client.sendRequest(request);
      },
    };
  };
  const token = (credential: AzureCredential) => () => credential.getToken(AZURE_SCOPE);
  const role = {
    AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/gateway',
    AWS_REGION: 'eu-west-1',
    AWS_ROLE_SESSION_NAME: 'gateway',
  };
  const tenant = { AZURE_TENANT_ID: 'tenant-1', AZURE_CLIENT_ID: 'client-1' };

  return [
    {
      credential: 'aws:web-identity',
      scheme: BEDROCK,
      env: ({ origin, token: file }) => ({ ...role, AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ENDPOINT_URL_STS: origin }),
      library: ({ origin }) => kept(aws.fromTokenFile({ clientConfig: { endpoint: origin, region: role.AWS_REGION } })),
      renewsAtMs: early,
    },
    {
      credential: 'aws:container',
      scheme: BEDROCK,
      env: ({ origin, token: file }) => ({
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin}/agent/keys`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file,
      }),
      library: () => kept(aws.fromHttp({})),
      renewsAtMs: early,
    },
    {
      credential: 'aws:imds',
      scheme: BEDROCK,
      env: ({ origin }) => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: origin }),
      library: () => kept(aws.fromInstanceMetadata({})),
      renewsAtMs: early,
    },
    {
      credential: 'gcp:metadata',
      scheme: GOOGLE_CLOUD,
      env: ({ origin }) => ({ GCE_METADATA_HOST: new URL(origin).host }),
      library: () => {
        const client = new google.Compute({ scopes: scopesOf(GOOGLE_CLOUD) });
        return () => client.getAccessToken();
      },
      renewsAtMs: early,
    },
    {
      credential: 'gcp:file',
      scheme: GOOGLE_CLOUD,
      env: () => ({}),
      library: ({ origin, account }) => {
        const client = google.ExternalAccountClient.fromJSON({
          ...(JSON.parse(account(`${origin}/v1/token`)) as object),
          scopes: scopesOf(GOOGLE_CLOUD),
        });
        return () => client.getAccessToken();
      },
      renewsAtMs: early,
    },
    {
      credential: 'azure:managed',
      scheme: AZURE_AI,
      env: ({ origin }) => ({ AZURE_POD_IDENTITY_AUTHORITY_HOST: origin, AZURE_CLIENT_ID: tenant.AZURE_CLIENT_ID }),
      library: () => token(new azure.ManagedIdentityCredential({ clientId: tenant.AZURE_CLIENT_ID })),
      renewsAtMs: half,
      lifetimeS: DAY_S,
    },
    {
      credential: 'azure:workload',
      scheme: AZURE_AI,
      env: ({ token: file }) => ({ ...tenant, AZURE_FEDERATED_TOKEN_FILE: file }),
      library: ({ origin, token: file }) =>
        token(
          new azure.WorkloadIdentityCredential({
            tenantId: tenant.AZURE_TENANT_ID,
            clientId: tenant.AZURE_CLIENT_ID,
            tokenFilePath: file,
            disableInstanceDiscovery: true,
            httpClient: toRecorder(origin),
          }),
        ),
      renewsAtMs: half,
      lifetimeS: DAY_S,
    },
  ];
}

const scopesOf = (scheme: SigningScheme): readonly string[] => (scheme.kind === 'google-oauth' ? [scheme.scope] : []);
