/** Reranking at every host that ranks documents: each model, and what a unit of it costs. */
import { expect } from 'vitest';
import { AWS_CREDENTIAL, AZURE_KEY } from './cloud-hosts.ts';
import { type Json, postJson, type Reply } from './embed-probe.ts';
import type { Stand, StandOptions } from './stand.ts';
import { UPSTREAM_SECRET } from './stand.ts';

export const COHERE = 'cohere/rerank-v3.5';
export const VOYAGE = 'voyage/rerank-2.5';
const JINA = 'jina/jina-reranker-v3';
const TEI = 'own/tei-reranker';
const VLLM = 'own/vllm-reranker';
const LLAMA = 'own/llama-reranker';
/** Search units that its host does not report. */
export const BEDROCK = 'own/bedrock-reranker';
/** Cohere's models in the operator's own resource. */
export const AZURE = 'own/azure-reranker';
/** No price is known. */
export const UNPRICED = 'own/unpriced-reranker';

const RANKS = { outputModalities: ['rerank'], contextLength: 8192 };

export const rerankHosts: NonNullable<StandOptions['alsoHosts']> = (url) => ({
  providers: {
    cohere: { credential: UPSTREAM_SECRET, baseUrl: `${url}/cohere/v2` },
    voyage: { credential: UPSTREAM_SECRET, baseUrl: `${url}/voyage/v1` },
    jina: { credential: UPSTREAM_SECRET, baseUrl: `${url}/jina/v1` },
    tei: { baseUrl: `${url}/tei` },
    vllm: { baseUrl: `${url}/vllm` },
    'llama-cpp': { baseUrl: `${url}/llama` },
    azure: { credential: AZURE_KEY, baseUrl: `${url}/azure/providers/cohere/v2` },
    'amazon-bedrock': {
      credential: AWS_CREDENTIAL,
      baseUrl: `${url}/bedrock-agent`,
      variables: { region: 'us-east-1' },
    },
  },
  models: [
    { id: TEI, ...RANKS, endpoints: [{ provider: 'tei', dialect: 'tei-rerank' }] },
    { id: VLLM, ...RANKS, endpoints: [{ provider: 'vllm', dialect: 'cohere-rerank' }] },
    { id: LLAMA, ...RANKS, endpoints: [{ provider: 'llama-cpp', dialect: 'cohere-rerank' }] },
    {
      id: BEDROCK,
      ...RANKS,
      endpoints: [
        {
          provider: 'amazon-bedrock',
          dialect: 'bedrock-rerank',
          upstreamModel: 'arn:aws:bedrock:us-east-1::foundation-model/cohere.rerank-v3-5:0',
          pricings: { prompt: [{ value: '0.002', unit: 'perCount', currency: 'USD' }] },
        },
      ],
    },
    {
      id: AZURE,
      ...RANKS,
      endpoints: [
        {
          provider: 'azure',
          dialect: 'cohere-rerank',
          upstreamModel: 'rerank-v4.0-pro',
          pricings: { prompt: [{ value: '0.002', unit: 'perCount', currency: 'USD' }] },
        },
      ],
    },
    {
      id: UNPRICED,
      ...RANKS,
      endpoints: [{ provider: 'cohere', dialect: 'cohere-rerank', upstreamModel: 'rerank-v3.5' }],
    },
  ],
});

/** Every model that ranks, each at a host of another format or with other quirks. */
export const RANKERS: readonly string[] = [COHERE, VOYAGE, JINA, TEI, VLLM, LLAMA, BEDROCK, AZURE];

export const QUERY = 'what is the capital of the united states';
/** The third answers the query best, then the first; the others share fewer words with it. */
export const DOCUMENTS: readonly string[] = [
  'carson city is the capital city of the american state of nevada',
  'a stream runs through deserts',
  'washington is the capital of the united states and what is more its seat',
  'states have capitals',
];
export const BEST_FIRST: readonly number[] = [2, 0, 3, 1];

export const question = (model: string, more: Json = {}): Json => ({
  model,
  query: QUERY,
  documents: DOCUMENTS,
  ...more,
});

export const postRerank = (stand: Stand, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  postJson(`${stand.chatUrl}/rerank`, body, headers);

type Result = {
  readonly index: number;
  readonly relevance_score: number;
  readonly document?: { readonly text: string };
};

export const resultsIn = ({ json }: Reply): readonly Result[] => json['results'] as readonly Result[];
export const placesIn = (reply: Reply): readonly number[] => resultsIn(reply).map(({ index }) => index);

/** 200 after exactly one upstream call that the upstream accepted; `sent`: the body that it received. */
export async function ranked(
  stand: Stand,
  body: Json,
  headers: Record<string, string> = {},
): Promise<{ readonly reply: Reply; readonly sent: Json; readonly losses: readonly string[] }> {
  const before = stand.simulator.truth.read().length;
  const reply = await postRerank(stand, body, headers);
  expect({ status: reply.status, error: reply.json['error'] }).toEqual({ status: 200, error: undefined });
  const entries = stand.simulator.truth.read().slice(before);
  expect(entries).toHaveLength(1);
  return {
    reply,
    sent: entries[0]?.body as Json,
    losses: reply.headers.get('x-trivium-losses')?.split(',') ?? [],
  };
}

/** 400 that names the field, without an upstream call. */
export async function refused(stand: Stand, body: unknown, param: string, headers = {}): Promise<void> {
  const before = stand.simulator.truth.read().length;
  const reply = await postRerank(stand, body, headers);
  const error = reply.json['error'] as Json | undefined;
  expect({ body, status: reply.status, param: error?.['param'] }).toEqual({ body, status: 400, param });
  expect(stand.simulator.truth.read().length).toBe(before);
}
