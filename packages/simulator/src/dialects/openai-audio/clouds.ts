// Where the clouds have these calls: Azure in two forms of path with its own header for the key, Groq below a prefix.

import type { VendorRequest } from '../../wire.ts';
import { decodeSegment } from '../judgement.ts';
import { checkVersion, withBearer } from '../openai-chat/azure.ts';
import { type ChatProfile, profileOf } from '../openai-chat/profiles.ts';
import { badRequest, type ChatRefusal } from '../openai-chat/refusal.ts';

const PATHS: Readonly<Record<string, RegExp>> = {
  openai: /^\/v1\/audio\/(?<call>[a-z]+)$/u,
  compatible: /^\/v1\/audio\/(?<call>[a-z]+)$/u,
  azure: /^\/openai\/(?:v1|deployments\/(?<deployment>[^/]+))\/audio\/(?<call>[a-z]+)$/u,
  groq: /^\/openai\/v1\/audio\/(?<call>[a-z]+)$/u,
};

export const SOUND_VENDORS: readonly string[] = Object.keys(PATHS);

export const soundPaths = (calls: string): readonly RegExp[] => [
  new RegExp(`^/(?:openai/)?(?:v1|deployments/[^/]+)/audio/(?:${calls})$`, 'u'),
];

const groq: ChatProfile = { ...profileOf('openai'), vendor: 'groq', answerHeaders: { 'x-groq-region': 'simulated' } };

export const soundProfileOf = (vendor: string): ChatProfile => (vendor === 'groq' ? groq : profileOf(vendor));

type Found = {
  readonly refusal?: ChatRefusal;
  readonly request: VendorRequest;
  /** Named by the path: it stands for the model. */
  readonly deployment?: string;
};

const NOWHERE: ChatRefusal = { ...badRequest('Resource not found', null, '404'), status: 404 };

/** The request as OpenAI would see it. */
export function findCall(request: VendorRequest): Found {
  const groups = PATHS[request.vendor]?.exec(request.path)?.groups;
  if (groups === undefined) return { request, refusal: NOWHERE };
  if (request.vendor !== 'azure') return { request };
  const { deployment } = groups;
  const refusal = checkVersion({ api: 'responses', needsVersion: deployment !== undefined }, request);
  return {
    request: { ...request, headers: withBearer(request.headers) },
    ...(refusal !== undefined && { refusal }),
    ...(deployment !== undefined && { deployment: decodeSegment(deployment) }),
  };
}
