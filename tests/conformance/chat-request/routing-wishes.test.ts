/** Routing preferences: their form, and that no upstream ever sees them. Their effect is tested in ../routing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, COMPATIBLE, COMPATIBLE_THINKER, lossless, OPENAI, refused, user } from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const ACCEPTED: readonly (readonly [id: string, form: string, members: Record<string, unknown>])[] = [
  ...['priority', 'round_robin', 'least_latency'].map((type) => ['C-35', type, { provider: { type } }] as const),
  ['C-35', 'null', { provider: { type: null } }],
  ...['cost', 'speed', 'quality'].map(
    (primary_factor) => ['C-36', primary_factor, { provider: { primary_factor } }] as const,
  ),
  ['C-37', 'a list of names', { provider: { providers: ['openai'] } }],
  ...['true', 'false', 'openai', true, false].map(
    (fallback) => ['C-38', JSON.stringify(fallback), { provider: { fallback } }] as const,
  ),
  ['C-39', 'models and a preference', { model_routing_config: { available_models: [OPENAI], preference: OPENAI } }],
  ...['chat', 'completion', 'embedding'].map(
    (task_type) => ['C-40', task_type, { model_routing_config: { task_info: { task_type } } }] as const,
  ),
  ...['low', 'medium', 'high'].map(
    (complexity) => ['C-40', complexity, { model_routing_config: { task_info: { complexity } } }] as const,
  ),
  ['C-40', 'further properties', { model_routing_config: { task_info: { additional_properties: { a: 1 } } } }],
  ['C-41', 'an empty object', { model_routing_config: { additional_properties: {} } }],
  ['C-41', 'any object', { model_routing_config: { additional_properties: { a: { b: [] } } } }],
];

const REFUSED: readonly (readonly [id: string, param: string, value: unknown])[] = [
  ...['x', 5, [], true].map((value) => ['C-35', 'provider', value] as const),
  ...['x', '', 5, []].map((value) => ['C-35', 'provider.type', value] as const),
  ...['x', 'price', 5].map((value) => ['C-36', 'provider.primary_factor', value] as const),
  ...['a', 5, {}].map((value) => ['C-37', 'provider.providers', value] as const),
  ['C-37', 'provider.providers[1]', ['openai', 5]],
  ...[5, [], {}].map((value) => ['C-38', 'provider.fallback', value] as const),
  ...['x', 5, []].map((value) => ['C-39', 'model_routing_config', value] as const),
  ...['x', {}].map((value) => ['C-39', 'model_routing_config.available_models', value] as const),
  ...[5, []].map((value) => ['C-39', 'model_routing_config.preference', value] as const),
  ...['x', []].map((value) => ['C-40', 'model_routing_config.task_info', value] as const),
  ...['image', 5].map((value) => ['C-40', 'model_routing_config.task_info.task_type', value] as const),
  ...['extreme', 5].map((value) => ['C-40', 'model_routing_config.task_info.complexity', value] as const),
  ...['x', []].map((value) => ['C-40', 'model_routing_config.task_info.additional_properties', value] as const),
  ...['x', [], 5].map((value) => ['C-41', 'model_routing_config.additional_properties', value] as const),
];

/** {a: {b: value}} from 'a.b'; list positions are part of the value. */
const nest = (path: string, value: unknown): Record<string, unknown> => {
  const [first = '', ...rest] = path.replace(/\[\d+\]$/, '').split('.');
  return { [first]: rest.length === 0 ? value : nest(rest.join('.'), value) };
};

/** These rules are only about the form; what the other rules promise beyond it is tested in ../routing. */
const isWhole = ([id]: readonly [id: string, ...rest: unknown[]]): boolean => id === 'C-40' || id === 'C-41';
const isPart = (row: readonly [id: string, ...rest: unknown[]]): boolean => !isWhole(row);

const accepts = async (members: Record<string, unknown>): Promise<void> => {
  const { sent } = await lossless(stand, ask(members));
  expect(sent).toEqual({ model: 'gpt-4o', messages: [user('Hello')] });
};
test.each(ACCEPTED.filter(isWhole))('[%s] %s is accepted', (_id, _form, members) => accepts(members));
test.each(ACCEPTED.filter(isPart))('[%s] shape: %s is accepted', (_id, _form, members) => accepts(members));

const refuses = (param: string, value: unknown): Promise<void> => refused(stand, ask(nest(param, value)), param);
test.each(REFUSED.filter(isWhole))('[%s] %s %j is refused', (_id, param, value) => refuses(param, value));
test.each(REFUSED.filter(isPart))('[%s] shape: %s %j is refused', (_id, param, value) => refuses(param, value));

describe('routing objects', () => {
  const responseOptions = {
    provider: { type: 'priority', fallback: 'true' },
    model_routing_config: { available_models: [OPENAI, COMPATIBLE, COMPATIBLE_THINKER] },
    usage: { include: true },
    reasoning: { exclude: true },
  };

  test.each([
    ['on the verbatim lane', ask(responseOptions)],
    ['to a host that ignores what it does not know', ask({ model: COMPATIBLE, ...responseOptions })],
    ['with thinking asked for', ask({ model: COMPATIBLE_THINKER, ...responseOptions, reasoning: { effort: 'high' } })],
    [
      'in a rebuilt request',
      ask({ model: COMPATIBLE, ...responseOptions, messages: [{ role: 'developer', content: 'x' }, user('x')] }),
    ],
    ['in a stream', ask({ ...responseOptions, stream: true })],
    ['as null', ask({ provider: null, model_routing_config: null, usage: null, reasoning: null })],
  ])('[C-42] routing objects are consumed by the gateway, %s', async (_case, body) => {
    const { sent } = await lossless(stand, body);
    for (const field of Object.keys(responseOptions)) expect(sent).not.toHaveProperty(field);
  });
});
