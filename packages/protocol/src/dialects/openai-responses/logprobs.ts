/** Token log probabilities, both ways. */
import type { TokenLogprob } from '../../canonical/content.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, numberAt, stringAt } from '../../canonical/json.ts';

export const readLogprobs = (entries: readonly Json[]): TokenLogprob[] =>
  entries.filter(isJsonObject).map((entry) => ({
    ...readToken(entry),
    alternatives: arrayAt(entry, 'top_logprobs').filter(isJsonObject).map(readToken),
  }));

function readToken(entry: JsonObject): Omit<TokenLogprob, 'alternatives'> {
  const bytes = arrayAt(entry, 'bytes').filter((byte) => typeof byte === 'number');
  return {
    token: stringAt(entry, 'token') ?? '',
    logprob: numberAt(entry, 'logprob') ?? 0,
    ...(Array.isArray(entry['bytes']) && { bytes }),
  };
}

export const writeLogprobs = (logprobs: readonly TokenLogprob[]): JsonObject[] =>
  logprobs.map(({ alternatives, ...token }) => ({ ...writeToken(token), top_logprobs: alternatives.map(writeToken) }));

const writeToken = ({ token, logprob, bytes }: Omit<TokenLogprob, 'alternatives'>): JsonObject => ({
  token,
  logprob,
  bytes: bytes ?? [],
});
