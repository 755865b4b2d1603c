// Sources of an answer, with offsets in bytes of UTF-8, and log probabilities.
import { passagesOf } from '../../scenarios/passages.ts';
import { piecesOf, type ShapedScript } from '../../scenarios/script.ts';
import type { GenerateRenderContext } from './render-shared.ts';

/** With a search the sources ground the answer; without one they are citations. */
export function sourceFields(script: ShapedScript): object {
  const found = passagesOf(script.pieces, Buffer.byteLength);
  const [search] = piecesOf(script.pieces, 'search');
  if (search === undefined) {
    const citations = found.map(({ source, start, end }) => ({
      startIndex: start,
      endIndex: end,
      uri: source.url,
      title: source.title,
    }));
    return citations.length === 0 ? {} : { citationMetadata: { citations } };
  }
  const sources = search.found ?? [];
  return {
    groundingMetadata: {
      webSearchQueries: [search.query],
      searchEntryPoint: { renderedContent: `<div>${search.query}</div>` },
      groundingChunks: sources.map(({ url, title }) => ({ web: { uri: url, title } })),
      groundingSupports: found.map(({ source, text, start, end }) => ({
        segment: { startIndex: start, endIndex: end, text },
        groundingChunkIndices: [sources.indexOf(source)],
      })),
    },
  };
}

const DEFAULT_LOGPROB = -0.25;

export function logprobFields(script: ShapedScript, { topLogprobs }: GenerateRenderContext): object {
  if (topLogprobs === undefined) return {};
  const chosenCandidates = script.pieces.flatMap((piece, tokenId) =>
    piece.kind === 'text' ? [{ token: piece.text, tokenId, logProbability: piece.logprob ?? DEFAULT_LOGPROB }] : [],
  );
  const topCandidates = chosenCandidates.map(({ token, logProbability }) => ({
    candidates: Array.from({ length: topLogprobs }, (_, rank) => ({
      token: `${token}${'~'.repeat(rank)}`,
      logProbability: logProbability - rank,
    })),
  }));
  const sum = chosenCandidates.reduce((total, one) => total + one.logProbability, 0);
  return {
    avgLogprobs: chosenCandidates.length === 0 ? 0 : sum / chosenCandidates.length,
    logprobsResult: { chosenCandidates, topCandidates },
  };
}
