/** The generateContent protocol, written by hand without an SDK. */
import { parseExact } from './exact-json.ts';
import { dataOf, demand, recordsOf } from './road-frames.ts';
import { type Json, type ParsedAnswer, type Road, SCHEMA } from './roads.ts';

type Part = Json & {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { id?: string; name: string; args?: unknown };
};
type Usage = { promptTokenCount: number; candidatesTokenCount?: number; thoughtsTokenCount?: number };
type Reply = {
  responseId: string;
  candidates: { content: { role: string; parts: Part[] }; finishReason?: string }[];
  usageMetadata?: Usage;
};

const THINKING_TOKENS = 2048;

const textOf = (parts: readonly Part[], thought: boolean): string =>
  parts
    .filter((part) => (part.thought === true) === thought)
    .map(({ text }) => text ?? '')
    .join('');

function parsed(parts: readonly Part[], finish: string, usage: Usage): ParsedAnswer {
  return {
    text: textOf(parts, false),
    thinking: textOf(parts, true),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined
        ? []
        : [
            {
              id: functionCall.id ?? '',
              name: functionCall.name,
              argumentsJson: JSON.stringify(functionCall.args ?? {}),
            },
          ],
    ),
    finish,
    inputTokens: usage.promptTokenCount,
    outputTokens: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
    turn: { role: 'model', parts },
  };
}

const isPlainText = (part: Part | undefined): part is Part & { text: string } =>
  part !== undefined && Object.keys(part).join() === 'text';

/** Parts as a caller keeps them: plain text joined, empty text omitted, thoughts in their original pieces. */
function kept(parts: readonly Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (isPlainText(part) && isPlainText(last)) out[out.length - 1] = { text: last.text + part.text };
    else if (!isPlainText(part) || part.text !== '') out.push(part);
  }
  return out;
}

export const genaiRoad: Road = {
  name: 'genai',
  finishes: { stop: 'FINISH_REASON_STOP', tools: 'FINISH_REASON_STOP' },
  headers: {},
  path: (model, stream) =>
    `/api/vertex-ai/v1/publishers/${model.replace('/', '/models/')}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  user: (text) => ({ role: 'user', parts: [{ text }] }),
  results: (calls, contents) => [
    {
      role: 'user',
      parts: calls.map(({ id, name }, position) => ({
        functionResponse: { ...(id !== '' && { id }), name, response: { output: contents[position] ?? '' } },
      })),
    },
  ],
  body: (_model, contents, { tools, thinking }) => ({
    contents,
    ...(tools && {
      tools: [{ functionDeclarations: tools.map((name) => ({ name, parameters: SCHEMA })) }],
    }),
    ...(thinking && {
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: THINKING_TOKENS } },
    }),
  }),
  parse: (body) => {
    const { candidates, usageMetadata } = parseExact(body) as Reply;
    const [candidate] = candidates;
    demand(candidate?.finishReason !== undefined && usageMetadata !== undefined, 'no finish or no usage');
    return parsed(candidate.content.parts, candidate.finishReason, usageMetadata);
  },
  parseStream: (body) => {
    const chunks = recordsOf(body).map((record) => parseExact(dataOf(record)) as Reply);
    demand(new Set(chunks.map(({ responseId }) => responseId)).size === 1, 'the id changes');
    const candidates = chunks.map(({ candidates: [candidate] }) => candidate);
    const last = candidates.at(-1);
    const usage = chunks.at(-1)?.usageMetadata;
    demand(last?.finishReason !== undefined && usage !== undefined, 'the last chunk has no finish or no usage');
    demand(
      candidates.slice(0, -1).every((candidate) => candidate?.finishReason === undefined),
      'a finish before the last chunk',
    );
    demand(last.content.parts.length > 0, 'the last chunk has no parts');
    const parts = candidates.flatMap((candidate) => candidate?.content.parts ?? []);
    return parsed(kept(parts), last.finishReason, usage);
  },
};
