/** The form of a routing policy: read from one, and what it asks of the API. */
import { wordsOf } from '../keys/key-form.ts';
import { DEFAULT_KINDS, type FallbackKind, MEMBERS, type Member, type Policy } from './words.ts';

export type ScopeKind = 'gateway' | 'account' | 'key' | 'tag';
/** `at`: stays with it while others are added and removed. */
export type FallbackRow = { readonly at: number; readonly model: string; readonly on: readonly FallbackKind[] };

export const EMPTY_FORM = {
  name: '',
  scope: 'gateway' as ScopeKind,
  account: '',
  key: '',
  tag: '',
  models: '',
  protocols: [] as readonly string[],
  operations: [] as readonly string[],
  only: '',
  ignore: '',
  region: '',
  /** Days. */
  retention: '',
  isUntrained: false,
  isStrict: false,
  promptUsd: '',
  completionUsd: '',
  strategy: '',
  order: '',
  /** `azure=70, openai=30`. */
  weights: '',
  isSticky: false,
  canaryKind: '' as '' | 'model' | 'host',
  canaryTarget: '',
  canaryPercent: '',
  canaryErrors: '',
  /** Seconds, as is the next. */
  canaryFirst: '',
  canaryWindow: '',
  canaryUsd: '',
  canaryCalls: '',
  fallbacks: [] as readonly FallbackRow[],
  /** Seconds. */
  firstByte: '',
  silence: '',
  total: '',
  /** What a less specific policy says about these does not hold. */
  lifted: [] as readonly string[],
  /** Members that the form has no fields for. */
  rest: {} as Readonly<Record<string, unknown>>,
};

export type PolicyForm = Readonly<typeof EMPTY_FORM>;

export const WEIGHTS_PATTERN = String.raw`\s*([a-z0-9._\-]+(#[0-9]+)?\s*=\s*[0-9]+(\.[0-9]+)?[,\s]*)*`;

const weightsOf = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    wordsOf(text.replaceAll(/\s*=\s*/g, '=')).map((word) => {
      const [host = '', weight = ''] = word.split('=');
      return [host, Number(weight)];
    }),
  );

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
const listText = (list: readonly string[] | null | undefined): string => list?.join(', ') ?? '';
const secondsText = (ms: number | undefined): string => (ms === undefined ? '' : String(ms / 1000));

/** How these members are lifted; the others by null. */
const LIFTED: Readonly<Partial<Record<string, boolean>>> = { trains: true, strict: false, sticky: false };

const canaryForm = (canary: Policy['canary']): Partial<PolicyForm> => {
  if (!canary) return {};
  const { model, host, percent, stepBack = {} } = canary;
  return {
    canaryKind: model === undefined ? 'host' : 'model',
    canaryTarget: model ?? host ?? '',
    canaryPercent: String(percent),
    canaryErrors: textOf(stepBack.errorPercent),
    canaryFirst: secondsText(stepBack.firstTokenP95Ms),
    canaryUsd: textOf(stepBack.usdPerRequest),
    canaryWindow: textOf(stepBack.windowSeconds),
    canaryCalls: textOf(stepBack.leastCalls),
  };
};

export function formOf(policy: Policy): PolicyForm {
  const { name, scope = {}, match = {}, ...said } = policy;
  const { fallbacks, timeouts, maxPrice, weights } = said;
  const isLifted = (member: Member): boolean =>
    member in LIFTED ? said[member] === LIFTED[member] : said[member] === null;
  return {
    ...EMPTY_FORM,
    ...canaryForm(said.canary),
    name,
    scope:
      scope.tag !== undefined
        ? 'tag'
        : scope.key !== undefined
          ? 'key'
          : scope.account === undefined
            ? 'gateway'
            : 'account',
    account: scope.account ?? '',
    key: scope.key ?? '',
    tag: scope.tag ?? '',
    models: listText(match.models),
    protocols: match.protocols ?? [],
    operations: match.operations ?? [],
    only: listText(said.only),
    ignore: listText(said.ignore),
    region: listText(said.region),
    retention: textOf(said.retention),
    isUntrained: said.trains === false,
    isStrict: said.strict === true,
    promptUsd: textOf(maxPrice?.promptUsdPerMillion),
    completionUsd: textOf(maxPrice?.completionUsdPerMillion),
    strategy: said.strategy ?? '',
    order: listText(said.order),
    weights: Object.entries(weights ?? {})
      .map(([host, weight]) => `${host}=${weight}`)
      .join(', '),
    isSticky: said.sticky === true,
    fallbacks: (fallbacks ?? []).map(({ model, on = DEFAULT_KINDS }, at) => ({ at, model, on })),
    firstByte: secondsText(timeouts?.firstByteMs),
    silence: secondsText(timeouts?.silenceMs),
    total: secondsText(timeouts?.totalMs),
    lifted: MEMBERS.filter(isLifted),
    rest: Object.fromEntries(
      Object.entries(said).filter(([member]) => !(MEMBERS as readonly string[]).includes(member)),
    ),
  };
}

/** Without empty texts, lists and objects: the API has nothing said about those. */
const given = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) =>
        value !== undefined &&
        value !== '' &&
        !(typeof value === 'object' && Object.keys(value as object).length === 0),
    ),
  );

const numberOf = (text: string, factor = 1): number | undefined =>
  text.trim() === '' ? undefined : factor === 1 ? Number(text) : Math.round(Number(text) * factor);

const isDefault = (on: readonly FallbackKind[]): boolean =>
  new Set(on).symmetricDifference(new Set(DEFAULT_KINDS)).size === 0;

const canaryOf = (form: PolicyForm): Record<string, unknown> =>
  form.canaryKind === ''
    ? {}
    : given({
        [form.canaryKind]: form.canaryTarget.trim(),
        percent: numberOf(form.canaryPercent),
        stepBack: given({
          errorPercent: numberOf(form.canaryErrors),
          firstTokenP95Ms: numberOf(form.canaryFirst, 1000),
          usdPerRequest: numberOf(form.canaryUsd),
          windowSeconds: numberOf(form.canaryWindow),
          leastCalls: numberOf(form.canaryCalls),
        }),
      });

export function policyOf(form: PolicyForm): Policy {
  const { scope, account, key, tag } = form;
  const said = given({
    only: wordsOf(form.only),
    ignore: wordsOf(form.ignore),
    region: wordsOf(form.region),
    retention: numberOf(form.retention),
    trains: form.isUntrained ? false : undefined,
    maxPrice: given({
      promptUsdPerMillion: numberOf(form.promptUsd),
      completionUsdPerMillion: numberOf(form.completionUsd),
    }),
    strict: form.isStrict ? true : undefined,
    strategy: form.strategy,
    order: wordsOf(form.order),
    weights: weightsOf(form.weights),
    sticky: form.isSticky ? true : undefined,
    canary: canaryOf(form),
    fallbacks: form.fallbacks.map(({ model, on }) => ({ model: model.trim(), ...(!isDefault(on) && { on }) })),
    timeouts: given({
      firstByteMs: numberOf(form.firstByte, 1000),
      silenceMs: numberOf(form.silence, 1000),
      totalMs: numberOf(form.total, 1000),
    }),
  });
  const lifted = form.lifted.map((member) => [member, LIFTED[member] ?? null]);
  return {
    name: form.name.trim(),
    ...given({
      scope: given({
        account: scope === 'gateway' ? '' : account.trim(),
        key: scope === 'key' ? key.trim() : '',
        tag: scope === 'tag' ? tag.trim() : '',
      }),
      match: given({
        models: wordsOf(form.models),
        protocols: form.protocols,
        operations: form.operations,
      }),
    }),
    ...said,
    ...form.rest,
    ...Object.fromEntries(lifted),
  } as Policy;
}

/** Whether something is missing that the API would refuse it without. */
export function isComplete(form: PolicyForm): boolean {
  const { name, scope, account, key, tag, fallbacks } = form;
  const isSent = form.canaryKind === '' || (form.canaryTarget.trim() !== '' && form.canaryPercent !== '');
  const isScoped =
    scope === 'gateway' ||
    (scope === 'tag' ? tag.trim() !== '' : account.trim() !== '' && (scope === 'account' || key.trim() !== ''));
  return (
    name.trim() !== '' && isScoped && isSent && fallbacks.every(({ model, on }) => model.trim() !== '' && on.length > 0)
  );
}
