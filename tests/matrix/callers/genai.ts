/** The generative-content protocol through the official Google Gen AI SDK. */
import {
  type Candidate,
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
  Language,
  Outcome,
  type Part as WirePart,
} from '@google/genai';
import type { Ask, Caller, Conversation, Part, Said, Seen } from '../meaning.ts';

const THINKING_TOKENS = 2048;

function partOf(part: Part): WirePart {
  if ('text' in part) return { text: part.text };
  if ('image' in part) return { inlineData: { mimeType: 'image/png', data: part.image } };
  if ('imageUrl' in part) return { fileData: { mimeType: 'image/png', fileUri: part.imageUrl } };
  if ('pdf' in part) return { inlineData: { mimeType: 'application/pdf', data: part.pdf, displayName: part.name } };
  return { inlineData: { mimeType: 'audio/wav', data: part.audio } };
}

function formatOf(output: NonNullable<Ask['output']>): GenerateContentConfig {
  if (output === 'json') return { responseMimeType: 'application/json' };
  if ('schema' in output) return { responseMimeType: 'application/json', responseJsonSchema: output.schema };
  return { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING' as never, enum: [...output.words] } };
}

function choiceOf(choice: NonNullable<Ask['choice']>): GenerateContentConfig {
  const functionCallingConfig =
    typeof choice === 'object'
      ? { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: [choice.one] }
      : { mode: choice === 'any' ? FunctionCallingConfigMode.ANY : FunctionCallingConfigMode.NONE };
  return { toolConfig: { functionCallingConfig } };
}

function configOf(ask: Ask): GenerateContentConfig {
  const functionDeclarations = (ask.tools ?? []).map(({ name, about, schema }) => ({
    name,
    description: about,
    parametersJsonSchema: schema,
  }));
  return {
    ...(ask.system !== undefined && { systemInstruction: { parts: ask.system.map((text) => ({ text })) } }),
    ...(functionDeclarations.length > 0 && { tools: [{ functionDeclarations }] }),
    ...(ask.searches && { tools: [{ googleSearch: {} }] }),
    ...(ask.choice !== undefined && choiceOf(ask.choice)),
    ...(ask.output !== undefined && formatOf(ask.output)),
    ...(ask.maxTokens !== undefined && { maxOutputTokens: ask.maxTokens }),
    ...(ask.temperature !== undefined && { temperature: ask.temperature }),
    ...(ask.topP !== undefined && { topP: ask.topP }),
    ...(ask.topK !== undefined && { topK: ask.topK }),
    ...(ask.stop !== undefined && { stopSequences: [...ask.stop] }),
    ...(ask.seed !== undefined && { seed: ask.seed }),
    ...(ask.frequencyPenalty !== undefined && { frequencyPenalty: ask.frequencyPenalty }),
    ...(ask.logprobs !== undefined && { responseLogprobs: true, logprobs: ask.logprobs }),
    ...(ask.thinks && { thinkingConfig: { includeThoughts: true, thinkingBudget: THINKING_TOKENS } }),
  };
}

/** Passages are stretches of UTF-8 bytes. */
function citationsOf({ content, citationMetadata, groundingMetadata }: Candidate, text: string): Seen['citations'] {
  const bytes = Buffer.from(text);
  const stretch = (from = 0, to = 0): string => bytes.subarray(from, to).toString('utf8');
  const grounded = (groundingMetadata?.groundingSupports ?? []).flatMap(({ segment, groundingChunkIndices }) =>
    (groundingChunkIndices ?? []).map((at) => {
      const web = groundingMetadata?.groundingChunks?.[at]?.web;
      const own = content?.parts?.[segment?.partIndex ?? 0]?.text;
      const passage = segment?.text ?? (own === undefined ? '' : stretch(segment?.startIndex, segment?.endIndex));
      return { url: web?.uri ?? '', title: web?.title ?? '', passage };
    }),
  );
  const cited = (citationMetadata?.citations ?? []).map(({ uri, title, startIndex, endIndex }) => ({
    url: uri ?? '',
    title: title ?? '',
    passage: stretch(startIndex, endIndex),
  }));
  return grounded.length > 0 ? grounded : cited;
}

/** A streamed answer as one candidate: parts in a row, the rest from whichever chunk had it last. */
function joined(chunks: readonly GenerateContentResponse[]): Candidate {
  const candidates = chunks.flatMap((chunk) => chunk.candidates ?? []);
  const parts = candidates
    .flatMap(({ content }) => content?.parts ?? [])
    .filter((part) => part.text !== '' || part.thoughtSignature !== undefined);
  const logprobs = candidates.flatMap(({ logprobsResult }) => logprobsResult?.chosenCandidates ?? []);
  return {
    ...Object.assign({}, ...candidates),
    content: { role: 'model', parts },
    ...(logprobs.length > 0 && { logprobsResult: { chosenCandidates: logprobs } }),
  };
}

const textIn = (parts: readonly WirePart[], thought: boolean): string =>
  parts
    .filter((part) => (part.thought === true) === thought)
    .map(({ text }) => text ?? '')
    .join('');

function seenIn(candidate: Candidate, chunks: readonly GenerateContentResponse[]): Seen {
  const parts = candidate.content?.parts ?? [];
  const text = textIn(parts, false);
  const usage = chunks.findLast(({ usageMetadata }) => usageMetadata !== undefined)?.usageMetadata;
  const blocked = chunks.find(({ promptFeedback }) => promptFeedback?.blockReason !== undefined)?.promptFeedback;
  const finish = String(blocked === undefined ? (candidate.finishReason ?? '') : 'prompt blocked');
  return {
    text,
    thinking: textIn(parts, true),
    refusal: finish === 'SAFETY' ? text : '',
    calls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined
        ? []
        : [
            {
              id: functionCall.id ?? '',
              name: functionCall.name ?? '',
              argumentsText: JSON.stringify(functionCall.args ?? {}),
            },
          ],
    ),
    citations: citationsOf(candidate, text),
    images: parts.flatMap(({ inlineData }) => inlineData?.data ?? []),
    logprobs: (candidate.logprobsResult?.chosenCandidates ?? []).map(({ token, logProbability }) => ({
      token: token ?? '',
      logprob: logProbability ?? 0,
    })),
    finish,
    usage: {
      input: usage?.promptTokenCount ?? -1,
      output: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
      cached: usage?.cachedContentTokenCount ?? 0,
    },
  };
}

/** Code the vendor ran itself. */
const VENDOR_PARTS: WirePart[] = [
  { executableCode: { language: Language.PYTHON, code: 'print(3)' } },
  { codeExecutionResult: { outcome: Outcome.OUTCOME_OK, output: '3' } },
  { text: 'It is three.' },
];

function resultOf(
  { parts, failed }: Extract<Said, { results: unknown }>['results'][number],
  call: Seen['calls'][number] | undefined,
): WirePart {
  const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
  const media = parts.filter((part) => !('text' in part)).map(partOf);
  return {
    functionResponse: {
      ...(call !== undefined && call.id !== '' && { id: call.id }),
      name: call?.name ?? '',
      response: failed ? { error: text } : { output: text },
      ...(media.length > 0 && { parts: media.map(({ inlineData }) => ({ inlineData: inlineData ?? {} })) }),
    },
  };
}

export const genaiCaller: Caller = {
  inbound: 'genai',
  open({ url, key }, model, ask): Conversation {
    const httpOptions = { baseUrl: `${url}/api/vertex-ai`, apiVersion: 'v1' };
    const client = new GoogleGenAI({ vertexai: true, apiKey: key, httpOptions });
    const contents: Content[] = [];
    let called: Seen['calls'] = [];
    return {
      say(said: Said): void {
        if ('user' in said) contents.push({ role: 'user', parts: said.user.map(partOf) });
        else if ('assistant' in said) contents.push({ role: 'model', parts: [{ text: said.assistant }] });
        else if ('vendorBlock' in said) contents.push({ role: 'model', parts: VENDOR_PARTS });
        else if ('results' in said)
          contents.push({ role: 'user', parts: said.results.map((result, at) => resultOf(result, called[at])) });
        else throw new Error('genai has no instructions in the middle');
      },
      async hear(stream) {
        const request = { model, contents, config: configOf(ask) };
        const chunks: GenerateContentResponse[] = [];
        if (stream) for await (const chunk of await client.models.generateContentStream(request)) chunks.push(chunk);
        else chunks.push(await client.models.generateContent(request));
        const candidate = joined(chunks);
        const seen = seenIn(candidate, chunks);
        if ((candidate.content?.parts?.length ?? 0) > 0) contents.push(candidate.content as Content);
        called = seen.calls;
        return seen;
      },
    };
  },
};
