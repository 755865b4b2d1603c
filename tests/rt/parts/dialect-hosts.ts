/** Hosts of every dialect, all played by one simulator, and the models they serve. */
import { EVERY_ROAD } from '../../support/every-road.ts';
import type { Road } from '../../support/roads.ts';
import type { Question } from './ask.ts';
import type { SimulatorProcess } from './simulator-process.ts';

export const ROADS = EVERY_ROAD;

/** Path suffix of the simulator for a host of each dialect, and a model it has. */
const MANNERS = {
  'openai-chat': { vendor: 'compatible', base: '/v1', auth: 'bearer', model: 'any' },
  'anthropic-messages': { vendor: 'messages-compatible', base: '', auth: 'x-api-key', model: 'any' },
  'google-generate': { vendor: 'google', base: '/v1beta', auth: 'x-goog-api-key', model: 'gemini-2.5-flash' },
  'openai-responses': { vendor: 'openai', base: '/v1', auth: 'bearer', model: 'gpt-4o' },
} as const;
export type DialectName = keyof typeof MANNERS;
export const DIALECT_NAMES = Object.keys(MANNERS) as readonly DialectName[];

/** A host with its own name, and so its own failures, budgets and health. */
export type Host = { readonly name: string; readonly dialect: DialectName; readonly upstream: SimulatorProcess };

export const providerOf = ({ name, dialect, upstream }: Host): Record<string, unknown> => {
  const { vendor, base, auth } = MANNERS[dialect];
  const baseUrl = `${upstream.url}/${vendor}@${name}${base}`;
  return { [name]: { dialect, baseUrl, auth, credential: 'sk-upstream-rt' } };
};

/** A model at these hosts, tried in this order. */
export const modelAt = (id: string, hosts: readonly Host[], more: object = {}): object => ({
  id,
  endpoints: hosts.map(({ name, dialect }) => ({
    provider: name,
    dialect,
    upstreamModel: MANNERS[dialect].model,
    ...more,
  })),
});

export const questionOn = (road: Road, url: string, model: string, words: string, stream: boolean): Question => ({
  url,
  path: road.path(model, stream),
  body: road.body(model, [road.user(words)], { stream }),
  headers: road.headers,
  limitMs: 30_000,
});
