/** What the admin API needs to show models. */
import type { PriceChange } from '../../models/catalogue/price-change.ts';
import type { DatabasePorts } from '../api/route.ts';
import type { ModelDetail, ShownModel } from './contract.ts';
import type { OwnModelDefinition } from './own-contract.ts';

/** Models as the engine has them now. */
export type ModelsPort = {
  /** By id. At the prices of an account; undefined: at list prices. */
  readonly list: (account: string | undefined) => readonly ShownModel[];
  readonly one: (name: string, account: string | undefined) => ModelDetail | undefined;
};

export type ModelPorts = { readonly models: ModelsPort };

/** Models, aliases and prices of the database, as they are to be. */
export type StoredCatalogue = {
  readonly models: readonly OwnModelDefinition[];
  readonly aliases: readonly { readonly name: string; readonly model: string }[];
  readonly prices: readonly PriceChange[];
};

/** The first of them that does not fit the file and the shipped catalogue. */
export type CatalogueMisfit = {
  readonly of: keyof StoredCatalogue;
  readonly at: number;
  readonly problem: string;
};

export type CataloguePort = { readonly misfitIn: (stored: StoredCatalogue) => Promise<CatalogueMisfit | undefined> };
export type OwnModelPorts = DatabasePorts & { readonly catalogue: CataloguePort };
