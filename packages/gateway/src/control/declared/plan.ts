/** Compares a document with the installation, kind by kind. Changes nothing. */
import type { Declaration, DeclaredKind, Difference, Had, Wanted } from '../api/declared.ts';
import { differenceOf, identityOf } from '../api/declared.ts';
import { definitionOf } from '../models/declare.ts';
import { priceChangeOf } from '../prices/declare.ts';
import { fullName, type Run } from './applying.ts';
import type { Applied, DeclaredStep } from './contract.ts';
import { DECLARED_KINDS, type DeclaredPorts } from './kinds.ts';

type Kind = DeclaredKind<DeclaredPorts>;

type KindPlan = {
  readonly kind: Kind;
  readonly wanted: readonly Wanted[];
  readonly created: readonly Wanted[];
  readonly changed: readonly { readonly wanted: Wanted; readonly had: Had }[];
  readonly removed: readonly Had[];
};

export type DeclaredPlan = {
  readonly kinds: readonly KindPlan[];
  readonly changes: readonly DeclaredStep[];
  readonly leftAlone: Applied['leftAlone'];
};

/** The things that are there, by their identity, else by a further name that only one has. */
class Found {
  readonly #byName = new Map<string, Had[]>();

  constructor(things: readonly Had[]) {
    for (const thing of things) this.#add(identityOf(thing), thing);
    const own = new Set(this.#byName.keys());
    for (const thing of things)
      for (const alias of new Set(thing.aliases ?? []))
        if (!own.has(`${thing.account}\n${alias}`)) this.#add(alias, thing);
  }

  #add(name: string, thing: Had): void {
    const key = `${thing.account}\n${name}`;
    const known = this.#byName.get(key);
    if (known === undefined) this.#byName.set(key, [thing]);
    else known.push(thing);
  }

  of(wanted: Wanted): readonly Had[] {
    return this.#byName.get(`${wanted.account}\n${identityOf(wanted)}`) ?? [];
  }
}

/** What was changed by hand since the last apply: it is not as that apply left it. */
const driftOf = (run: Run, { kind }: Kind, wanted: Wanted, had: Had | undefined): DeclaredStep['drift'] => {
  const kept = run.kept(kind, wanted.account, identityOf(wanted));
  if (kept === undefined) return undefined;
  if (had === undefined) return 'removed';
  return differenceOf(kept, had.value) === undefined ? undefined : 'changed';
};

const stepOf = (
  action: DeclaredStep['action'],
  { kind }: Kind,
  thing: Wanted | Had,
  difference: Partial<Difference>,
  drift?: DeclaredStep['drift'],
): DeclaredStep => ({
  action,
  kind,
  name: fullName(thing),
  ...(difference.before !== undefined && { before: difference.before }),
  ...(difference.after !== undefined && { after: difference.after }),
  ...(drift !== undefined && { drift }),
});

function requireOnce(run: Run, { kind }: Kind, wanted: readonly Wanted[]): void {
  const seen = new Set<string>();
  for (const one of wanted) {
    const key = `${one.account}\n${identityOf(one)}`;
    if (seen.has(key)) run.report(one.path, `a second ${kind} "${one.name}"`);
    seen.add(key);
  }
}

async function planKind(run: Run, document: Declaration, kind: Kind, steps: DeclaredStep[]) {
  const had = await kind.read(run);
  for (const one of had) run.register(kind.kind, one, one.id);
  const wanted = [...kind.wanted(document, run)];
  requireOnce(run, kind, wanted);
  // Other things of the document may name those that are still to be made.
  for (const one of wanted) run.register(kind.kind, one, '');
  const found = new Found(had);
  const met = new Set<Had>();
  const created: Wanted[] = [];
  const changed: { wanted: Wanted; had: Had }[] = [];
  for (const one of wanted) {
    const [first, ...others] = found.of(one);
    if (others.length > 0) {
      const ids = [first, ...others].map((each) => each?.id).join(', ');
      run.report(
        one.path,
        `the gateway has several ${kind.kind}s named "${one.name}" (${ids}): rename or remove all but one`,
      );
    }
    if (first !== undefined) met.add(first);
    const difference =
      kind.difference === undefined ? differenceOf(one.value, first?.value) : kind.difference(run, one, first);
    if (difference === undefined) continue;
    if (kind.permission === 'operator' && run.actor.kind !== 'operator')
      run.report(one.path, `only operators declare this: ${kind.kind} ${fullName(one)} differs`);
    if (first === undefined) created.push(one);
    else changed.push({ wanted: one, had: first });
    steps.push(
      stepOf(first === undefined ? 'create' : 'change', kind, one, difference, driftOf(run, kind, one, first)),
    );
  }
  const unlisted = had.filter((one) => !met.has(one) && kind.isListed(document, one));
  return { kind, had, wanted, created, changed, unlisted };
}

/** Models, aliases and prices are checked together with the catalogue, as they will be. */
async function checkCatalogue(run: Run, plans: readonly KindPlan[], hadBefore: ReadonlyMap<string, readonly Had[]>) {
  const of = (name: string) => plans.find(({ kind }) => kind.kind === name);
  const parts = ['model', 'alias', 'price'].map(of);
  if (
    parts.every(
      (one) => one === undefined || (one.created.length === 0 && one.changed.length === 0 && one.removed.length === 0),
    )
  )
    return;
  const willBe = (name: string): readonly (Wanted | Had)[] => {
    const plan = of(name);
    const gone = new Set<Had>([...(plan?.removed ?? []), ...(plan?.changed ?? []).map(({ had }) => had)]);
    const named = new Set((plan?.wanted ?? []).map(identityOf));
    const kept = (hadBefore.get(name) ?? []).filter((one) => !gone.has(one) && !named.has(identityOf(one)));
    return [...kept, ...(plan?.wanted ?? [])];
  };
  const [models, aliases, prices] = [willBe('model'), willBe('alias'), willBe('price')];
  const misfit = await run.ports.catalogue.misfitIn({
    models: models.map(definitionOf),
    aliases: aliases.map(({ name, value }) => ({ name, model: String(value['model']) })),
    prices: prices.map(priceChangeOf),
  });
  if (misfit === undefined) return;
  const thing = { models, aliases, prices }[misfit.of][misfit.at];
  run.report(thing !== undefined && 'path' in thing ? thing.path : [], misfit.problem);
}

export async function planOf(run: Run, document: Declaration, prune: boolean): Promise<DeclaredPlan> {
  const steps: DeclaredStep[] = [];
  const removals: DeclaredStep[] = [];
  const leftAlone: Applied['leftAlone'] = [];
  const kinds: KindPlan[] = [];
  const before = new Map<string, readonly Had[]>();
  for (const kind of DECLARED_KINDS) {
    const { had, unlisted, ...planned } = await planKind(run, document, kind, steps);
    before.set(kind.kind, had);
    const isOwn = (one: Had): boolean => kind.remove !== undefined && run.isKept(kind.kind, one);
    const removed = prune ? unlisted.filter(isOwn) : [];
    kinds.push({ ...planned, removed });
    for (const one of unlisted) {
      const step = stepOf('remove', kind, one, { before: one.value });
      if (prune && isOwn(one)) removals.push(step);
      else leftAlone.push({ ...step, why: isOwn(one) ? 'not-pruned' : 'made-by-hand' });
    }
  }
  if (run.problems.length === 0) await checkCatalogue(run, kinds, before);
  run.requireNoProblem();
  return { kinds, changes: [...steps, ...removals], leftAlone };
}
