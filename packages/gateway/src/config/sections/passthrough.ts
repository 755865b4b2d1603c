// `passthrough`: further paths of providers that callers may use as they are, each with its price.

import Type, { type Static } from 'typebox';
import {
  isPlainPath,
  PASSTHROUGH_METHODS,
  type PassthroughMethod,
  type PassthroughPriceSettings,
  type PassthroughRouteSettings,
  whyShut,
} from '../../kernel/passthrough.ts';
import { parsePicoUsd } from '../../kernel/usd.ts';
import type { ConfigPath } from '../reading/problem.ts';
import {
  type Building,
  bytes,
  closed,
  list,
  MIB,
  milliseconds,
  optionalInteger,
  optionalText,
  section,
} from './parts.ts';
import type { ProviderSettings } from './providers.ts';

const MAX_ROUTES = 500;
const MAX_MODELS = 64;
const MAX_UNITS = 1_000_000_000;
const MODEL = '{model}';

const price = Type.Object(
  {
    kind: Type.Enum(['free', 'flat', 'metered'], {
      description:
        '`free`: nothing is charged. `flat`: `usd` for each answer. `metered`: `usd` for each unit that the answer names.',
    }),
    usd: optionalText(32, 'USD for one answer or one unit, as a decimal, e.g. `0.002`.'),
    pointer: optionalText(
      200,
      'With `metered`: the JSON pointer (RFC 6901) to the number of units in the answer, e.g. `/usage/total_tokens`.',
    ),
    maxUnits: optionalInteger(
      1,
      MAX_UNITS,
      'With `metered`: the most units of one answer. That much is held before the call; an answer without a number costs as much, and none costs more.',
    ),
  },
  closed,
);

const route = Type.Object(
  {
    provider: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$', description: 'Id of a provider under `providers`.' }),
    dialect: optionalText(
      64,
      'The offer of the provider whose base URL and credential are used. Without it: its first one.',
    ),
    method: Type.Enum([...PASSTHROUGH_METHODS], { default: 'POST', description: 'HTTP method.' }),
    path: Type.String({
      minLength: 2,
      maxLength: 512,
      description:
        'Path below the base URL of the provider, e.g. `/moderations`. One segment, or a part of it, may be `{model}`, whose values `models` lists.',
    }),
    models: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z0-9][a-z0-9_.-]{0,127}$' }), {
        minItems: 1,
        maxItems: MAX_MODELS,
        description: 'The values of `{model}` in `path`.',
      }),
    ),
    price: Type.Optional(price),
  },
  closed,
);

export const passthroughSchema = section(
  {
    routes: list(
      route,
      MAX_ROUTES,
      [],
      'Methods and paths of providers that callers may use as they are, below `/passthrough/{provider}`. A route without a `price` is refused to accounts with credit or budgets. Paths of administration, of credentials, of what is stored, and of calls that this gateway serves itself cannot be opened.',
    ),
    timeoutMs: milliseconds(120_000, 'How long a provider may take for a whole answer.'),
    bodyBytes: bytes(4 * MIB, 1, 'The longest request body.'),
    answerBytes: bytes(16 * MIB, 1, 'The longest answer.'),
  },
  'Further paths of providers, passed through. Off until there are routes.',
);

type Data = Static<typeof passthroughSchema>;
type RouteData = Data['routes'][number];

export type PassthroughSettings = Omit<Data, 'routes'> & { readonly routes: readonly PassthroughRouteSettings[] };

export function buildPassthrough(
  data: Data,
  providers: Readonly<Record<string, ProviderSettings>>,
  building: Building,
): PassthroughSettings {
  const known = new Set<string>();
  const routes = data.routes.flatMap((each, index) => {
    const at = ['passthrough', 'routes', index];
    if (!Object.hasOwn(providers, each.provider))
      building.report([...at, 'provider'], 'is not configured under providers', 'key');
    const { provider, method, dialect } = each;
    const charged = each.price === undefined ? undefined : priceOf(each.price, [...at, 'price'], building);
    return pathsOf(each, at, building).map((path) => {
      const name = `${method} ${provider}${path}`;
      if (known.has(name)) building.report([...at, 'path'], `opens ${name} a second time`);
      known.add(name);
      return {
        provider,
        method: method as PassthroughMethod,
        path,
        ...(dialect !== undefined && { dialect }),
        ...(charged !== undefined && { price: charged }),
      };
    });
  });
  return { ...data, routes };
}

function pathsOf({ path, models }: RouteData, at: ConfigPath, { report }: Building): readonly string[] {
  const places = path.split(MODEL).length - 1;
  if (places > 1) report([...at, 'path'], `has ${MODEL} more than once`);
  if (places > 0 && models === undefined) report([...at, 'path'], `has ${MODEL}, yet there are no models`);
  if (places === 0 && models !== undefined) report([...at, 'models'], `are given, yet the path has no ${MODEL}`);
  const paths = places === 0 ? [path] : (models ?? []).map((model) => path.replace(MODEL, model));
  for (const one of paths) {
    const why = whyShut(one);
    if (why !== undefined) report([...at, 'path'], isPlainPath(one) ? `cannot be opened: ${why}` : why);
  }
  return paths;
}

function priceOf(
  { kind, usd, pointer, maxUnits }: NonNullable<RouteData['price']>,
  at: ConfigPath,
  { report }: Building,
): PassthroughPriceSettings | undefined {
  const isMetered = kind === 'metered';
  if (!isMetered && pointer !== undefined) report([...at, 'pointer'], 'is for metered prices', 'key');
  if (!isMetered && maxUnits !== undefined) report([...at, 'maxUnits'], 'is for metered prices', 'key');
  if (kind === 'free') {
    if (usd !== undefined) report([...at, 'usd'], 'is given, yet the price is "free"', 'key');
    return { kind };
  }
  if (usd === undefined) {
    report(at, `is "${kind}", which needs "usd"`);
    return undefined;
  }
  const read = parsePicoUsd(usd);
  if (!read.ok) report([...at, 'usd'], read.message);
  else if (read.picoUsd === 0n) report([...at, 'usd'], 'is zero: what costs nothing is "free"');
  if (!read.ok) return undefined;
  if (!isMetered) return { kind: 'flat', picoUsd: read.picoUsd };
  if (pointer === undefined || maxUnits === undefined) {
    report(at, 'is "metered", which needs "pointer" and "maxUnits"');
    return undefined;
  }
  if (!/^(?:\/(?:[^~/]|~[01])+)+$/.test(pointer))
    report([...at, 'pointer'], 'must be a JSON pointer such as /usage/units');
  const names = pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { kind: 'metered', picoUsd: read.picoUsd, pointer: names, maxUnits };
}
