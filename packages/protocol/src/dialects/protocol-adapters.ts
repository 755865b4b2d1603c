/** The adapters of the three protocols. An error on a path always has the form of that path's protocol. */

import { GatewayError } from '../canonical/gateway-error.ts';
import type { ProtocolName } from '../canonical/protocol-name.ts';
import * as messagesModels from './anthropic-messages/encode-models.ts';
import * as messagesFaults from './anthropic-messages/faults.ts';
import * as messagesRates from './anthropic-messages/rate-headers.ts';
import type { ModelListQuery, ProtocolAdapter, RateFigure, RateNote } from './dialect.ts';
import * as generateModels from './google-generate/encode-models.ts';
import * as generateFaults from './google-generate/faults.ts';
import * as chatModels from './openai-chat/encode-models.ts';
import * as chatFaults from './openai-chat/faults.ts';

/** The remaining limits, in the header names most clients read. */
const rateHeaders = (measure: keyof RateNote, { limit, remaining, resetMs }: RateFigure): string[] => [
  `x-ratelimit-limit-${measure}`,
  String(limit),
  `x-ratelimit-remaining-${measure}`,
  String(remaining),
  `x-ratelimit-reset-${measure}`,
  `${Math.ceil(resetMs) / 1000}s`,
];

type Listing =
  | { readonly ok: true; readonly list: object }
  | { readonly ok: false; readonly field: string; readonly message: string };

function listOrThrow(listing: Listing): object {
  if (listing.ok) return listing.list;
  throw new GatewayError({ kind: 'malformed', message: listing.message, field: listing.field });
}

const pick = <K extends string>(query: ModelListQuery, ...names: readonly K[]): { [P in K]?: string } => {
  const picked: { [P in K]?: string } = {};
  for (const name of names) {
    const value = query.get(name);
    if (value !== undefined) picked[name] = value;
  }
  return picked;
};

/**
 * Codex asks with its version, and reads `models` alone. An entry would have to bring the instructions for the model, which
 * replace those that Codex has: without entries it goes on with what it knows, and with the window of its own settings.
 */
const NO_CODEX_MODELS = { models: [] };

export const protocolAdapters: Readonly<Record<ProtocolName, ProtocolAdapter>> = {
  chat: {
    encodeFault: chatFaults.encodeFault,
    encodeModels: (cards, query) =>
      query.has('client_version')
        ? { ...chatModels.encodeModels(cards), ...NO_CODEX_MODELS }
        : chatModels.encodeModels(cards),
    encodeModel: chatModels.encodeModel,
    rateHeaders,
    needsContentType: false,
  },
  messages: {
    encodeFault: messagesFaults.encodeFault,
    encodeModels: (cards, query) =>
      listOrThrow(messagesModels.encodeModels(cards, pick(query, 'limit', 'after_id', 'before_id'))),
    encodeModel: messagesModels.encodeModel,
    rateHeaders: messagesRates.rateHeaders,
    needsContentType: true,
  },
  genai: {
    encodeFault: generateFaults.encodeFault,
    encodeModels: (cards, query) =>
      listOrThrow(generateModels.encodeModels(cards, pick(query, 'pageSize', 'pageToken'))),
    encodeModel: generateModels.encodeModel,
    rateHeaders,
    needsContentType: false,
  },
};
