import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { checkEmbed } from './check.ts';

const check = (form: string, body: JsonObject) => checkEmbed(body, { model: 'owner/m', form, header: () => undefined });
const content = (...texts: string[]): JsonObject => ({ parts: texts.map((text) => ({ text })) });
const many = <T>(length: number, one: T): T[] => Array.from({ length }, () => one);

describe('the error names the field and the problem', () => {
  test.each<[string, string, JsonObject]>([
    ['embedContent', "'content' is required", {}],
    ['embedContent', "'content' is required", { content: null }],
    ['embedContent', "'content' must be an object", { content: 'a' }],
    ['embedContent', "'content.parts' is required", { content: {} }],
    ['embedContent', "'content.parts' must be a list", { content: { parts: 'a' } }],
    ['embedContent', "'content.parts' must not be empty", { content: { parts: [] } }],
    ['embedContent', "'content.parts[0]' must be an object", { content: { parts: ['a'] } }],
    ['embedContent', "'content.parts[0]' holds no text", { content: { parts: [{ inlineData: {} }] } }],
    ['embedContent', "'content.parts[0].text' is required", { content: { parts: [{ text: null }] } }],
    ['embedContent', "'content.parts[0].text' must be a text", { content: { parts: [{ text: 5 }] } }],
    ['embedContent', "'content.parts[1].text' must not be empty", { content: content('a', '') }],
    ['embedContent', "'model' is not the model the path names", { content: content('a'), model: 5 }],
    ['embedContent', "'embedContentConfig' must be an object", { content: content('a'), embedContentConfig: 'x' }],
    ...[0, 1.5, '4'].map((outputDimensionality): [string, string, JsonObject] => [
      'embedContent',
      "'outputDimensionality' must be a whole number above 0",
      { content: content('a'), outputDimensionality },
    ]),
    ['embedContent', "'autoTruncate' must be true or false", { content: content('a'), autoTruncate: 'yes' }],
    ['embedContent', "'title' must be a text", { content: content('a'), title: 5 }],
    ['embedContent', "'taskType' is not a task", { content: content('a'), taskType: 5 }],
    ['batchEmbedContents', "'requests' is required", {}],
    ['batchEmbedContents', "'requests' holds more than 2048 inputs", { requests: many(2049, {}) }],
    ['batchEmbedContents', "'requests[0].title' must be a text", { requests: [{ content: content('a'), title: 5 }] }],
    [
      'batchEmbedContents',
      "'requests[1].outputDimensionality' differs",
      { requests: [4, 5].map((outputDimensionality) => ({ content: content('a'), outputDimensionality })) },
    ],
    [
      'batchEmbedContents',
      "'requests[1].autoTruncate' differs",
      { requests: [true, false].map((autoTruncate) => ({ content: content('a'), autoTruncate })) },
    ],
    ['predict', "'instances[1].content' is required", { instances: [{ content: 'a' }, {}] }],
    ['predict', "'instances[0].content' must be a text", { instances: [{ content: 5 }] }],
    ['predict', "'parameters' must be an object", { instances: [{ content: 'a' }], parameters: 'x' }],
    ['predict', "'instances' holds more than 2048 inputs", { instances: many(2049, { content: 'a' }) }],
  ])('%s: %s', (form, problem, body) => {
    expect(() => check(form, body)).toThrow(problem);
  });
});

test('as many inputs as allowed, names in snake_case, and settings that are null', () => {
  expect(check('predict', { instances: many(2048, { content: 'a' }) }).inputs).toHaveLength(2048);
  const body = { content: content('a'), auto_truncate: false, title: null, taskType: 'TASK_TYPE_UNSPECIFIED' };
  expect(check('embedContent', { ...body, model: 'models/owner/m', outputDimensionality: null })).toEqual({
    form: 'embedContent',
    model: 'owner/m',
    inputs: [{ kind: 'text', texts: ['a'] }],
    truncate: false,
    extras: {},
  });
});

describe('members that a form does not have are kept as extras, and only those', () => {
  const input = { taskType: 'CLUSTERING', title: 't' };
  const whole = { outputDimensionality: 4, autoTruncate: true };
  const request = { ...input, ...whole, model: 'models/owner/m', content: content('a') };

  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['embedContent', request, { embedContentConfig: { ...input, ...whole, inConfig: 1 } }, ['inConfig']],
    [
      'batchEmbedContents',
      { model: 'models/owner/m', requests: [request] },
      { requests: [{ ...request, inRequest: 1 }] },
      ['inRequest'],
    ],
    [
      'predict',
      { instances: [{ ...input, content: 'a' }], parameters: whole },
      { instances: [{ content: 'a', inInstance: 1 }], parameters: { inParameters: 1 } },
      ['inParameters', 'inInstance'],
    ],
  ])('%s', (form, body, odd, names) => {
    const { extras, inputs, ...settings } = check(form, body);
    expect(extras).toEqual({});
    expect(inputs).toEqual([{ kind: 'text', texts: ['a'], task: 'clustering', title: 't' }]);
    expect(settings).toEqual({ form, model: 'owner/m', dimensions: 4, truncate: true });
    expect(Object.keys(check(form, { ...body, ...odd, beside: 1, nothing: null }).extras)).toEqual([
      'beside',
      ...names,
    ]);
  });
});
