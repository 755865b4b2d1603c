/** Secrets of three clouds: each is one signed request. */
import type { RequestSigner, UpstreamRequest } from '../../kernel/upstream.ts';
import { hasLapsed } from '../../kernel/upstream.ts';
import { GOOGLE_CLOUD, type SigningScheme } from '../../models/providers/signers/schemes.ts';
import { type AskIssuer, type IssuerReply, unreadable } from '../signing/ask.ts';
import { membersIn } from '../signing/bearer-token.ts';
import { crc32c } from './crc32c.ts';

export type SignedAsk = (url: URL, body?: object) => Promise<IssuerReply>;

const AWS_HEADERS = {
  'content-type': 'application/x-amz-json-1.1',
  'x-amz-target': 'secretsmanager.GetSecretValue',
} as const;
export const AWS_SECRETS: SigningScheme = { kind: 'aws-sigv4', service: 'secretsmanager', headers: AWS_HEADERS };
export const AZURE_SECRETS: SigningScheme = { kind: 'azure-token', resource: 'https://vault.azure.net' };
export const GOOGLE_SECRETS = GOOGLE_CLOUD;
const AZURE_VERSION = '7.6';

/** A credential that was refused is renewed, once. */
export const signedAsk =
  (ask: AskIssuer, signer: RequestSigner, isAws: boolean): SignedAsk =>
  async (url, body) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const fixed = isAws ? AWS_HEADERS : {};
    const request: UpstreamRequest = { origin: url.origin, path: url.pathname + url.search, headers: [], body: text };
    const once = async (): Promise<{ readonly reply: IssuerReply; readonly lapsed: boolean }> => {
      const signed = await signer.sign(request);
      const headers = { ...fixed, ...pairsOf(signed) };
      const reply = await ask({ url, method: body === undefined ? 'GET' : 'POST', headers, body: text });
      return { reply, lapsed: hasLapsed(reply.status, signer, signed) };
    };
    const first = await once();
    return first.lapsed ? (await once()).reply : first.reply;
  };

const pairsOf = (list: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? '']] : [])));

/** `AWSPREVIOUS`: the value before the last rotation. */
export async function awsSecret(
  ask: SignedAsk,
  address: string,
  name: string,
  stage: 'AWSCURRENT' | 'AWSPREVIOUS',
): Promise<string> {
  const question = { SecretId: name, ...(stage === 'AWSPREVIOUS' && { VersionStage: stage }) };
  const { SecretString: text } = membersIn(await ask(new URL('/', address), question));
  if (typeof text !== 'string') throw unreadable('no text');
  return text;
}

export async function googleSecret(ask: SignedAsk, address: string, project: string, name: string): Promise<string> {
  const url = new URL(`/v1/projects/${project}/secrets/${name}/versions/latest:access`, address);
  const { payload } = membersIn(await ask(url)) as { payload?: { data?: unknown; dataCrc32c?: unknown } };
  if (typeof payload?.data !== 'string') throw unreadable('no payload');
  const bytes = Buffer.from(payload.data, 'base64');
  if (String(payload.dataCrc32c) !== String(crc32c(bytes))) throw unreadable('a wrong checksum');
  return bytes.toString('utf8');
}

export async function azureSecret(ask: SignedAsk, address: string, name: string): Promise<string> {
  const url = new URL(`/secrets/${name}?api-version=${AZURE_VERSION}`, address);
  const { value, attributes } = membersIn(await ask(url)) as { value?: unknown; attributes?: { enabled?: unknown } };
  if (typeof value !== 'string' || attributes?.enabled === false) throw unreadable('no value');
  return value;
}
