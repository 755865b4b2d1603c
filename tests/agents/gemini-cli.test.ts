// A scripted client that speaks as Gemini CLI does: its own SDK in both modes, tools in JSON Schema, thoughts asked for and
// kept out of history, signatures kept on calls, token counts and a JSON side question in between.
import { type Content, type FunctionCall, GoogleGenAI, type Part } from '@google/genai';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../support/roads.ts';
import { KEY, type Stand } from '../support/stand.ts';
import {
  expectDone,
  INSTRUCTIONS,
  onceMore,
  openShelf,
  openWorkshop,
  PLACES,
  type Shelf,
  TASK,
  TOOLS,
} from './workshop.ts';

let stand: Stand;
beforeEach(async () => {
  await stand?.close();
  stand = await openWorkshop();
});
afterAll(() => stand?.close());

const headers = { 'User-Agent': 'GeminiCLI/0.40.0/gemini (linux; x64)' };
const CLIENTS: readonly (readonly [string, () => GoogleGenAI])[] = [
  [
    'GOOGLE_GEMINI_BASE_URL with a key',
    () =>
      new GoogleGenAI({
        apiKey: KEY,
        vertexai: false,
        httpOptions: { headers, baseUrl: `${stand.url}/api/vertex-ai` },
      }),
  ],
  [
    'GOOGLE_GEMINI_BASE_URL with a bearer key',
    () =>
      new GoogleGenAI({
        apiKey: KEY,
        vertexai: false,
        httpOptions: { headers: { ...headers, Authorization: `Bearer ${KEY}` }, baseUrl: `${stand.url}/api/vertex-ai` },
      }),
  ],
  [
    'GOOGLE_VERTEX_BASE_URL',
    () =>
      new GoogleGenAI({ apiKey: KEY, vertexai: true, httpOptions: { headers, baseUrl: `${stand.url}/api/vertex-ai` } }),
  ],
];

const CONFIG = {
  systemInstruction: INSTRUCTIONS,
  temperature: 1,
  topP: 0.95,
  topK: 64,
  thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 },
  tools: [
    {
      functionDeclarations: TOOLS.map(({ name, description, parameters }) => ({
        name,
        description,
        parametersJsonSchema: parameters,
      })),
    },
  ],
};

/** History as it keeps it: no thoughts, text in a row joined, calls with what rode on them. */
function kept(parts: readonly Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.thought === true) continue;
    if (last?.text !== undefined && part.text !== undefined)
      out[out.length - 1] = { ...last, text: last.text + part.text };
    else out.push(part);
  }
  return out.filter((part) => part.text !== '');
}

async function work(ai: GoogleGenAI, model: string, shelf: Shelf): Promise<string> {
  const contents: Content[] = [
    { role: 'user', parts: [{ text: 'This is the Gemini CLI. The workspace has one file.' }] },
    { role: 'model', parts: [{ text: 'Got it.' }] },
    { role: 'user', parts: [{ text: TASK }] },
  ];
  for (let turn = 0; turn < 5; turn += 1) {
    const { totalTokens } = await ai.models.countTokens({ model, contents });
    expect(totalTokens).toBeGreaterThan(0);
    const parts: Part[] = [];
    const calls: FunctionCall[] = [];
    let finish: string | undefined;
    for await (const chunk of await ai.models.generateContentStream({ model, contents, config: CONFIG })) {
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      calls.push(...(chunk.functionCalls ?? []));
      finish = chunk.candidates?.[0]?.finishReason ?? finish;
    }
    expect(finish).toBe('STOP');
    contents.push({ role: 'model', parts: kept(parts) });
    if (calls.length === 0) return parts.map(({ text }) => text ?? '').join('');
    if (turn === 0) {
      expect(parts.some(({ thought, text }) => thought === true && (text ?? '') !== '')).toBe(true);
      onceMore(stand);
    }
    contents.push({
      role: 'user',
      parts: calls.map(({ id, name = '', args = {} }, at) => ({
        functionResponse: { id: id ?? `${name}-${at}`, name, response: { output: shelf.use(name, args as Json) } },
      })),
    });
  }
  throw new Error('the task was never finished');
}

/** It asks who speaks next, and wants JSON. */
async function nextSpeaker(ai: GoogleGenAI, model: string): Promise<void> {
  const response = await ai.models.generateContent({
    model,
    contents: [{ role: 'user', parts: [{ text: 'Who speaks next?' }] }],
    config: {
      responseMimeType: 'application/json',
      responseJsonSchema: {
        type: 'object',
        properties: { reasoning: { type: 'string' }, next_speaker: { type: 'string', enum: ['user', 'model'] } },
        required: ['reasoning', 'next_speaker'],
      },
      thinkingConfig: { thinkingBudget: 1024 },
    },
  });
  expect(JSON.parse(response.text ?? '')).toMatchObject({ next_speaker: expect.stringMatching(/^(?:user|model)$/) });
}

describe.each(PLACES)('into $dialect', ({ model }) => {
  test.each(CLIENTS)('Gemini CLI finishes a task with two tools by %s', async (_name, open) => {
    const ai = open();
    const shelf = openShelf();
    expectDone(stand, shelf, await work(ai, model, shelf));
    await nextSpeaker(ai, model);
  });
});
