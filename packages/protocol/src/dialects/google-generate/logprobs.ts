/**
 * Token log probabilities, both ways: the chosen tokens in one list, the top candidates at each position in another.
 */
import type { TokenLogprob } from '../../canonical/content.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';

export function readLogprobs(candidate: JsonObject): TokenLogprob[] {
  const result = objectAt(candidate, 'logprobsResult');
  const top = arrayAt(result, 'topCandidates');
  return arrayAt(result, 'chosenCandidates')
    .filter(isJsonObject)
    .map((chosen, position) => {
      const here = top[position];
      const alternatives = isJsonObject(here) ? arrayAt(here, 'candidates').filter(isJsonObject).map(readToken) : [];
      return { ...readToken(chosen), alternatives };
    });
}

const readToken = (entry: JsonObject): { token: string; logprob: number } => ({
  token: stringAt(entry, 'token') ?? '',
  logprob: numberAt(entry, 'logProbability') ?? 0,
});

export function writeLogprobs(logprobs: readonly TokenLogprob[]): JsonObject {
  return {
    topCandidates: logprobs.map(({ alternatives }) => ({ candidates: alternatives.map(writeToken) })),
    chosenCandidates: logprobs.map(writeToken),
  };
}

const writeToken = ({ token, logprob }: { readonly token: string; readonly logprob: number }): JsonObject => ({
  token,
  logProbability: logprob,
});

export const averageLogprob = (logprobs: readonly TokenLogprob[]): number =>
  logprobs.reduce((sum, { logprob }) => sum + logprob, 0) / logprobs.length;
