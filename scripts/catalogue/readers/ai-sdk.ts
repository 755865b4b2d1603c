// The AI SDK's table of Claude models is inside its provider: what it asks for by default shows the limit it believes in.

import { createAnthropic } from '@ai-sdk/anthropic';
import type { OurSheet } from '../ours.ts';
import type { Found } from './reader.ts';

const defaultLimit = async (model: string): Promise<number | undefined> => {
  let limit: unknown;
  const provider = createAnthropic({
    apiKey: 'none',
    baseURL: 'http://127.0.0.1:1',
    fetch: async (_url, init) => {
      limit = (JSON.parse(String(init?.body)) as { readonly max_tokens?: unknown }).max_tokens;
      return new Response('{}', { status: 400 });
    },
  });
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }];
  // The answer is a refusal: only the request counts.
  await provider(model)
    .doGenerate({ prompt })
    .then(undefined, () => undefined);
  return typeof limit === 'number' ? limit : undefined;
};

export const aiSdkFacts = async (ours: OurSheet): Promise<Found | undefined> => {
  if (ours.host !== 'anthropic') return undefined;
  const maxOutput = await defaultLimit(ours.upstreamModel);
  return maxOutput === undefined ? undefined : { as: ours.upstreamModel, sheet: { maxOutput } };
};
