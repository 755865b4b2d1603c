// OpenAI's moderation: free, and without usage. A category applies if the text has its name, or that of its parent.
import { parseObject } from '../../json-text.ts';
import { asRecord, asText, type JsonRecord } from '../../json-value.ts';
import { countWords } from '../../vectors.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { checkHead, unknownModel } from '../openai-chat/check.ts';
import { wordProblem } from '../openai-chat/problem.ts';
import { type ChatProfile, profileOf } from '../openai-chat/profiles.ts';
import { badRequest, type ChatRefusal } from '../openai-chat/refusal.ts';
import { refused, statusReply } from '../openai-chat/status-replies.ts';
import { json, replyOnly } from '../replies.ts';
import { Shapes } from '../shape-check.ts';

const CATEGORIES = [
  ...['harassment', 'harassment/threatening', 'hate', 'hate/threatening', 'illicit', 'illicit/violent'],
  ...['self-harm', 'self-harm/instructions', 'self-harm/intent', 'sexual', 'sexual/minors'],
  ...['violence', 'violence/graphic'],
];
const DEFAULT_MODEL = 'omni-moderation-latest';
const MODELS = /^omni-moderation-(?:latest|2024-09-26)$/u;

const shapes = new Shapes(`Moderations = { model?: text(1..), input }`);

export const openaiModerations: SimulatedDialect = {
  name: 'openai-moderations',
  vendors: ['openai', 'compatible'],
  paths: [/^\/v1\/moderations$/u],
  understand,
};

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const profile = profileOf(request.vendor);
  const early = checkHead(request, profile, options);
  if (early !== undefined) return refused(early, profile);
  const body = parseObject(request.body);
  if (body === undefined)
    return refused(badRequest('We could not parse the JSON body of your request.', null), profile);
  const refusal = options.lenient ? undefined : checkBody(body, profile);
  if (refusal !== undefined) return refused(refusal, profile, body);
  const model = asText(body['model']) || DEFAULT_MODEL;
  const texts = textsOf(body['input']);
  const reply = json(200, { id: 'modr-970d409ef3bef3b7', model, results: texts.map(judged) }, profile.answerHeaders);
  const renderer = replyOnly((fault) => statusReply(fault, profile));
  return { kind: 'reply', reply, renderer, body, model, promptTokens: countWords(texts.join(' ')) };
}

function checkBody(body: JsonRecord, { ignoresUnknown, vendor }: ChatProfile): ChatRefusal | undefined {
  const problem = shapes.first('Moderations', body, ignoresUnknown);
  if (problem !== undefined) return wordProblem(problem);
  const model = asText(body['model']) || DEFAULT_MODEL;
  if (vendor === 'openai' && !MODELS.test(model)) return unknownModel(model);
  return textsOf(body['input']).length > 0 ? undefined : badRequest("'input' is a required property", 'input');
}

/** One text for each result: parts are judged together. */
function textsOf(input: unknown): readonly string[] {
  if (typeof input === 'string') return [input];
  const list = Array.isArray(input) ? input : [];
  if (list.every((each) => typeof each === 'string')) return list;
  return [list.map((part) => asText(asRecord(part)['text'])).join(' ')];
}

function judged(text: string): object {
  const applies = (category: string): boolean => text.includes(category.split('/')[0] ?? '');
  const table = <T>(of: (category: string) => T) => Object.fromEntries(CATEGORIES.map((name) => [name, of(name)]));
  return {
    flagged: CATEGORIES.some(applies),
    categories: table(applies),
    category_scores: table((name) => (applies(name) ? 0.9512345678901234 : 0.0000012345678)),
    category_applied_input_types: table((name) => (applies(name) ? ['text'] : [])),
  };
}
