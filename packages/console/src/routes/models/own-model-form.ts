/** The form of an own model, and what it asks of the API. */
import type { Schemas } from '../../api/client.ts';
import { PER_M_TOKENS } from './prices.ts';

export type Definition = Schemas['OwnModelDefinition'];

const PRICES = ['prompt', 'completion', 'input_cache_read'] as const;
type Price = (typeof PRICES)[number];

export const EMPTY_FORM = {
  id: '',
  provider: '',
  upstreamModel: '',
  contextLength: '',
  maxOutputTokens: '',
  readsImages: false,
  prompt: '',
  completion: '',
  input_cache_read: '',
};

export type OwnModelForm = Readonly<typeof EMPTY_FORM>;

type Pricings = { readonly [Kind in Price]?: readonly { readonly value?: string; readonly unit?: string }[] };

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

export function formOf({ id, endpoints, ...model }: Definition): OwnModelForm {
  const [first = {}] = endpoints;
  const pricings = (first['pricings'] ?? {}) as Pricings;
  const input = model['inputModalities'];
  const priceOf = (kind: Price): string => textOf(pricings[kind]?.[0]?.value);
  return {
    id,
    provider: textOf(first['provider']),
    upstreamModel: textOf(first['upstreamModel']),
    contextLength: textOf(model['contextLength']),
    maxOutputTokens: textOf(model['maxOutputTokens']),
    readsImages: Array.isArray(input) && input.includes('image'),
    prompt: priceOf('prompt'),
    completion: priceOf('completion'),
    input_cache_read: priceOf('input_cache_read'),
  };
}

const numberIn = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text));

const without = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** `before`: what the form does not show stays as it was: further endpoints, capabilities, other prices. */
export function definitionOf(form: OwnModelForm, before?: Definition): Definition {
  const [first = {}, ...others] = before?.endpoints ?? [];
  const pricings = without({
    ...(first['pricings'] as Pricings | undefined),
    ...Object.fromEntries(
      PRICES.map((kind) => {
        const value = form[kind].trim();
        return [kind, value === '' ? undefined : [{ value, unit: PER_M_TOKENS, currency: 'USD' }]];
      }),
    ),
  });
  const input = ['text', ...(form.readsImages ? ['image'] : [])];
  return {
    ...without({
      ...before,
      contextLength: numberIn(form.contextLength),
      maxOutputTokens: numberIn(form.maxOutputTokens),
      inputModalities: form.readsImages || before?.['inputModalities'] !== undefined ? input : undefined,
    }),
    id: form.id.trim(),
    endpoints: [
      without({
        ...first,
        provider: form.provider,
        upstreamModel: form.upstreamModel.trim() || undefined,
        pricings: Object.keys(pricings).length === 0 ? undefined : pricings,
      }),
      ...others,
    ],
  };
}

/** `acme/large`; `acme/*` is for models of a provider that are in no list. */
export const isComplete = ({ id, provider }: OwnModelForm): boolean =>
  /^[^\s/]{1,100}\/\S{1,100}$/.test(id.trim()) && provider !== '';
