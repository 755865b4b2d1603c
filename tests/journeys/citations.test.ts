/** Citations of an answer reach every caller, from upstreams of every dialect, whole and streamed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHAT, GOOGLE, MESSAGES, OWN, responsesHosts } from '../support/responses-probe.ts';
import { dataOf, recordsOf } from '../support/road-frames.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

type Json = Record<string, unknown>;
/** A source, and the cited text where the protocol has it. */
type Cited = { readonly url: string; readonly words?: string };
type Caller = {
  readonly name: string;
  path(model: string, stream: boolean): string;
  body(model: string, words: string, stream: boolean): Json;
  whole(answer: never): Cited[];
  streamed(events: readonly never[]): Cited[];
};

const ROADS = { url: 'https://example.com/roads', words: ' three roads meet' };
const BRIDGES = { url: 'https://example.com/bridges', words: ' it is old' };
const asking = (scenario: string): string => `Where do three roads meet? @simulate scenario=${scenario}`;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

type Annotation = { url_citation: { url: string; start_index: number; end_index: number } };
const annotated = (text: string, annotations: readonly Annotation[]): Cited[] =>
  annotations.map(({ url_citation: { url, start_index, end_index } }) => ({
    url,
    words: text.slice(start_index, end_index),
  }));

type ChatPiece = { content?: string | null; annotations?: Annotation[] };
const chat: Caller = {
  name: 'chat',
  path: () => '/api/v1/chat/completions',
  body: (model, content, stream) => ({ model, messages: [{ role: 'user', content }], stream }),
  whole: ({ choices: [{ message }] }: { choices: [{ message: ChatPiece }] }) =>
    annotated(message.content ?? '', message.annotations ?? []),
  streamed: (chunks: readonly { choices: { delta: ChatPiece }[] }[]) => {
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    const text = deltas.map(({ content }) => content ?? '').join('');
    return annotated(
      text,
      deltas.flatMap(({ annotations }) => annotations ?? []),
    );
  },
};

type Flat = { type: string; url: string; start_index: number; end_index: number };
type Part = { text: string; annotations: Flat[] };
const partCited = ({ text, annotations }: Part): Cited[] =>
  annotations.map(({ url, start_index, end_index }) => ({ url, words: text.slice(start_index, end_index) }));
const responses: Caller = {
  name: 'Responses',
  path: () => '/api/v1/responses',
  body: (model, input, stream) => ({ model, input, stream }),
  whole: ({ output }: { output: { content?: Part[] }[] }) =>
    output.flatMap(({ content }) => content ?? []).flatMap(partCited),
  streamed: (events: readonly { type: string; annotation?: Flat; part?: Part }[]) => {
    const parts = events.flatMap(({ type, part }) => (type === 'response.content_part.done' && part ? [part] : []));
    const reported = events.flatMap(({ annotation }) => annotation ?? []);
    expect(parts.flatMap(({ annotations }) => annotations)).toEqual(reported);
    return parts.flatMap(partCited);
  },
};

type Block = { citations?: { type: string; url: string; encrypted_index: string }[] | null };
const located = (citations: NonNullable<Block['citations']>): Cited[] =>
  citations.map(({ type, url, encrypted_index }) => {
    expect({ type, index: typeof encrypted_index }).toEqual({ type: 'web_search_result_location', index: 'string' });
    return { url };
  });
const messages: Caller = {
  name: 'messages',
  path: () => '/api/anthropic/v1/messages',
  body: (model, content, stream) => ({ model, max_tokens: 200, messages: [{ role: 'user', content }], stream }),
  whole: ({ content }: { content: Block[] }) => content.flatMap(({ citations }) => located(citations ?? [])),
  streamed: (events: readonly { delta?: { citation?: NonNullable<Block['citations']>[number] } }[]) =>
    located(events.flatMap(({ delta }) => delta?.citation ?? [])),
};

type Candidate = {
  content: { parts: { text?: string }[] };
  citationMetadata?: { citations: { uri: string; startIndex: number; endIndex: number }[] };
};
const bytewise = (candidates: readonly Candidate[]): Cited[] => {
  const parts = candidates.flatMap(({ content }) => content.parts);
  const bytes = Buffer.from(parts.map(({ text }) => text ?? '').join(''));
  const cited = candidates.flatMap(({ citationMetadata }) => citationMetadata?.citations ?? []);
  return cited.map(({ uri, startIndex, endIndex }) => ({
    url: uri,
    words: bytes.subarray(startIndex, endIndex).toString(),
  }));
};
const genai: Caller = {
  name: 'genai',
  path: (model, stream) =>
    `/api/vertex-ai/v1/publishers/${model.replace('/', '/models/')}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: (_model, text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  whole: ({ candidates }: { candidates: Candidate[] }) => bytewise(candidates),
  streamed: (chunks: readonly { candidates: [Candidate] }[]) =>
    bytewise(chunks.flatMap(({ candidates }) => candidates)),
};

async function hear(caller: Caller, model: string, scenario: string, stream: boolean): Promise<[string, Headers]> {
  const response = await fetch(`${stand.url}${caller.path(model, stream)}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${KEY}`,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(caller.body(model, asking(scenario), stream)),
  });
  expect(response.status).toBe(200);
  return [await response.text(), response.headers];
}

/** This provider cites the web only where it searched it. */
const scenarioOf = (model: string): string => (model === MESSAGES ? 'web-search' : 'citations');

async function cited(caller: Caller, model: string, stream: boolean): Promise<Cited[]> {
  const [text] = await hear(caller, model, scenarioOf(model), stream);
  if (!stream) return caller.whole(JSON.parse(text) as never);
  const datas = recordsOf(text).map((record) => dataOf(record.replace(/^event: .*\n/, '')));
  return caller.streamed(datas.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data) as never));
}

/** Joins adjacent pieces of one source to one passage, however a stream has cut them. */
function passages(found: readonly Cited[]): Cited[] {
  const joined: { url: string; words?: string }[] = [];
  for (const { url, words } of found) {
    const last = joined.at(-1);
    if (last?.url !== url) joined.push({ url, ...(words !== undefined && { words }) });
    else if (words !== undefined) last.words = `${last.words ?? ''}${words}`;
  }
  return joined;
}

describe.each([chat, responses, messages, genai])('$name callers', (caller) => {
  const wanted = caller === messages ? [{ url: ROADS.url }, { url: BRIDGES.url }] : [ROADS, BRIDGES];
  test.each([CHAT, OWN, MESSAGES, GOOGLE])('callers get the citations of %s, whole and streamed', async (model) => {
    expect(passages(await cited(caller, model, false))).toEqual(wanted);
    expect(passages(await cited(caller, model, true))).toEqual(wanted);
  });
  test('document citations that the protocol cannot express are reported as a loss', async () => {
    const [, headers] = await hear(caller, MESSAGES, 'citations', false);
    const losses = headers.get('x-trivium-losses');
    if (caller === messages) expect(losses).toBeNull();
    else expect(losses).toMatch(/annotations|citationMetadata/);
  });
});
