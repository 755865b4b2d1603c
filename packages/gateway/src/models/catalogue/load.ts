// From files and operator overrides to one snapshot. Never throws for invalid data: it reports every problem with its
// path, and leaves out what is invalid; the caller decides whether to start or to keep the last good snapshot.

import { checkFileForm, checkOverridesForm } from './check-form.ts';
import { isName, isRealDay, readModel } from './check-model.ts';
import { applyOverrides, type Placed } from './overrides.ts';
import { type Problem, type ReportProblem, reporter } from './problem.ts';
import { type RawFile, readCatalogueFiles, SHIPPED_CATALOGUE } from './read-files.ts';
import type { RetiredNameData } from './schema.ts';
import { buildSnapshot, type CatalogueSnapshot, type RetiredName } from './snapshot.ts';

export interface CatalogueOptions {
  /** Ids of all hosts that can be routed to, including the operator's own. */
  readonly knownProviders: ReadonlySet<string>;
  /** Unchecked data, usually the configuration's `catalogue` section. */
  readonly overrides?: unknown;
  /** The file name in problems of the overrides. */
  readonly overridesName?: string;
  readonly directory?: URL;
}

export interface LoadedCatalogue {
  readonly snapshot: CatalogueSnapshot;
  readonly problems: readonly Problem[];
  /** Not errors: endpoints of shipped files at hosts this build does not know. */
  readonly notices: readonly Problem[];
}

const OVERRIDES = 'overrides';

const readShippedFile = (raw: RawFile, options: CatalogueOptions, problems: Problem[], notices: Problem[]) => {
  const { file } = raw;
  const report = reporter(file, problems);
  const data = checkFileForm(raw.data, report);
  if (data === undefined) return { asOf: '', placed: [], retiredNames: [] };
  if (`${data.owner}.json` !== file) report('owner', `is "${data.owner}", so the file should be ${data.owner}.json`);
  if (!isRealDay(data.asOf)) report('asOf', 'is not a day of the calendar');
  const notice = reporter(file, notices);
  const rules = {
    owner: data.owner,
    asOf: data.asOf,
    report,
    checkProvider: (provider: string, place: string) => {
      if (!options.knownProviders.has(provider)) notice(place, `no such host yet: "${provider}"`);
    },
  };
  const placed = data.models.flatMap((model, index): Placed[] => {
    const before = problems.length;
    const place = `models[${index}]`;
    const checked = readModel(model, place, rules);
    return problems.length > before ? [] : [{ ...checked, file, place }];
  });
  const { retiredNames = [] } = data;
  return { asOf: data.asOf, placed, retiredNames: retiredNames.map((each, index) => readGone(each, index, rules)) };
};

/** Written without their owner, as their maker writes them. */
const readGone = (
  { names, day, successor }: RetiredNameData,
  index: number,
  { owner, asOf, report }: { readonly owner: string; readonly asOf: string; readonly report: ReportProblem },
): RetiredName & { readonly report: (message: string) => void } => {
  const place = `retiredNames[${index}]`;
  if (!isRealDay(day) || day > asOf) report(`${place}.day`, `is not a day until the file's asOf (${asOf})`);
  for (const name of names)
    if (!isName(name) || name.includes('/')) report(`${place}.names`, `"${name}" is not a plain name`);
  const ids = names.map((name) => `${owner}/${name}`);
  return { names: ids, day, successor, report: (message) => report(place, message) };
};

/** Successors are served; retired names belong to no model. */
const checkSuccessors = (
  shipped: readonly Placed[],
  gone: readonly (RetiredName & { readonly report: (message: string) => void })[],
  problems: Problem[],
): void => {
  const served = new Set(shipped.filter(({ retired }) => !retired).map(({ model }) => model.id));
  const taken = new Set(shipped.flatMap(({ model }) => [model.id, ...model.aliases]));
  for (const { model, file, place } of shipped)
    if (model.successor !== undefined && !served.has(model.successor))
      problems.push({ file, path: `${place}.successor`, message: `"${model.successor}" is not a served model` });
  for (const { names, successor, report } of gone) {
    if (!served.has(successor)) report(`successor "${successor}" is not a served model`);
    for (const id of names) {
      const bare = id.slice(id.indexOf('/') + 1);
      if (taken.has(id) || taken.has(bare)) report(`"${bare}" is already taken`);
      taken.add(id).add(bare);
    }
  }
};

const applyChecked = (
  shipped: readonly Placed[],
  options: CatalogueOptions,
  problems: Problem[],
): readonly Placed[] => {
  if (options.overrides === undefined) return shipped;
  const file = options.overridesName ?? OVERRIDES;
  const report: ReportProblem = reporter(file, problems);
  const overrides = checkOverridesForm(options.overrides, report);
  if (overrides === undefined) return shipped;
  const before = problems.length;
  const checkProvider = (provider: string, place: string) => {
    if (!options.knownProviders.has(provider)) report(place, `no such host: "${provider}"`);
  };
  const result = applyOverrides(shipped, overrides, file, { report, checkProvider });
  return problems.length > before ? shipped : result;
};

/** An operator's own model names take precedence: a shipped alias of the same spelling is removed. */
const givingWay = (placed: readonly Placed[], ownFile: string): readonly Placed[] => {
  const own = new Set(
    placed.filter(({ file }) => file === ownFile).flatMap(({ model }) => [model.id, ...model.aliases]),
  );
  if (own.size === 0) return placed;
  return placed.map((entry) => {
    const { model } = entry;
    if (entry.file === ownFile || !model.aliases.some((alias) => own.has(alias))) return entry;
    return { ...entry, model: { ...model, aliases: model.aliases.filter((alias) => !own.has(alias)) } };
  });
};

/** Every name of the shipped models that no longer belongs to a model. */
const namesBut = (shipped: readonly Placed[], placed: readonly Placed[]): ReadonlySet<string> => {
  const kept = new Set(placed.map(({ model }) => model.id));
  const namesOf = ({ model: { id, owner, aliases } }: Placed): readonly string[] => [
    id,
    ...aliases.map((alias) => (alias.includes('/') ? alias : `${owner}/${alias}`)),
  ];
  return new Set(shipped.filter(({ model }) => !kept.has(model.id)).flatMap(namesOf));
};

const withoutDoubles = (placed: readonly Placed[], problems: Problem[]): readonly Placed[] => {
  const holders = new Map<string, Placed>();
  return placed.filter((entry) => {
    const names = [entry.model.id, ...entry.model.aliases];
    const taken = names.find((name) => holders.has(name));
    if (taken !== undefined) {
      const { file, place } = holders.get(taken) ?? entry;
      problems.push({
        file: entry.file,
        path: entry.place,
        message: `"${taken}" is already taken by ${file}: ${place}`,
      });
      return false;
    }
    for (const name of names) holders.set(name, entry);
    return true;
  });
};

export const loadCatalogue = async (options: CatalogueOptions): Promise<LoadedCatalogue> => {
  const raw = await readCatalogueFiles(options.directory ?? SHIPPED_CATALOGUE);
  const problems: Problem[] = [...raw.problems];
  const notices: Problem[] = [];
  const files = raw.files.map((file) => readShippedFile(file, options, problems, notices));
  const shipped = files.flatMap((file) => file.placed);
  const gone = files.flatMap((file) => file.retiredNames);
  checkSuccessors(shipped, gone, problems);
  const changed = applyChecked(shipped, options, problems);
  const placed = withoutDoubles(givingWay(changed, options.overridesName ?? OVERRIDES), problems);
  const asOf =
    files
      .map((file) => file.asOf)
      .sort()
      .at(-1) ?? '';
  const snapshot = buildSnapshot(
    asOf,
    placed.filter((entry) => !entry.retired).map((entry) => entry.model),
    placed.filter((entry) => entry.retired).map((entry) => entry.model),
    gone.map(({ names, day, successor }) => ({ names, day, successor })),
    namesBut(shipped, placed),
  );
  return { snapshot, problems, notices };
};
