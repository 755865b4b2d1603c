// What a model reads, for clients that must be given it.

import { loadCatalogue, providerSet } from '@trivium/gateway/config';
import type { ReadingFacts } from './client.ts';

const DEADLINE_MS = 2000;
const UNKNOWN: ReadingFacts = {};

/** From the shipped catalogue; models of the operator's own are known to the gateway only. Empty if neither knows it. */
export async function factsOf(model: string, gateway: string): Promise<ReadingFacts> {
  const { snapshot } = await loadCatalogue({ knownProviders: providerSet().ids });
  const card = snapshot.find(model);
  if (card === undefined) return await askGateway(model, gateway);
  return { contextLength: card.contextLength, readsPictures: card.inputModalities.includes('image') };
}

async function askGateway(model: string, gateway: string): Promise<ReadingFacts> {
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const response = await fetch(`${gateway}/v1/models/${model}`, { signal, redirect: 'error' });
    const entry: unknown = response.ok ? await response.json() : undefined;
    if (!isObject(entry)) return UNKNOWN;
    const length = entry['context_length'];
    const inputs = entry['input_modalities'];
    return {
      contextLength: Number.isSafeInteger(length) && Number(length) > 0 ? Number(length) : undefined,
      readsPictures: Array.isArray(inputs) ? inputs.includes('image') : undefined,
    };
  } catch {
    // The settings are good without it, and the gateway need not run yet.
    return UNKNOWN;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
