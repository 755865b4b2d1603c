/** The OpenAPI documents: valid as such, true of the route table, and no stricter than the checks they are made from. */
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { AgentAction, RouteAction } from '../../packages/gateway/src/http/route-table.ts';
import { OPERATIONS } from '../../scripts/docs/data-plane/operations.ts';
import { attempt, dialectOf, isRefused, recordedHead } from '../../scripts/recorded/judge.ts';
import { bodyOf } from '../recorded/dress.ts';
import { shapesOf, TEXT_DIALECTS } from '../recorded/shape-set.ts';

type Document = { readonly components: { readonly schemas: Readonly<Record<string, object>> } };
const read = (name: string): Document =>
  JSON.parse(readFileSync(new URL(`../../docs/reference/${name}`, import.meta.url), 'utf8')) as Document;

test.each(['admin-api.json', 'data-plane-api.json'])('%s is a valid OpenAPI 3.1 document', async (name) => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate({ ...read(name) });
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  expect(validator.version).toBe('3.1');
});

test('every kind of call has a path in the document', () => {
  const kinds: Readonly<Record<Exclude<RouteAction['kind'], 'alive' | AgentAction['kind']>, true>> = {
    'text-call': true,
    'embed-call': true,
    'rerank-call': true,
    'moderation-call': true,
    'image-call': true,
    'sound-call': true,
    'count-tokens': true,
    compact: true,
    'video-call': true,
    'video-poll': true,
    videos: true,
    'list-models': true,
    'one-model': true,
    'own-report': true,
    'dry-run': true,
    'one-request': true,
    stored: true,
  };
  expect(new Set(OPERATIONS.map(({ kind }) => kind))).toEqual(new Set(Object.keys(kinds)));
});

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'data-plane', ...read('data-plane-api.json') });
const check = (schema: string) => {
  const validate = ajv.getSchema(`data-plane#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`no schema ${schema}`);
  return (body: unknown): readonly string[] => {
    validate(body);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
};

const BODIES: Readonly<Record<string, string>> = {
  'openai-chat': 'ChatCompletionRequest',
  'openai-responses': 'ResponsesRequest',
  'anthropic-messages': 'MessagesRequest',
  'google-generate': 'GenerateContentRequest',
};

/** Google's names with underscores mean the same; the document shows one spelling. */
const camelled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(camelled);
  if (typeof value !== 'object' || value === null) return value;
  const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [camel(name), camelled(member)]));
};

describe.each(TEXT_DIALECTS)('recorded requests of %s', (dialect) => {
  const fits = check(BODIES[dialect] ?? '');
  const taken = shapesOf('request', dialect).filter(
    (shape) =>
      !isRefused(
        attempt(() => {
          const body = dialectOf(dialect).server.understand(bodyOf(shape), recordedHead(shape.model ?? 'model'));
          body.call();
          return body;
        }),
      ),
  );

  test('fit the document where the gateway takes them', () => {
    expect(taken.length).toBeGreaterThan(10);
    const misfits = taken.flatMap((shape) =>
      fits(dialect === 'google-generate' ? camelled(bodyOf(shape)) : bodyOf(shape))
        .slice(0, 2)
        .map((error) => `${shape.id}: ${error}`),
    );
    expect(misfits).toEqual([]);
  });
});

test.each([
  ['ChatCompletionRequest', { model: 'm', messages: [] }],
  ['ChatCompletionRequest', { model: 'm', messages: [{ role: 'user' }] }],
  ['ChatCompletionRequest', { model: 'm', messages: [{ role: 'user', content: [{ type: 'text' }] }] }],
  ['ResponsesRequest', { model: 'm', input: [{ type: 'function_call' }] }],
  ['MessagesRequest', { model: 'm', messages: [{ role: 'user', content: 'x' }] }],
  ['MessagesRequest', { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: [{ type: 'text' }] }] }],
  ['GenerateContentRequest', { contents: [{ parts: [] }] }],
  ['EmbeddingsRequest', { model: 'm', input: { text: 'x' } }],
  ['ImagesRequest', { model: 'm', prompt: 'x', n: 0 }],
])('%s does not fit %j', (schema, body) => {
  expect(check(schema)(body)).not.toEqual([]);
});
