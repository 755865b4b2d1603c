/** What Google sends beside the text is passed on; what other upstreams send is translated into this format. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CannedStand, plainAnswer } from '../../support/canned-upstream.ts';
import {
  CANNED,
  CANNED_CHAT,
  CANNED_MESSAGES,
  CANNED_SPEAKER,
  homeAnswer,
  openCannedStand,
} from '../../support/generate-canned.ts';
import {
  ask,
  config,
  type GenerateReply,
  type Json,
  pathOf,
  post,
  type WireCandidate,
} from '../../support/generate-probe.ts';

let stand: CannedStand;
beforeAll(async () => {
  stand = await openCannedStand();
});
afterAll(() => stand.close());

type Got = { readonly reply: GenerateReply; readonly candidate: WireCandidate };
const get = async (model: string, headers: Record<string, string> = {}, body: Json = ask()): Promise<Got> => {
  const reply = await post(stand, pathOf(model, 'generateContent'), body, headers);
  expect({ status: reply.status, error: reply.json['error'] }).toEqual({ status: 200, error: undefined });
  return { reply, candidate: (reply.json['candidates'] as WireCandidate[] | undefined)?.[0] as WireCandidate };
};
const SDK = { 'user-agent': 'google-genai-sdk/1.0.0' };

const chatAnswer = (choice: Json, usage: Json = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }): void =>
  stand.say(
    plainAnswer({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'any',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop', ...choice }],
      usage,
    }),
  );

describe('finish reasons', () => {
  const REASONS = [
    'RECITATION',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'IMAGE_PROHIBITED_CONTENT',
    'NO_IMAGE',
    'SPII',
    'MALFORMED_FUNCTION_CALL',
    'OTHER',
  ];
  test.each(REASONS)('[GR-09] finish reason %s passes, with or without its prefix', async (reason) => {
    for (const finishReason of [reason, `FINISH_REASON_${reason}`]) {
      stand.say(homeAnswer({ finishReason }));
      expect((await get(CANNED)).candidate.finishReason).toBe(`FINISH_REASON_${reason}`);
      expect((await get(CANNED, SDK)).candidate.finishReason).toBe(reason);
    }
  });
  test.each(['SAFETY', 'PROHIBITED_CONTENT', 'BLOCKLIST', 'SPII'])(
    '[E-27] finish reason %s is not an HTTP error',
    async (finishReason) => {
      stand.say(homeAnswer({ finishReason, content: {} }));
      expect((await get(CANNED)).candidate.finishReason).toBe(`FINISH_REASON_${finishReason}`);
    },
  );
  test('[GR-10] an unknown finish reason becomes OTHER, from any upstream', async () => {
    stand.say(homeAnswer({ finishReason: 'WEIRD' }));
    expect((await get(CANNED)).candidate.finishReason).toBe('FINISH_REASON_OTHER');
    chatAnswer({ finish_reason: 'weird' });
    expect((await get(CANNED_CHAT)).candidate.finishReason).toBe('FINISH_REASON_OTHER');
    chatAnswer({ finish_reason: 'stop' });
    expect((await get(CANNED_CHAT)).candidate.finishReason).toBe('FINISH_REASON_STOP');
  });
  test('[GR-06] the unspecified finish reason is the same for all callers', async () => {
    stand.say(homeAnswer({ finishReason: 'FINISH_REASON_UNSPECIFIED' }));
    for (const headers of [{}, SDK])
      expect((await get(CANNED, headers)).candidate.finishReason).toBe('FINISH_REASON_UNSPECIFIED');
  });
  test.each(['', undefined])('[GR-11] an answer with finish reason %j is a failure', async (finishReason) => {
    stand.say(homeAnswer({ finishReason }));
    const reply = await post(stand, pathOf(CANNED, 'generateContent'), ask());
    expect(reply.status).toBe(502);
    expect(reply.json).toMatchObject({ error: { code: 502 } });
  });
});

describe('beside the text', () => {
  const ratings = ['NEGLIGIBLE', 'LOW', 'MEDIUM', 'HIGH'].map((probability, at) => ({
    category: 'HARM_CATEGORY_HARASSMENT',
    probability,
    blocked: at === 3,
  }));
  test('[GR-15] safety ratings pass', async () => {
    stand.say(homeAnswer({ safetyRatings: ratings }));
    expect((await get(CANNED)).candidate['safetyRatings']).toEqual(ratings);
    stand.say(homeAnswer());
    expect((await get(CANNED)).candidate).not.toHaveProperty('safetyRatings');
  });
  const citation = {
    startIndex: 0,
    endIndex: 5,
    uri: 'https://a.example',
    title: 'A',
    license: 'mit',
    publicationDate: { year: 2024, month: 5, day: 1 },
  };
  test('[GR-16, GR-18] citations pass with all their members, dates in integers', async () => {
    stand.say(homeAnswer({ citationMetadata: { citations: [citation] } }));
    expect((await get(CANNED)).candidate['citationMetadata']).toEqual({ citations: [citation] });
    stand.say(homeAnswer());
    expect((await get(CANNED)).candidate).not.toHaveProperty('citationMetadata');
  });
  test('[GR-17] citation offsets are in bytes, also where the upstream cites whole blocks', async () => {
    const cited = {
      type: 'web_search_result_location',
      url: 'https://a.example',
      title: 'A',
      cited_text: 'x',
      encrypted_index: 'e',
    };
    stand.say(
      plainAnswer({
        id: 'msg',
        type: 'message',
        role: 'assistant',
        model: 'any',
        content: [
          { type: 'text', text: 'é😀 ' },
          { type: 'text', text: 'çited', citations: [cited] },
        ],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 2 },
      }),
    );
    const start = Buffer.byteLength('é😀 ');
    expect((await get(CANNED_MESSAGES)).candidate['citationMetadata']).toEqual({
      citations: [
        { startIndex: start, endIndex: start + Buffer.byteLength('çited'), uri: 'https://a.example', title: 'A' },
      ],
    });
  });
  test('[GR-17] citation offsets are in bytes, also where the upstream counts characters', async () => {
    const content = 'é😀 çited end';
    const url_citation = { url: 'https://a.example', title: 'A', start_index: 4, end_index: 9 };
    const annotations = [{ type: 'url_citation', url_citation }];
    const message = { role: 'assistant', content, annotations };
    stand.say(plainAnswer({ id: 'c', model: 'any', choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    const start = Buffer.byteLength('é😀 ');
    const citation = {
      startIndex: start,
      endIndex: start + Buffer.byteLength('çited'),
      uri: 'https://a.example',
      title: 'A',
    };
    expect((await get(CANNED_CHAT)).candidate['citationMetadata']).toEqual({ citations: [citation] });
  });
  test('[GR-19] the average of log probabilities passes', async () => {
    stand.say(homeAnswer({ avgLogprobs: -0.25 }));
    expect((await get(CANNED)).candidate['avgLogprobs']).toBe(-0.25);
    stand.say(homeAnswer());
    expect((await get(CANNED)).candidate).not.toHaveProperty('avgLogprobs');
  });
  test('[GR-20] log probabilities that were not requested are not returned', async () => {
    const logprobsResult = { topCandidates: [], chosenCandidates: [{ token: 'hello', logProbability: -0.1 }] };
    stand.say(homeAnswer({ logprobsResult }));
    expect((await get(CANNED)).candidate).not.toHaveProperty('logprobsResult');
    expect((await get(CANNED, {}, config({ responseLogprobs: true }))).candidate['logprobsResult']).toEqual(
      logprobsResult,
    );
  });
});

test('[G-65] a model with audio output answers with audio', async () => {
  const sound = { inlineData: { mimeType: 'audio/L16;rate=24000', data: 'QUJD' } };
  stand.say(homeAnswer({ content: { role: 'model', parts: [sound] } }));
  const { candidate } = await get(CANNED_SPEAKER, {}, config({ responseModalities: ['AUDIO'] }));
  expect(candidate.content.parts).toEqual([sound]);
});

describe('token counts', () => {
  const counts = {
    promptTokenCount: 30,
    candidatesTokenCount: 20,
    totalTokenCount: 66,
    cachedContentTokenCount: 10,
    thoughtsTokenCount: 11,
    toolUsePromptTokenCount: 5,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 18 },
      { modality: 'IMAGE', tokenCount: 12 },
    ],
    candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 20 }],
  };
  test('[GR-23, GR-24] optional token counts and those per modality pass when the upstream reports them', async () => {
    stand.say(homeAnswer({}, { usageMetadata: counts }));
    expect((await get(CANNED)).reply.json['usageMetadata']).toEqual(counts);
    const plain = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };
    stand.say(homeAnswer({}, { usageMetadata: plain }));
    expect((await get(CANNED)).reply.json['usageMetadata']).toEqual(plain);
  });
  test('[GR-23, GR-22] token counts of chat are translated, without the zeros', async () => {
    chatAnswer(
      {},
      {
        prompt_tokens: 30,
        completion_tokens: 31,
        total_tokens: 61,
        prompt_tokens_details: { cached_tokens: 10 },
        completion_tokens_details: { reasoning_tokens: 11 },
      },
    );
    expect((await get(CANNED_CHAT)).reply.json['usageMetadata']).toMatchObject({
      promptTokenCount: 30,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 11,
      cachedContentTokenCount: 10,
      totalTokenCount: 61,
    });
    chatAnswer({});
    const usage = (await get(CANNED_CHAT)).reply.json['usageMetadata'];
    expect(usage).toMatchObject({ promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 });
    for (const name of ['cachedContentTokenCount', 'thoughtsTokenCount', 'toolUsePromptTokenCount'])
      expect(usage).not.toHaveProperty(name);
  });
});

describe('configured finish reason format', () => {
  test.each([
    ['prefixed', SDK, 'FINISH_REASON_STOP'],
    ['prefixed', {}, 'FINISH_REASON_STOP'],
    ['bare', {}, 'STOP'],
    ['bare', SDK, 'STOP'],
  ] as const)('[GR-05] the format %s applies to all callers: %j', async (finishReason, headers, word) => {
    const own = await openCannedStand(() => ({ genai: { finishReason } }));
    try {
      own.say(homeAnswer());
      const { json } = await post(own, pathOf(CANNED, 'generateContent'), ask(), headers);
      expect(json).toMatchObject({ candidates: [{ finishReason: word }] });
    } finally {
      await own.close();
    }
  });
});
