/** The known shapes of every format, made of the makers' types and of samples. */
import type { Known, KnownShapes } from '../../packages/gateway/src/models/shapes/known.ts';
import { eventKind, pairsOf } from '../../packages/gateway/src/models/shapes/order.ts';
import { DEVIATIONS, type Maker } from '../../tests/contract/deviations.ts';
import { generatedSchemas } from '../../tests/contract/schemas.ts';
import { MEDIA_FORMATS } from '../check-live/media-hosts.ts';
import { knownOf, learnSample, learnSchema, Node, type Schema } from './learn.ts';
import { mediaSamples } from './media-samples.ts';
import { describedSamples, fixtureSamples, recordedSamples, type Sample, simulatedSamples } from './samples.ts';

type Types = readonly [maker: Maker, kinds: Readonly<Record<string, string>>];

const TYPES: Readonly<Record<string, Types | undefined>> = {
  'openai-chat': ['OpenAI', { answer: 'chatAnswer', event: 'chatEvent', error: 'chatError' }],
  'openai-responses': ['OpenAI', { answer: 'responsesAnswer', event: 'responsesEvent', error: 'responsesError' }],
  'anthropic-messages': [
    'Anthropic',
    { answer: 'messagesAnswer', event: 'messagesEvent', error: 'messagesError', count: 'countAnswer' },
  ],
  'google-generate': ['Google', { answer: 'generateAnswer', event: 'generateEvent', error: 'generateError' }],
  'amazon-converse': undefined,
  'openai-embeddings': ['OpenAI', { answer: 'embeddingsAnswer', error: 'embeddingsError' }],
  'openai-images': ['OpenAI', { answer: 'imagesAnswer', error: 'imagesError' }],
  'openai-speech': ['OpenAI', { error: 'speechError' }],
  'openai-transcription': [
    'OpenAI',
    { answer: 'transcriptAnswer', event: 'transcriptEvent', error: 'transcriptError' },
  ],
  'openai-moderations': ['OpenAI', { answer: 'moderationsAnswer', error: 'moderationsError' }],
  'openai-videos': ['OpenAI', { answer: 'clip', poll: 'clip', error: 'videosError' }],
  'cohere-rerank': ['Cohere', { answer: 'rerankAnswer' }],
  'voyage-rerank': ['Voyage', { answer: 'voyageAnswer' }],
};

/** Answered in the format for text of their host. */
const AS_TEXT: ReadonlySet<string> = new Set(['google-image', 'google-speech', 'google-transcription']);
const MEDIA = MEDIA_FORMATS.filter((format) => !AS_TEXT.has(format));

export const SHAPED_DIALECTS = [...new Set([...Object.keys(TYPES), ...MEDIA])];

const ODD = /^a host that counts in its own way/;
const NO_SAMPLE_ORDER = new Set(['error']);

export async function makeShapes(dialect: string): Promise<KnownShapes> {
  const roots = new Map<string, Node>();
  const root = (name: string): Node => {
    const node = roots.get(name) ?? new Node();
    roots.set(name, node);
    return node;
  };
  const types = TYPES[dialect];
  if (types !== undefined) {
    const [maker, kinds] = types;
    const { properties, definitions } = withExtras(maker);
    for (const [name, kind] of Object.entries(kinds)) learnSchema(root(name), properties[kind] ?? {}, definitions);
  }
  const order = new Set<string>();
  const samples = [...recordedSamples(dialect), ...fixtureSamples(dialect), ...describedSamples(dialect)];
  const simulated = MEDIA.includes(dialect) ? await mediaSamples(dialect) : await simulatedSamples(dialect);
  for (const sample of [...samples, ...simulated]) learn(sample, root, order);
  const known = Object.fromEntries([...roots].map(([name, node]): [string, Known] => [name, knownOf(node)]));
  return { roots: known, order: [...order].sort() };
}

function withExtras(maker: Maker): {
  properties: Readonly<Record<string, Schema>>;
  definitions: Record<string, Schema>;
} {
  const generated = generatedSchemas()[maker];
  const definitions = { ...generated.definitions } as unknown as Record<string, Schema>;
  for (const { maker: of, type, members, is, as = {}, why } of DEVIATIONS) {
    const found = definitions[type];
    // What our own callers may be shown, and hosts that count in their own way, are no beliefs about a host.
    if (of !== maker || found === undefined || 'pattern' in as || ODD.test(why)) continue;
    const properties = { ...(found['properties'] as Record<string, unknown>) };
    const required = ((found['required'] as string[] | undefined) ?? []).filter(
      (name) => is !== 'absent' || !members.includes(name),
    );
    for (const member of members)
      if (is === 'extra') properties[member] = as;
      else if (is === 'also') properties[member] = { anyOf: [properties[member] ?? {}, as] };
    definitions[type] = { ...found, properties, required };
  }
  return { properties: generated.properties as unknown as Readonly<Record<string, Schema>>, definitions };
}

function learn(sample: Sample, root: (name: string) => Node, order: Set<string>): void {
  if (sample.frames === undefined) {
    learnSample(root(sample.root), sample.value);
    return;
  }
  const kinds: string[] = [];
  for (const { event, data, repeated } of sample.frames) {
    if (typeof data === 'object' && data !== null) {
      // A frame of which the name alone says what it is has a shape of its own.
      const isNamed = event !== undefined && !('type' in data);
      learnSample(root(isNamed ? `event ${event}` : 'event'), data);
    }
    const kind = eventKind(event, data);
    if (kind === undefined) continue;
    kinds.push(kind);
    if (repeated !== undefined) kinds.push(kind);
  }
  if (sample.isPart === true || kinds.some((kind) => NO_SAMPLE_ORDER.has(kind))) return;
  const pairs = pairsOf(kinds);
  for (const pair of sample.isWhole ? pairs : pairs.filter((one) => !one.endsWith('>$'))) order.add(pair);
}
