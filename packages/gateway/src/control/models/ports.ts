/** What the admin API needs to show models. */
import type { ModelDetail, ShownModel } from './contract.ts';

/** Models as the engine has them now. */
export type ModelsPort = {
  /** By id. At the prices of an account; undefined: at list prices. */
  readonly list: (account: string | undefined) => readonly ShownModel[];
  readonly one: (name: string, account: string | undefined) => ModelDetail | undefined;
};

export type ModelPorts = { readonly models: ModelsPort };
