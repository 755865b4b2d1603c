/** Generative content (`generateContent`, `streamGenerateContent`), both halves. */
import type { TextCall } from '../../canonical/call.ts';
import type { MediaBlock } from '../../canonical/content.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import type {
  Dialect,
  Edit,
  PromptCaching,
  RequestHead,
  TargetFacts,
  Understanding,
  VerbatimRequest,
} from '../dialect.ts';
import { countIn, onlyMembers } from '../upstream-answers.ts';
import { adapt } from './adapt.ts';
import { type CheckedGenerate, checkGenerate, isRootMember } from './check.ts';
import { answerLosses } from './citations.ts';
import { decodeAnswer } from './decode-answer.ts';
import { decodeCall, enumValuesOf } from './decode-call.ts';
import { eventDecoder } from './decode-stream.ts';
import { encodeAnswer } from './encode-answer.ts';
import { encodeCall } from './encode-call.ts';
import { eventEncoder, keepAlive } from './encode-stream.ts';
import { decodeFault, encodeFault, streamFault } from './faults.ts';
import { judge } from './judge.ts';
import { COMMON_GENERATE, quirksOf } from './quirks.ts';
import { isHome, isNewGeneration, SEAL_REFUSALS } from './seals.ts';
import { spelling, stances } from './stances.ts';
import { unreadMembers } from './unread-members.ts';
import { readAnswer } from './verbatim-answer.ts';
import { verbatimFrames } from './verbatim-frames.ts';

// Same dialect on both ends: the edits to the caller's text, or the reason to rebuild the request instead.

function verbatimRequest(checked: CheckedGenerate, target: TargetFacts): VerbatimRequest {
  judge(checked, target.model);
  const why = whyRebuild(checked, target);
  if (why !== undefined) return { why };
  const { body, losses } = adapt(checked.body, target);
  return { edits: editsBetween(checked.original, body), losses };
}

function whyRebuild({ body, contents, traits, head }: CheckedGenerate, target: TargetFacts): string | undefined {
  const { sealOwner } = target;
  if (body['cachedContent'] !== undefined && !isHome(sealOwner)) return 'the host cannot have cached this content';
  if (isNewGeneration(target) && isHome(sealOwner) && contents.some(hasUnsignedCall))
    return 'a call of another model has no signature';
  if (contents.some(repeatsResult)) return 'a call has two results';
  if (!traits.signatures) return undefined;
  if (!isHome(sealOwner)) return 'the host cannot have signed these thoughts';
  const enveloped = contents.some((content) =>
    arrayAt(content, 'parts').some(
      (part) => isJsonObject(part) && head?.sealing?.isEnvelope(stringAt(part, 'thoughtSignature') ?? '') === true,
    ),
  );
  return enveloped ? 'a signature comes from another host' : undefined;
}

/** Only the first call of a step is signed. */
function hasUnsignedCall(content: JsonObject): boolean {
  if (content['role'] !== 'model') return false;
  const first = arrayAt(content, 'parts').find((part) => isJsonObject(part) && part['functionCall'] !== undefined);
  return isJsonObject(first) && stringAt(first, 'thoughtSignature') === undefined;
}

/** Gemini CLI repeats them when it resumes a conversation, and the host refuses more results than calls. */
function repeatsResult(content: JsonObject): boolean {
  if (content['role'] === 'model') return false;
  let seen: Set<string> | undefined;
  for (const part of arrayAt(content, 'parts')) {
    const result = isJsonObject(part) ? part['functionResponse'] : undefined;
    const id = isJsonObject(result) ? stringAt(result, 'id') : undefined;
    if (id === undefined) continue;
    if (seen?.has(id) === true) return true;
    seen = (seen ?? new Set()).add(id);
  }
  return false;
}

/** A member that is still the same object is unchanged and stays as the caller wrote it. */
function editsBetween(before: JsonObject, after: JsonObject): Edit[] {
  const edits: Edit[] = [];
  for (const name of Object.keys(before)) if (after[name] === undefined) edits.push({ name, value: undefined });
  for (const [name, value] of Object.entries(after))
    if (value !== before[name]) edits.push({ name, value: JSON.stringify(value) });
  return edits;
}

// How a body shows that its prompt may be cached.

const caching: PromptCaching = {
  prompt: ['tools', 'systemInstruction', 'system_instruction', 'contents'],
  groupMember: 'cachedContent',
};

// Files by URL: the format's home reads its own stores and public videos by URL, everything else as bytes.

const WEB_ADDRESS = /^https?:\/\//i;
const FETCHED = /^https?:\/\/(?:generativelanguage\.googleapis\.com|(?:www\.|m\.)?youtube\.com|youtu\.be)\//i;

const needsBytes = ({ source }: MediaBlock): boolean =>
  source.via === 'url' && WEB_ADDRESS.test(source.url) && !FETCHED.test(source.url);

// Token counting at a host: the whole request in one member, so that instructions and tools are counted, and its
// answer. The cloud edition has no such member and takes the counted members next to `contents`.

const COUNTED_BY_CLOUD = ['contents', 'systemInstruction', 'tools', 'generationConfig'] as const;

const hostCount = {
  encode(call: TextCall, target: TargetFacts): JsonObject {
    const { body } = encodeCall(call, target);
    if (!quirksOf(target).countsWholeCall) return onlyMembers(body, COUNTED_BY_CLOUD);
    return { generateContentRequest: { model: `models/${target.upstreamModel}`, ...body } };
  },
  decode: (body: Json | undefined): number | undefined => countIn(isJsonObject(body) ? body['totalTokens'] : undefined),
};

function understand(body: JsonObject, head?: RequestHead): Understanding {
  const checked = checkGenerate(body, head);
  const { config } = checked;
  const enumValues = enumValuesOf(config);
  const made = arrayAt(config, 'responseModalities');
  let call: TextCall | undefined;
  return {
    model: checked.model,
    stream: checked.stream,
    responseOptions: {
      usageInStream: true,
      withCost: false,
      hideReasoning: objectAt(config, 'thinkingConfig')?.['includeThoughts'] !== true,
      logprobs: config['responseLogprobs'] === true,
      bareEnums: head?.bareEnums === true,
      ...((numberAt(config, 'candidateCount') ?? 1) > 1 && { severalCandidates: true }),
      ...(enumValues !== undefined && { enumValues }),
      ...(made.includes('AUDIO') && { sound: made.includes('TEXT') ? 'too' : 'alone' }),
    },
    losses: checked.losses,
    unreadMembers: (forSameDialect) => unreadMembers(checked.body, config, forSameDialect),
    media: checked.traits.media,
    maxOutputTokens: numberAt(config, 'maxOutputTokens'),
    metadata: checked.labels,
    judge: (model) => judge(checked, model),
    call: () => (call ??= decodeCall(checked)),
    verbatim: (target) => verbatimRequest(checked, target),
  };
}

const encodeCount = (inputTokens: number): JsonObject => ({
  totalTokens: inputTokens,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: inputTokens }],
});

/** The counted request may also be nested in one member, with the model's name. */
const understandCount = (body: JsonObject, head?: RequestHead): Understanding => {
  const inner = objectAt(body, 'generateContentRequest') ?? objectAt(body, 'generate_content_request');
  const { model: _, ...request } = inner ?? body;
  return understand(inner === undefined ? body : request, head);
};

export const googleGenerate: Dialect = {
  id: 'google-generate',
  operation: 'text',
  argumentsAsValues: true,
  escapesLineBreakers: true,
  stances,
  quirks: (own) => ({ ...COMMON_GENERATE, ...own }),
  server: {
    understand,
    encodeAnswer,
    eventEncoder,
    encodeFault,
    streamFault,
    count: { understand: understandCount, encode: encodeCount },
    keepAlive,
    spelling,
    knows: isRootMember,
    caching,
  },
  client: {
    encodeCall,
    count: hostCount,
    decodeAnswer,
    eventDecoder,
    answerLosses,
    decodeFault,
    needsBytes,
    sealRefusals: SEAL_REFUSALS,
  },
  verbatim: { answer: readAnswer, frames: verbatimFrames },
};
