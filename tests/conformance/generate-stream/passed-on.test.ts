/** What only Google sends in a stream reaches the caller unchanged. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CannedStand, streamedAnswer } from '../../support/canned-upstream.ts';
import { CANNED, homeStream, openCannedStand } from '../../support/generate-canned.ts';
import { ask, type Json } from '../../support/generate-probe.ts';
import { type Streamed, streamed } from '../../support/generate-stream.ts';

let stand: CannedStand;
beforeAll(async () => {
  stand = await openCannedStand();
});
afterAll(() => stand.close());

const get = (body: Json = ask()): Promise<Streamed> => streamed(stand, body, { model: CANNED });

const image = { inlineData: { mimeType: 'image/png', data: 'QUJD', displayName: 'x.png' } };
const resolutions = ['LOW', 'MEDIUM', 'HIGH', 'ULTRA_HIGH', 'UNSPECIFIED'].map((level) => ({
  ...image,
  mediaResolution: { level: `MEDIA_RESOLUTION_${level}`, numTokens: 258 },
}));
const call = (functionCall: Json): Json => ({ functionCall });

test.each<[rule: string, what: string, parts: Json[]]>([
  ['GS-10', 'the resolution of media', resolutions],
  ['GS-12', 'inline data with a name', [image]],
  ['GS-13', 'files', [{ fileData: { mimeType: 'image/png', fileUri: 'gs://b/x.png', displayName: 'x.png' } }]],
  [
    'GS-15',
    'arguments in pieces',
    [
      call({ name: 'f', willContinue: true }),
      call({ partialArgs: [{ jsonPath: '$.city', stringValue: 'Be', willContinue: true }], willContinue: true }),
      call({ partialArgs: [{ jsonPath: '$.city', stringValue: 'rn', willContinue: false }], willContinue: true }),
      call({ partialArgs: [{ jsonPath: '$.days', numberValue: 3 }], willContinue: true }),
      call({
        partialArgs: [
          { jsonPath: '$.metric', boolValue: true },
          { jsonPath: '$.hours[0]', nullValue: 'NULL_VALUE' },
        ],
      }),
    ],
  ],
  ['GS-17', 'a call that goes on', [call({ name: 'f', args: {}, willContinue: true }), call({ willContinue: false })]],
  [
    'GS-18',
    'results of functions',
    [
      {
        functionResponse: {
          id: 'a',
          name: 'f',
          response: { ok: 1 },
          parts: [image],
          scheduling: 'SILENT',
          willContinue: false,
        },
      },
    ],
  ],
  [
    'GS-19',
    'code and its result',
    [
      { executableCode: { language: 'PYTHON', code: 'print(1)' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } },
    ],
  ],
  [
    'GS-20',
    'settings of a video, beside it',
    [{ fileData: { mimeType: 'video/mp4', fileUri: 'gs://b/x.mp4' }, videoMetadata: { startOffset: '1s', fps: 2 } }],
  ],
  ['GS-09', 'signatures', [{ text: 'x', thoughtSignature: 'c2lnbmF0dXJlLTE=' }, call({ name: 'f', args: {} })]],
])('[%s] %s pass unchanged', async (_rule, _what, given) => {
  stand.say(homeStream(given));
  const { parts, chunks } = await get();
  expect(parts.slice(0, given.length)).toEqual(given);
  expect(chunks).toHaveLength(given.length + 1);
  stand.say(homeStream([{ text: 'plain' }]));
  expect((await get()).parts[0]).toEqual({ text: 'plain' });
});

const JSON_PATH = /^\$(\.[A-Za-z_]\w*|\[\d+\]|\['[^']*'\])*$/;
test('[GS-16] partial arguments are addressed by JSON path', async () => {
  const paths = ['$.city', '$.days[0].name', "$['odd name']"];
  stand.say(
    homeStream(paths.map((jsonPath) => call({ partialArgs: [{ jsonPath, stringValue: 'x' }], willContinue: true }))),
  );
  const { parts } = await get();
  const seen = parts.flatMap(
    ({ functionCall }) => (functionCall as { partialArgs?: { jsonPath: string }[] })?.partialArgs ?? [],
  );
  expect(seen.map(({ jsonPath }) => jsonPath)).toEqual(paths);
  for (const { jsonPath } of seen) expect(jsonPath).toMatch(JSON_PATH);
});

const grounding = {
  webSearchQueries: ['q'],
  retrievalQueries: ['r'],
  groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
  groundingSupports: [{ segment: { startIndex: 0, endIndex: 5, text: 'hello' }, groundingChunkIndices: [0] }],
  sourceFlaggingUris: [{ sourceId: 's', flagContentUri: 'https://f.example' }],
  searchEntryPoint: { renderedContent: '<p>x</p>' },
  retrievalMetadata: { googleSearchDynamicRetrievalScore: 0.5 },
  googleMapsWidgetContextToken: 'token',
};
const urls = {
  urlMetadata: [{ retrievedUrl: 'https://a.example', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS' }],
};
test.each([
  ['GS-24', 'groundingMetadata', grounding],
  ['GS-25', 'urlContextMetadata', urls],
])('[%s] %s keeps all its fields', async (_rule, name, value) => {
  stand.say(homeStream([{ text: 'hello' }], { [name]: value }));
  expect((await get()).last.candidates?.[0]?.[name]).toEqual(value);
  stand.say(homeStream([{ text: 'hello' }]));
  expect((await get()).last.candidates?.[0]).not.toHaveProperty(name);
});

const feedback = {
  blockReason: 'SAFETY',
  blockReasonMessage: 'No.',
  safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'HIGH', blocked: true }],
};
test('[GS-26, GS-27] prompt feedback is complete, in the first chunk, and only without candidates', async () => {
  stand.say(streamedAnswer([{ promptFeedback: feedback }, { promptFeedback: feedback }]));
  const blocked = await get();
  expect(blocked.chunks.map(({ promptFeedback }) => promptFeedback)).toEqual([feedback]);
  stand.say(homeStream([{ text: 'x' }], {}, { promptFeedback: feedback }));
  for (const chunk of (await get()).chunks) expect(chunk).not.toHaveProperty('promptFeedback');
});

test('[GS-21] an unspecified finish reason is left out before the end', async () => {
  const chunk = (text: string, finishReason: string): Json => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason, index: 0 }],
  });
  stand.say(streamedAnswer([chunk('a', ''), chunk('b', 'FINISH_REASON_UNSPECIFIED'), chunk('c', 'STOP')]));
  const { chunks } = await get();
  expect(chunks.map(({ candidates }) => candidates?.[0]?.finishReason)).toEqual([
    undefined,
    undefined,
    'FINISH_REASON_STOP',
  ]);
});

test('[GS-28] token counts grow, and the last chunk has the final ones', async () => {
  const chunk = (text: string, candidatesTokenCount: number, more: Json = {}): Json => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount, totalTokenCount: 3 + candidatesTokenCount },
  });
  stand.say(streamedAnswer([chunk('a', 1), chunk('b', 2), chunk('c', 7, { finishReason: 'STOP' })]));
  expect((await get()).last.usageMetadata).toEqual({
    promptTokenCount: 3,
    candidatesTokenCount: 7,
    totalTokenCount: 10,
  });
});

test('[GS-29] a last chunk without parts gets an empty part', async () => {
  stand.say(homeStream([{ text: 'x' }], { content: { role: 'model' } }));
  expect((await get()).last.candidates?.[0]?.content).toEqual({ role: 'model', parts: [{ text: '' }] });
  stand.say(homeStream([{ text: 'x' }], { content: {} }));
  expect((await get()).last.candidates?.[0]?.content).toEqual({ role: 'model', parts: [{ text: '' }] });
});
