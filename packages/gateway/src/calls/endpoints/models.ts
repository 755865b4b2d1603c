/** The models a caller may use, at the prices it pays. Without a valid key: all models, at the standard prices. */
import { GatewayError, type ModelCard, type ProtocolName } from '@trivium/protocol/canonical';
import { protocolAdapters } from '@trivium/protocol/dialects';
import type { Caller } from '../../kernel/caller.ts';
import type { RawHeaders } from '../../kernel/caller-port.ts';
import { readsSpend } from '../../kernel/spend.ts';
import { speaks } from '../../kernel/target.ts';
import { extractCredential } from '../../people/accounts/credentials.ts';
import type { Engine } from '../engine.ts';
import { mayCall } from '../plan/candidates.ts';

/** No account has this id, so it gets the standard prices. */
const STRANGER = '';

/** Undefined: an unauthenticated caller. */
export type Reader = Caller | undefined;

/** Returns a promise only if the key has to be looked up first. */
export function whoReads(engine: Engine, headers: RawHeaders): Reader | Promise<Reader> {
  const credential = extractCredential(headers);
  return credential.kind === 'one' ? engine.accounts.find(credential.secret) : undefined;
}

/** `makers`: under the names their makers use, for programs that know no others. */
function listModels(engine: Engine, caller: Reader, names?: string): readonly ModelCard[] {
  const cards = engine.directory.cards(engine.priceFactorPpm(caller?.accountId ?? STRANGER));
  const seen = caller === undefined ? cards : cards.filter(({ id }) => maySee(engine, caller, id));
  return names === 'makers' ? seen.map(underMakersName) : seen;
}

function underMakersName(card: ModelCard): ModelCard {
  const [name] = card.aliases ?? [];
  return name === undefined ? card : { ...card, id: name };
}

function oneModel(engine: Engine, name: string, caller: Reader): ModelCard | undefined {
  const card = engine.directory.card(name, engine.priceFactorPpm(caller?.accountId ?? STRANGER));
  return card !== undefined && caller !== undefined && !maySee(engine, caller, card.id) ? undefined : card;
}

const maySee = ({ directory }: Engine, caller: Caller, id: string): boolean =>
  mayCall(caller, directory.find(id) ?? { id });

/** For menus of programs that speak. */
function speakersFor({ directory }: Engine, what: 'models' | 'voices', caller: Reader): object {
  const speaking = directory.modelIds
    .flatMap((id) => directory.find(id) ?? [])
    .filter((entry) => entry.targets.some(speaks) && (caller === undefined || mayCall(caller, entry)));
  if (what === 'models') return { models: speaking.map(({ id }) => ({ id, name: id })) };
  const names = speaking.flatMap(({ targets }) =>
    targets.flatMap(({ dialect, facts }) =>
      dialect.operation === 'speech' ? (dialect.client.voices?.(facts) ?? []) : [],
    ),
  );
  return { voices: [...new Set(names)].map((name) => ({ id: name, name })) };
}

/** A list, or one model. Claude Code asks at a path that protocols have in common, and reads one form. */
export function modelsAnswer(
  engine: Engine,
  action:
    | { readonly kind: 'list-models'; readonly sound?: 'models' | 'voices' }
    | { readonly kind: 'one-model'; readonly model: string },
  caller: Reader,
  protocol: ProtocolName,
  query: ReadonlyMap<string, string>,
): object {
  if ('sound' in action && action.sound !== undefined) return speakersFor(engine, action.sound, caller);
  const adapter = protocolAdapters[caller !== undefined && readsSpend(caller) ? 'messages' : protocol];
  if (action.kind === 'list-models') return adapter.encodeModels(listModels(engine, caller, query.get('names')), query);
  const card = oneModel(engine, action.model, caller);
  if (card === undefined)
    throw new GatewayError({ kind: 'unknown-model', message: 'Model not found.', field: 'model' });
  return adapter.encodeModel(card);
}
