// Tool search of Claude at cloud hosts: under their own name of the beta, and only in the form each of them offers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLOUD_MODELS, cloudHosts } from '../support/cloud-hosts.ts';
import { called, toolResult, toolUse, WEATHER } from '../support/messages-blocks.ts';
import { ask, CLAUDE, type Json, lossless, lossy, postMessages, refused, served } from '../support/messages-probe.ts';
import { openStand, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: cloudHosts });
  // Its first call signs in.
  await postMessages(stand, ask({ model: VERTEX }));
});
afterAll(() => stand.close());

const HOME_BETA = 'advanced-tool-use-2025-11-20';
const CLOUD_BETA = 'tool-search-tool-2025-10-19';
const REGEX = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
const BM25 = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
const DEFERRED = { ...WEATHER, name: 'later', defer_loading: true };
const { vertexClaude: VERTEX, bedrockClaude: BEDROCK } = CLOUD_MODELS;

/** Names betas in a header. */
const beta = (...names: string[]) => ({ 'anthropic-beta': names.join(',') });
const sentBetas = () => stand.simulator.truth.last()?.headers['anthropic-beta'];

/** Vertex AI reads betas in the header; Bedrock in the body. */
function expectBetas(model: string, sent: Json, ...betas: string[]): void {
  expect(sentBetas()).toBe(betas.length === 0 ? undefined : betas.join(','));
  expect(sent['anthropic_beta']).toEqual(model === BEDROCK && betas.length > 0 ? betas : undefined);
}

describe.each([VERTEX, BEDROCK])('%s', (model) => {
  const searching: readonly (readonly [string, Json])[] = [
    ['a tool that searches', { tools: [REGEX, WEATHER, DEFERRED] }],
    ['a deferred tool', { tools: [WEATHER, DEFERRED] }],
    [
      'a tool_reference',
      {
        tools: [WEATHER],
        messages: called(toolUse(), toolResult({ content: [{ type: 'tool_reference', tool_name: 'weather' }] })),
      },
    ],
  ];

  test.each(searching)('the beta is added for %s', async (_, members) => {
    const { sent } = await lossless(stand, ask({ model, ...members }));
    expectBetas(model, sent, CLOUD_BETA);
    expect(sent['tools']).toEqual(members['tools']);
  });

  test('the beta is added to a request that is rebuilt', async () => {
    const tools = [REGEX, WEATHER, DEFERRED];
    const { sent } = await lossy(stand, ask({ model, tools: [...tools, { type: 'foo_2025', name: 'x' }] }), 'tools');
    expectBetas(model, sent, CLOUD_BETA);
    expect(sent['tools']).toEqual(tools);
  });

  test.each([
    [[HOME_BETA], [CLOUD_BETA]],
    [
      [HOME_BETA, 'context-1m-2025-08-07', CLOUD_BETA],
      [CLOUD_BETA, 'context-1m-2025-08-07'],
    ],
    [['context-1m-2025-08-07'], ['context-1m-2025-08-07', CLOUD_BETA]],
  ])('%j of a request that searches tools is sent as %j', async (given, betas) => {
    const { sent } = await lossless(stand, ask({ model, tools: [REGEX, WEATHER, DEFERRED] }), beta(...given));
    expectBetas(model, sent, ...betas);
  });

  test('without tool search no beta is added, and the home’s name is translated', async () => {
    const body = ask({ model, tools: [WEATHER] });
    expectBetas(model, (await lossless(stand, body)).sent);
    expectBetas(model, (await lossless(stand, body, beta(HOME_BETA))).sent, CLOUD_BETA);
  });
});

test('the home gets the betas that the caller named', async () => {
  const body = ask({ model: CLAUDE, tools: [REGEX, WEATHER, DEFERRED] });
  await lossless(stand, body);
  expect(sentBetas()).toBeUndefined();
  await lossless(stand, body, beta(HOME_BETA));
  expect(sentBetas()).toBe(HOME_BETA);
});

describe('search by BM25', () => {
  test('reaches Vertex AI unchanged', async () => {
    const tools = [BM25, WEATHER, DEFERRED];
    const { sent } = await lossless(stand, ask({ model: VERTEX, tools }));
    expect(sent['tools']).toEqual(tools);
    expectBetas(VERTEX, sent, CLOUD_BETA);
  });

  test('is lost at Bedrock, and leaves no tool behind that nothing would find', async () => {
    const { sent, losses } = await served(stand, ask({ model: BEDROCK, tools: [BM25, WEATHER, DEFERRED] }));
    expect(losses).toEqual(['tools']);
    expect(sent['tools']).toEqual([WEATHER, { ...WEATHER, name: 'later' }]);
    expectBetas(BEDROCK, sent);
  });

  test('is lost at Bedrock beside a search that is offered, which finds the same tools', async () => {
    const { sent } = await lossy(stand, ask({ model: BEDROCK, tools: [REGEX, BM25, WEATHER, DEFERRED] }), 'tools');
    expect(sent['tools']).toEqual([REGEX, WEATHER, DEFERRED]);
    expectBetas(BEDROCK, sent, CLOUD_BETA);
  });

  test('is refused at Bedrock for strict callers', () =>
    refused(stand, ask({ model: BEDROCK, tools: [BM25, WEATHER] }), 'tools', { 'x-trivium-strict': 'true' }));
});
