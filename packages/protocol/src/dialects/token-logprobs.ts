/** Token log probabilities in the form of chat and Responses, both ways. */
import type { TokenLogprob } from '../canonical/content.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, numberAt, stringAt } from '../canonical/json.ts';

type Token = Omit<TokenLogprob, 'alternatives'>;

export const readLogprobs = (entries: readonly Json[]): TokenLogprob[] =>
  entries.filter(isJsonObject).map((entry) => ({
    ...readToken(entry),
    alternatives: arrayAt(entry, 'top_logprobs').filter(isJsonObject).map(readToken),
  }));

function readToken(entry: JsonObject): Token {
  const bytes = arrayAt(entry, 'bytes').filter((byte) => typeof byte === 'number');
  return {
    token: stringAt(entry, 'token') ?? '',
    logprob: numberAt(entry, 'logprob') ?? 0,
    ...(Array.isArray(entry['bytes']) && { bytes }),
  };
}

/** `noBytes` is the dialect's value for a token without known bytes. */
export const writeLogprobs = (logprobs: readonly TokenLogprob[], noBytes: Json): JsonObject[] => {
  const write = ({ token, logprob, bytes }: Token): JsonObject => ({ token, logprob, bytes: bytes ?? noBytes });
  return logprobs.map(({ alternatives, ...token }) => ({ ...write(token), top_logprobs: alternatives.map(write) }));
};
