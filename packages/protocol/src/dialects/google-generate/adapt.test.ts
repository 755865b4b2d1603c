import { describe, expect, test } from 'vitest';
import type { TextCall } from '../../canonical/call.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { fieldOf } from '../dialect.fixture.ts';
import { understand, withConfig } from './body.fixture.ts';
import { asked, target } from './call.fixture.ts';

describe('settings that a model or its host lacks', () => {
  const sampling = { temperature: 1, topP: 0.5, frequencyPenalty: 0.1, presencePenalty: 0.2 };
  test.each([
    ['a model of one temperature', target({ temperature: false }), ['temperature', 'topP']],
    ['a host without penalties', target({}, { penalties: false }), ['frequencyPenalty', 'presencePenalty']],
  ] as const)('are left out and reported for %s, on both lanes', (_, facts, lost) => {
    const losses = lost.map((name) => ({ field: `sampling.${name}`, why: 'no-equivalent' }));
    const kept = Object.fromEntries(Object.entries(sampling).filter(([name]) => !lost.some((each) => each === name)));
    const { body, losses: translated } = asked({ sampling }, facts);
    expect(body['generationConfig']).toEqual(kept);
    expect(translated).toEqual(losses);
    expect(understand(withConfig(sampling)).verbatim(facts)).toEqual({
      edits: [{ name: 'generationConfig', value: JSON.stringify(kept) }],
      losses,
    });
  });
  test('fields of the cloud edition are removed and reported for a host without them', () => {
    const setting = { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' };
    const body = (config: JsonObject, more: JsonObject): JsonObject => ({
      ...withConfig({ responseModalities: ['TEXT', 'IMAGE'], ...config }),
      safetySettings: [{ ...setting, ...more }],
    });
    const given = body(
      { audioTimestamp: true, imageConfig: { imageSize: '1K', imageOutputOptions: { mimeType: 'image/png' } } },
      { method: 'SEVERITY' },
    );
    const painter = { outputModalities: ['text', 'image'] };
    const { generationConfig, safetySettings } = body({ imageConfig: { imageSize: '1K' } }, {});
    const cloudless = target(painter, { cloudFields: false });
    expect(understand(given).verbatim(cloudless)).toEqual({
      edits: Object.entries({ generationConfig, safetySettings }).map(([name, value]) => ({
        name,
        value: JSON.stringify(value),
      })),
      losses: [
        { field: 'call.audioTimestamp', why: 'no-equivalent' },
        { field: 'call.imageOutput', why: 'approximated' },
        { field: 'call.safety', why: 'approximated' },
      ],
    });
    expect(understand(given).verbatim(target(painter))).toEqual({ edits: [], losses: [] });
    expect(understand(body({ imageConfig: { imageSize: '1K' } }, {})).verbatim(cloudless)).toEqual({
      edits: [],
      losses: [],
    });
  });
  test('an unspecified level of thinking is left out, the rest of the config stays', () => {
    const thinkingConfig = { thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED', includeThoughts: true };
    expect(understand(withConfig({ thinkingConfig })).verbatim(target())).toEqual({
      edits: [{ name: 'generationConfig', value: '{"thinkingConfig":{"includeThoughts":true}}' }],
      losses: [],
    });
  });
  test('settings the caller did not give are no loss', () => {
    expect(asked({}, target({ temperature: false }, { penalties: false })).losses).toEqual([]);
  });
  test('log probabilities are refused if the host has none and the caller asked for them', () => {
    const facts = target({}, { logprobs: false });
    const field = (logprobs: boolean) => fieldOf(() => asked({ sampling: { logprobs } }, facts), ['unsupported']);
    expect(field(true)).toBe('sampling.logprobs');
    expect(field(false)).toBeUndefined();
  });
});

describe('a host of the smaller schema language', () => {
  const facts = target({}, { jsonSchemaTools: false, jsonSchemaOutput: false });
  const list: JsonObject = { type: 'object', properties: { next: { $ref: '#' } } };
  test.each([
    ['output.schema', { output: { kind: 'schema', schema: list } }],
    ['tool.function', { tools: [{ kind: 'function', name: 'f', parameters: list }] }],
  ] as [string, Partial<TextCall>][])(
    'refuses a recursive schema as %s, so that another host is tried',
    (field, more) => {
      expect(fieldOf(() => asked(more, facts), ['unsupported'])).toBe(field);
      expect(asked(more).losses).toEqual([]);
    },
  );
});
