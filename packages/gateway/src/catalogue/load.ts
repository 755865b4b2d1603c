// From files and operator overrides to one snapshot. Never throws for bad data: it names every problem and its
// place, and leaves out what is wrong; the caller decides whether to start or to keep the last good snapshot.

import { checkFileForm, checkOverridesForm } from './check-form.ts';
import { isRealDay, readModel } from './check-model.ts';
import { applyOverrides, type Placed } from './overrides.ts';
import { type Problem, type Report, reporter } from './problem.ts';
import { type RawFile, readCatalogueFiles, SHIPPED_CATALOGUE } from './read-files.ts';
import { buildSnapshot, type CatalogueSnapshot } from './snapshot.ts';

export interface CatalogueOptions {
  /** Ids of all hosts that can be routed to, the operator's own included. */
  readonly knownProviders: ReadonlySet<string>;
  /** Unchecked data, usually the configuration's `catalogue` section. */
  readonly overrides?: unknown;
  /** What problems in the overrides call their file. */
  readonly overridesName?: string;
  readonly directory?: URL;
}

export interface LoadedCatalogue {
  readonly snapshot: CatalogueSnapshot;
  readonly problems: readonly Problem[];
  /** Worth telling, not wrong: endpoints of shipped files at hosts this build does not know. */
  readonly notices: readonly Problem[];
}

const readShippedFile = (raw: RawFile, options: CatalogueOptions, problems: Problem[], notices: Problem[]) => {
  const { file } = raw;
  const report = reporter(file, problems);
  const data = checkFileForm(raw.data, report);
  if (data === undefined) return { asOf: '', placed: [] };
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
  return { asOf: data.asOf, placed };
};

const applyChecked = (
  shipped: readonly Placed[],
  options: CatalogueOptions,
  problems: Problem[],
): readonly Placed[] => {
  if (options.overrides === undefined) return shipped;
  const file = options.overridesName ?? 'overrides';
  const report: Report = reporter(file, problems);
  const overrides = checkOverridesForm(options.overrides, report);
  if (overrides === undefined) return shipped;
  const before = problems.length;
  const checkProvider = (provider: string, place: string) => {
    if (!options.knownProviders.has(provider)) report(place, `no such host: "${provider}"`);
  };
  const result = applyOverrides(shipped, overrides, file, { report, checkProvider });
  return problems.length > before ? shipped : result;
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
  const placed = withoutDoubles(applyChecked(shipped, options, problems), problems);
  const asOf =
    files
      .map((file) => file.asOf)
      .sort()
      .at(-1) ?? '';
  const snapshot = buildSnapshot(
    asOf,
    placed.filter((entry) => !entry.retired).map((entry) => entry.model),
    placed.filter((entry) => entry.retired).map((entry) => entry.model),
  );
  return { snapshot, problems, notices };
};
