// How many tokens a model reads, for clients that must be given it.

import { loadCatalogue, providerSet } from '@trivium/gateway/config';

const DEADLINE_MS = 2000;

/** From the shipped catalogue; models of the operator's own are known to the gateway only. Undefined if neither says. */
export async function contextLengthOf(model: string, gateway: string): Promise<number | undefined> {
  const { snapshot } = await loadCatalogue({ knownProviders: providerSet().ids });
  return snapshot.find(model)?.contextLength ?? (await askGateway(model, gateway));
}

async function askGateway(model: string, gateway: string): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const response = await fetch(`${gateway}/v1/models/${model}`, { signal, redirect: 'error' });
    const entry: unknown = response.ok ? await response.json() : undefined;
    const length = typeof entry === 'object' && entry !== null && 'context_length' in entry ? entry.context_length : 0;
    return Number.isSafeInteger(length) && Number(length) > 0 ? Number(length) : undefined;
  } catch {
    // The settings are good without it, and the gateway need not run yet.
    return undefined;
  }
}
