/**
 * A host that refuses a request because of members it does not know is retried without them, and the loss is reported
 * to the caller.
 */
import type { Fault, Loss } from '@trivium/protocol/canonical';
import { unknownMembersIn } from '@trivium/protocol/dialects';
import { scanMembers, splice } from '@trivium/protocol/framing';
import type { TargetSide } from '../../kernel/target.ts';
import type { Lane } from '../lane.ts';
import type { Understood } from '../request.ts';

/** Some hosts name one member at a time. The second retry drops every other unknown member, too. */
const MAX_SPARINGS = 2;
/** Longer texts are not parsed again. */
const MAX_SPARED_LENGTH = 1_048_576;
const MAX_DEPTH = 512;

/** What was sent to which target, and why it was refused. */
type Refused = { readonly target: TargetSide; readonly lane: Lane | undefined; readonly fault: Fault };

/** The same request without those members; undefined if it was refused for another reason, or may not lose any. */
export function laneWithoutMembers(
  { dialect, strict, understanding }: Pick<Understood, 'dialect' | 'strict' | 'understanding'>,
  { target, lane, fault }: Refused,
  sparings: number,
): Lane | undefined {
  if (lane === undefined || strict || sparings >= MAX_SPARINGS) return undefined;
  if (dialect.operation === 'embed' || dialect.id !== target.dialect.id) return undefined;
  const named = unknownMembersIn(fault);
  const { body } = lane;
  if (named.length === 0 || typeof body !== 'string' || body.length > MAX_SPARED_LENGTH) return undefined;
  const members = scanMembers(body, MAX_DEPTH);
  const extras = dialect.operation === 'image' ? understanding.call().extras[dialect.id] : undefined;
  const isUnknown = (name: string): boolean =>
    dialect.operation === 'text' ? !dialect.server.knows(name) : extras !== undefined && Object.hasOwn(extras, name);
  const unknown = members.map(({ name }) => name).filter(isUnknown);
  if (!named.some((name) => unknown.includes(name))) return undefined;
  const spared = sparings === 0 ? unknown.filter((name) => named.includes(name)) : unknown;
  const losses: readonly Loss[] = spared.map((path) => ({ path, why: 'no-equivalent' }));
  return {
    ...lane,
    body: splice(
      body,
      members,
      spared.map((name) => ({ name, value: undefined })),
    ),
    losses: [...lane.losses, ...losses],
  };
}
