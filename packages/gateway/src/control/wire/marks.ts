/** Marks what happened to a request in its bytes: edits, losses, sealed state and redacted secrets. */
import type { Loss } from '@trivium/protocol/canonical';
import { ENVELOPE_START } from '../../calls/seals/envelopes.ts';
import { membersOf, type PlacedMember, placesIn, type TextSpan } from './json-places.ts';
import { REMOVED, type StoredWire, type WireCall, type WirePane } from './stored-wire.ts';

export const PANES = ['callerRequest', 'hostRequest', 'hostResponse', 'callerResponse'] as const;

type PaneName = (typeof PANES)[number];
type MarkPlace = { readonly pane: PaneName; readonly start: number | null; readonly end: number | null };

export type Mark = {
  readonly kind: 'S' | 'L' | 'A' | 'E' | 'K';
  readonly path: string | null;
  readonly why: string;
  readonly from: MarkPlace | null;
  readonly to: MarkPlace | null;
};

type Panes = Readonly<Record<PaneName, WirePane | undefined>>;

const MAX_MARKS = 500;
const ENVELOPE = new RegExp(`${ENVELOPE_START}[A-Za-z0-9+/=]+`, 'g');

/** `call`: the provider call that is shown. */
export function marksOf({ losses, callerRequest, callerResponse }: StoredWire, call: WireCall | undefined): Mark[] {
  const { hostRequest, hostResponse, lane } = call ?? {};
  const panes: Panes = { callerRequest, hostRequest, hostResponse, callerResponse };
  const marks = [
    ...(lane === 'verbatim' ? [...splices(panes), ...answerSplices(panes)] : []),
    ...lossMarks(losses, callerRequest),
    ...PANES.flatMap((name) => [...envelopes(name, panes[name]), ...secrets(name, panes[name])]),
  ];
  return inBytes(marks.slice(0, MAX_MARKS), panes);
}

/** Marks are found by characters and count bytes. */
function inBytes(marks: readonly Mark[], panes: Panes): Mark[] {
  const places = marks.flatMap(({ from, to }) => [from, to]);
  const offsets = new Map(
    PANES.map((name) => {
      const positions = places.flatMap((place) => (place?.pane === name ? [place.start ?? 0, place.end ?? 0] : []));
      return [name, byteOffsets(panes[name]?.body ?? '', positions)];
    }),
  );
  const counted = (place: MarkPlace | null): MarkPlace | null => {
    if (place === null || place.start === null || place.end === null) return place;
    const bytes = offsets.get(place.pane);
    return { pane: place.pane, start: bytes?.get(place.start) ?? null, end: bytes?.get(place.end) ?? null };
  };
  return marks.map((mark) => ({ ...mark, from: counted(mark.from), to: counted(mark.to) }));
}

/** By character position, in one pass over the text. */
function byteOffsets(text: string, positions: readonly number[]): ReadonlyMap<number, number> {
  const offsets = new Map<number, number>();
  let [at, bytes] = [0, 0];
  for (const position of positions.toSorted((one, other) => one - other)) {
    bytes += Buffer.byteLength(text.slice(at, position));
    at = position;
    offsets.set(position, bytes);
  }
  return offsets;
}

const placed = (pane: PaneName, { start, end }: TextSpan): MarkPlace => ({ pane, start, end });

/** If both are truncated, only the part before the cut is compared. */
function splices({ callerRequest, hostRequest }: Panes): Mark[] {
  if (callerRequest === undefined || hostRequest === undefined) return [];
  return editsBetween(
    { pane: 'callerRequest', text: callerRequest.body, members: membersOf(callerRequest.body) },
    { pane: 'hostRequest', text: hostRequest.body, members: membersOf(hostRequest.body) },
    callerRequest.truncated || hostRequest.truncated,
  );
}

type Side = { readonly pane: PaneName; readonly text: string; readonly members: readonly PlacedMember[] };

/** Edits of the verbatim lane are edits of top-level members. */
function editsBetween(from: Side, to: Side, isCut: boolean): Mark[] {
  const marks: Mark[] = [];
  const after = new Map(to.members.map((one) => [one.name, one]));
  for (const { name, member, value } of from.members) {
    const other = after.get(name);
    after.delete(name);
    const source = placed(from.pane, member);
    if (other === undefined) {
      if (!isCut) marks.push({ kind: 'S', path: name, why: 'removed', from: source, to: null });
    } else if (from.text.slice(value.start, value.end) !== to.text.slice(other.value.start, other.value.end))
      marks.push({ kind: 'S', path: name, why: 'rewritten', from: source, to: placed(to.pane, other.member) });
  }
  if (!isCut)
    for (const { name, member } of after.values())
      marks.push({ kind: 'S', path: name, why: 'added', from: null, to: placed(to.pane, member) });
  return marks;
}

/** Compares a whole answer, or the events of a stream one by one; marks the first occurrence of each edit. */
function answerSplices({ hostResponse, callerResponse }: Panes): Mark[] {
  if (hostResponse === undefined || callerResponse === undefined) return [];
  const [from, to] = [eventsIn('hostResponse', hostResponse.body), eventsIn('callerResponse', callerResponse.body)];
  const isCut = hostResponse.truncated || callerResponse.truncated;
  if (from.length !== to.length && !isCut) {
    const why = `${from.length} events became ${to.length}`;
    return [{ kind: 'S', path: null, why, from: anywhere('hostResponse'), to: anywhere('callerResponse') }];
  }
  const marks = new Map<string, Mark>();
  for (const [index, source] of from.entries()) {
    const made = to[index];
    if (made === undefined) break;
    for (const mark of editsBetween(source, made, false)) {
      const name = `${mark.path} ${mark.why}`;
      if (!marks.has(name)) marks.set(name, mark);
    }
  }
  return [...marks.values()];
}

const anywhere = (pane: PaneName): MarkPlace => ({ pane, start: null, end: null });

const DATA_LINE = /^data: ?(\{.*)$/gm;

function eventsIn(pane: PaneName, text: string): readonly Side[] {
  if (text.trimStart().startsWith('{')) return [{ pane, text, members: membersOf(text) }];
  return Array.from(text.matchAll(DATA_LINE), ({ index, 0: line, 1: data = '' }) => ({
    pane,
    text,
    members: membersOf(text, index + line.length - data.length),
  }));
}

function lossMarks(losses: readonly Loss[], { body }: WirePane): Mark[] {
  const placeOf = placesIn(body);
  return losses.slice(0, MAX_MARKS).map(({ path, why }) => {
    const span = placeOf(path);
    const from = span === undefined ? null : placed('callerRequest', span);
    return { kind: why === 'approximated' || why === 'clamped' ? 'A' : 'L', path, why, from, to: null };
  });
}

function envelopes(name: PaneName, pane: WirePane | undefined): Mark[] {
  if (pane === undefined) return [];
  const why = name === 'callerRequest' ? 'sealed state, opened by the gateway' : 'sealed state of a provider';
  return Array.from(pane.body.matchAll(ENVELOPE), ({ index, 0: text }) => ({
    kind: 'E',
    path: null,
    why,
    from: placed(name, { start: index, end: index + text.length }),
    to: null,
  }));
}

function secrets(name: PaneName, pane: WirePane | undefined): Mark[] {
  if (pane === undefined) return [];
  const why = 'redacted';
  const marks: Mark[] = pane.headers.flatMap(({ name: path, redacted }) =>
    redacted === true ? [{ kind: 'K', path, why, from: anywhere(name), to: null }] : [],
  );
  if (pane.secrets === 0) return marks;
  for (let at = pane.body.indexOf(REMOVED); at !== -1; at = pane.body.indexOf(REMOVED, at + 1))
    marks.push({
      kind: 'K',
      path: null,
      why,
      from: placed(name, { start: at, end: at + REMOVED.length }),
      to: null,
    });
  return marks;
}
