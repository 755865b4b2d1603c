// Credentials with several parts, parsed from one text. Error messages never repeat their content.

import { readIdentity } from './identities.ts';
import { isStoreReference } from './store-references.ts';

export type ServiceAccount = {
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly privateKeyId: string | undefined;
  readonly tokenUrl: URL;
  readonly projectId: string | undefined;
};

export type AwsKeys = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
};

export type AwsCredential =
  | { readonly kind: 'bearer'; readonly token: string }
  | ({ readonly kind: 'access-key' } & AwsKeys);

export type Read<T> = { readonly value: T } | { readonly problem: string };

const textIn = (data: object, name: string): string | undefined => {
  const value: unknown = Object.hasOwn(data, name) ? Reflect.get(data, name) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const parseObject = (text: string): object | undefined => {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The JSON file of a service account, as the cloud console exports it. */
export const readServiceAccount = (text: string): Read<ServiceAccount> => {
  const data = parseObject(text);
  if (data === undefined) return { problem: 'must be the JSON file of a service account, best as file:/path' };
  const clientEmail = textIn(data, 'client_email');
  const privateKey = textIn(data, 'private_key');
  if (clientEmail === undefined || privateKey === undefined)
    return { problem: 'is no service account: it lacks client_email or private_key' };
  if (!privateKey.includes('-----BEGIN PRIVATE KEY-----')) return { problem: 'holds no private key in PKCS #8 form' };
  const tokenUrl = URL.parse(textIn(data, 'token_uri') ?? 'https://oauth2.googleapis.com/token');
  if (tokenUrl === null || !(tokenUrl.protocol === 'https:' || LOOPBACK.has(tokenUrl.hostname)))
    return { problem: 'has a token_uri that is not https' };
  const privateKeyId = textIn(data, 'private_key_id');
  return { value: { clientEmail, privateKey, privateKeyId, tokenUrl, projectId: textIn(data, 'project_id') } };
};

const ACCESS_KEY_ID = /^[A-Z0-9]{16,128}$/;
const SECRET = /^[A-Za-z0-9/+=]{16,}$/;

/**
 * `ACCESS_KEY_ID:SECRET_ACCESS_KEY`, optionally a session token after another colon, or a service-specific key without
 * a colon.
 */
export const readAwsCredential = (text: string): Read<AwsCredential> => {
  const [accessKeyId = '', secretAccessKey, sessionToken, ...more] = text.split(':');
  if (secretAccessKey === undefined) return { value: { kind: 'bearer', token: text } };
  const isForm = ACCESS_KEY_ID.test(accessKeyId) && SECRET.test(secretAccessKey) && more.length === 0;
  if (!isForm || (sessionToken !== undefined && !SECRET.test(sessionToken)))
    return { problem: 'must be ACCESS_KEY_ID:SECRET_ACCESS_KEY, with :SESSION_TOKEN if there is one' };
  return { value: { kind: 'access-key', accessKeyId, secretAccessKey, sessionToken } };
};

export type KeyPair = { readonly accessKey: string; readonly secretKey: string };

const KEY_PAIR = /^([\x21-\x39\x3b-\x7e]{4,256}):([\x21-\x39\x3b-\x7e]{8,256})$/;

/** `ACCESS_KEY:SECRET_KEY`. */
export const readKeyPair = (text: string): Read<KeyPair> => {
  const [, accessKey, secretKey] = KEY_PAIR.exec(text) ?? [];
  if (accessKey === undefined || secretKey === undefined) return { problem: 'must be ACCESS_KEY:SECRET_KEY' };
  return { value: { accessKey, secretKey } };
};

/** A credential and the secrets inside it, since each of them must be redacted. An identity is none, nor a reference. */
export const secretsIn = (credential: string): readonly string[] => {
  if (readIdentity(credential) !== undefined || isStoreReference(credential)) return [];
  const account = readServiceAccount(credential);
  if ('value' in account) return [credential, account.value.privateKey];
  const aws = readAwsCredential(credential);
  const pair = readKeyPair(credential);
  if ('problem' in aws) return 'value' in pair ? [credential, pair.value.secretKey] : [credential];
  if (aws.value.kind === 'bearer') return [credential];
  return [
    credential,
    aws.value.secretAccessKey,
    ...(aws.value.sessionToken === undefined ? [] : [aws.value.sessionToken]),
  ];
};
