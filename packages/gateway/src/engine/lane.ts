/** Verbatim where both ends speak the same dialect and edits suffice; translated otherwise, and why is remembered. */
import type { Fault, FieldLoss, Loss } from '@trivium/protocol/canonical';
import { GatewayError } from '@trivium/protocol/canonical';
import { splice } from '@trivium/protocol/framing';
import type { Target } from './ports.ts';
import type { Planned } from './stages.ts';

export type Lane = {
  readonly kind: 'verbatim' | 'translated';
  readonly why?: string;
  readonly body: string;
  /** In the caller's spelling: what is lost whatever happens, then what this target costs. */
  readonly losses: readonly Loss[];
};

export function chooseLane(planned: Planned, target: Target): Lane {
  const { understanding, dialect, text, members } = planned;
  understanding.judge?.(target.facts.model);
  if (dialect.id !== target.dialect.id) return translate(planned, target, `${dialect.id} to ${target.dialect.id}`);
  const request = understanding.verbatim(target.facts);
  if ('why' in request) return translate(planned, target, request.why);
  const losses = allLosses(planned, request.losses);
  return { kind: 'verbatim', body: splice(text, members, request.edits), losses };
}

/**
 * For the one try after an upstream refused seals that should have been its own: the same call without them. Undefined
 * where there was none to leave out, or where a strict caller must not lose any.
 */
export function laneWithoutSeals(planned: Planned, target: Target): Lane | undefined {
  if (planned.strict) return undefined;
  const { facts } = target;
  const disowning = { ...facts, sealOwner: { ...facts.sealOwner, disowns: true } as const };
  const lane = translate(planned, { ...target, facts: disowning }, 'the upstream refused its own seals');
  return lane.losses.some(({ why }) => why === 'foreign-seal') ? lane : undefined;
}

function translate(planned: Planned, target: Target, why: string): Lane {
  const { body, losses } = target.dialect.client.encodeCall(planned.understanding.call(), target.facts);
  return { kind: 'translated', why, body: JSON.stringify(body), losses: allLosses(planned, losses) };
}

function allLosses(planned: Planned, encoded: readonly FieldLoss[]): readonly Loss[] {
  const { understanding, dialect, strict } = planned;
  if (encoded.length === 0 && understanding.losses.length === 0) return understanding.losses;
  const spelt = encoded.flatMap(({ field, why }) => {
    const paths = field === 'extras' ? extraNames(planned) : [];
    return (paths.length > 0 ? paths : [dialect.server.spelling[field]]).map((path) => ({ path, why }));
  });
  const losses = [
    ...understanding.losses,
    ...spelt.filter((loss) => !understanding.losses.some(({ path }) => path === loss.path)),
  ];
  const first = losses[0];
  if (strict && first !== undefined) throw new GatewayError(strictFault(first));
  return losses;
}

const MAX_EXTRA_NAMES = 16;
/** What may stand in a header as it is. */
const PLAIN_NAME = /^[\w.-]{1,64}$/;

/** The caller's own names of the fields nobody knows; none where they are too many or too odd to be told. */
function extraNames({ understanding, dialect, members }: Planned): readonly string[] {
  const extras = understanding.call().extras[dialect.id] ?? {};
  const names = members.map(({ name }) => name).filter((name) => Object.hasOwn(extras, name));
  return names.length <= MAX_EXTRA_NAMES && names.every((name) => PLAIN_NAME.test(name)) ? names : [];
}

const strictFault = ({ path }: Loss): Fault => ({
  kind: 'unsupported',
  message: `'${path}' cannot be carried to this model as asked, and the request is strict.`,
  field: path,
});
