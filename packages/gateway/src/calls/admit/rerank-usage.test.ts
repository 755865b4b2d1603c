// What reranking is held and charged, for any prices and any report.
import type { Usage } from '@trivium/protocol/canonical';
import type { RerankOptions } from '@trivium/protocol/dialects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExactPriceItem, ExactPrices } from '../../kernel/price.ts';
import { costOf } from '../../money/prices/cost.ts';
import { holdNanoUsd, missingPrices } from '../../money/prices/hold.ts';
import { withinLimits } from '../../money/prices/plausible.ts';
import { EndpointRates } from '../../money/prices/rates.ts';
import { filledRerank, rerankAsk, rerankLimits } from './rerank-usage.ts';

const item = fc.record({
  picoUsd: fc.bigInt({ min: 0n, max: 10n ** 17n }),
  unit: fc.constantFrom('perMTokens' as const, 'perCount' as const),
});
const prices: fc.Arbitrary<ExactPrices> = fc.record(
  { prompt: item.map((one): readonly ExactPriceItem[] => [one]) },
  { requiredKeys: [] },
);
const asked: fc.Arbitrary<RerankOptions> = fc
  .record({ documents: fc.integer({ min: 1, max: 1000 }), tokens: fc.nat(500_000), more: fc.nat(50) })
  .map(({ documents, tokens, more }) => {
    const estimatedUnits = Math.ceil(documents / 100);
    const mostUnits = estimatedUnits + more;
    return { documents, topN: documents, estimatedTokens: tokens, estimatedUnits, mostUnits };
  });
const reports: fc.Arbitrary<Usage> = fc.record(
  { prompt: fc.nat(5_000_000), searchUnits: fc.nat(1000), completion: fc.nat(1000) },
  { requiredKeys: [] },
);

test('whatever a host of reranking reports, no more is charged than was held, and only what has a price', () => {
  fc.assert(
    fc.property(prices, asked, reports, (rows, question, reported) => {
      const rates = new EndpointRates({ prices: rows, otherPrices: [] }, 'v').rates();
      const ask = rerankAsk(question, rates);
      const { usage } = withinLimits(filledRerank(question, reported, rates).usage, rerankLimits(question));
      const cost = costOf(usage, rates);
      expect(holdNanoUsd(rates, ask) >= cost.nanoUsd).toBe(true);
      if (missingPrices(rates, ask).length === 0) expect(cost.unpriced).toEqual([]);
    }),
  );
});
