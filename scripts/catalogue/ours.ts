// The shipped catalogue as sheets: one for every endpoint of every model that is served.

import { readCatalogueFiles, SHIPPED_CATALOGUE } from '../../packages/gateway/src/models/catalogue/read-files.ts';
import type { CatalogueFileData } from '../../packages/gateway/src/models/catalogue/schema.ts';
import { COMPARED_KINDS, type ComparedKind, INPUTS, priceText, type Sheet } from './sheet.ts';

export interface OurSheet extends Sheet {
  readonly model: string;
  readonly host: string;
  /** The id by which the host knows it. */
  readonly upstreamModel: string;
}

type OurModel = CatalogueFileData['models'][number];
type OurEndpoint = OurModel['endpoints'][number];

const pricesOf = (endpoint: OurEndpoint): NonNullable<Sheet['prices']> => {
  const prices: Partial<Record<ComparedKind, string>> = {};
  for (const kind of COMPARED_KINDS) {
    const items = endpoint.pricings?.[kind]?.filter(({ unit }) => unit === 'perMTokens') ?? [];
    const rows = items.map(({ value, conditions }) => ({
      above: (conditions?.prompt_tokens?.gt ?? 0) * 1000,
      usd: Number(value),
    }));
    const [base, ...tiers] = rows.sort((a, b) => a.above - b.above);
    if (base !== undefined) prices[kind] = priceText(base.usd, tiers);
  }
  return prices;
};

const sheetOf = (model: OurModel, endpoint: OurEndpoint): OurSheet => {
  const contextLength = endpoint.contextLength ?? model.contextLength;
  const maxOutput = endpoint.maxOutputTokens ?? model.maxOutputTokens;
  const inputs = endpoint.inputModalities ?? model.inputModalities;
  return {
    model: model.id,
    host: endpoint.provider,
    upstreamModel: endpoint.upstreamModel,
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    inputs: Object.fromEntries(INPUTS.map((input) => [input, inputs.includes(input)])),
    prices: pricesOf(endpoint),
  };
};

/** Retired models are not compared: the tables drop them, and nothing is sold. */
export const readOurSheets = async (directory: URL = SHIPPED_CATALOGUE): Promise<readonly OurSheet[]> => {
  const { files, problems } = await readCatalogueFiles(directory);
  if (problems.length > 0) throw new Error(`The catalogue cannot be read: ${JSON.stringify(problems[0])}`);
  return files.flatMap(({ data }) =>
    (data as CatalogueFileData).models
      .filter(({ retired }) => retired !== true)
      .flatMap((model) => model.endpoints.map((endpoint) => sheetOf(model, endpoint))),
  );
};
