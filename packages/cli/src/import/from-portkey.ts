// A configuration of Portkey's gateway: strategies over targets, which may have strategies of their own.

import type { ImportCatalogue } from './catalogue.ts';
import type { ImportDraft } from './draft.ts';
import type { Deployment } from './own-model.ts';
import { noteUnknown, readTarget, snakeCased } from './portkey-targets.ts';
import { listOf, membersOf, numberOf, type RawMembers, textOf } from './values.ts';

const DEFAULT_NAME = 'portkey';
const MAX_FALLBACKS = 8;

/** A target with the share of calls that begin with it; 0: called after failures only. */
interface Place {
  readonly deployment: Deployment;
  readonly share: number;
}

interface Reading {
  readonly draft: ImportDraft;
  readonly catalogue: ImportCatalogue;
}

export function fromPortkey(data: unknown, draft: ImportDraft, catalogue: ImportCatalogue): void {
  const config = snakeCased(data);
  noteUnknown(config, '', draft, ['request_timeout']);
  const timeoutMs = numberOf(config['request_timeout']);
  if (timeoutMs !== undefined) draft.totalMs = timeoutMs;
  const name = textOf(config['name']) ?? DEFAULT_NAME;
  if (planned(config, name, 'config', { draft, catalogue }) !== undefined)
    draft.note('the header x-portkey-config', `callers leave it out, and ask for the model ${name}`);
  else if (draft.providers.size > 0)
    draft.note('targets without override_params.model', 'callers write the model they want');
  draft.fenceGroups();
}

const modeOf = (node: RawMembers): string => {
  const count = listOf(node['targets']).length;
  if (count === 0) return 'target';
  return textOf(membersOf(node['strategy'])['mode']) ?? (count === 1 ? 'single' : 'fallback');
};

const targetsOf = (node: RawMembers): readonly RawMembers[] => listOf(node['targets']).map(membersOf);

/** The name under which callers reach it; undefined if nothing of it could be imported. */
function planned(node: RawMembers, name: string, path: string, reading: Reading): string | undefined {
  readRetry(node, path, reading);
  const mode = modeOf(node);
  if (mode === 'fallback') return plannedFallback(node, name, path, reading);
  if (mode === 'conditional') return plannedConditions(node, name, path, reading);
  return addGroup(name, placesOf(node, path, reading), reading);
}

function addGroup(name: string, places: readonly Place[], { draft }: Reading): string | undefined {
  const named: Place[] = [];
  for (const place of places)
    if (place.deployment.upstreamModel === '') draft.addProvider(place.deployment);
    else named.push(place);
  if (named.length === 0) return undefined;
  const group = draft.addModel(
    name,
    named.map(({ deployment }) => deployment),
  );
  const weights: Record<string, number> = {};
  for (const [at, { share }] of named.entries()) {
    const provider = group.places[at]?.provider ?? '';
    if (weights[provider] !== undefined)
      draft.note(`${name}: several targets at ${provider}`, 'they are one there, with the sum of their weights');
    weights[provider] = (weights[provider] ?? 0) + share;
  }
  const shared = Object.entries(weights).filter(([, share]) => share > 0);
  if (Object.keys(weights).length > 1 && shared.length > 0) group.rules.weights = Object.fromEntries(shared);
  return name;
}

/** All targets below, as one model: a nested fallback gives its first target the share, and others what failures leave. */
function placesOf(node: RawMembers, path: string, reading: Reading, share = 1): readonly Place[] {
  const { draft } = reading;
  const mode = modeOf(node);
  if (mode === 'target') {
    const deployment = readTarget(node, path, draft);
    return deployment === undefined ? [] : [{ deployment, share }];
  }
  const targets = targetsOf(node);
  if (mode === 'conditional')
    draft.note(`${path}: strategy conditional`, 'inside another strategy its first target counts');
  if (mode === 'loadbalance') {
    const weights = targets.map((one) => numberOf(one['weight']) ?? 1);
    const sum = weights.reduce((total, one) => total + one, 0) || 1;
    return targets.flatMap((one, at) =>
      placesOf(one, `${path}.targets[${at}]`, reading, rounded((share * (weights[at] ?? 1)) / sum)),
    );
  }
  const called = mode === 'fallback' ? targets : targets.slice(0, 1);
  return called.flatMap((one, at) => placesOf(one, `${path}.targets[${at}]`, reading, at === 0 ? share : 0));
}

const rounded = (share: number): number => Number(share.toFixed(6));

type Step = { readonly node: RawMembers; readonly path: string; readonly codes: readonly number[] | undefined };

/** Fallbacks within fallbacks follow one another. */
function stepsOf(node: RawMembers, path: string, codes?: readonly number[]): readonly Step[] {
  if (modeOf(node) !== 'fallback') return [{ node, path, codes }];
  const given = membersOf(node['strategy'])['on_status_codes'];
  const own = given === undefined ? undefined : listOf(given).flatMap((code) => numberOf(code) ?? []);
  return targetsOf(node).flatMap((one, at) => stepsOf(one, `${path}.targets[${at}]`, at === 0 ? codes : own));
}

const ALL_KINDS = ['error', 'over-rate', 'context-exceeded', 'content-filter'];

/** Failures by their status, as providers send it. Without codes Portkey goes on after any answer that is no success. */
function kindsOf(codes: readonly number[] | undefined): readonly string[] {
  if (codes === undefined) return ALL_KINDS;
  const kinds = new Set<string>();
  for (const code of codes) {
    if (code === 429) kinds.add('over-rate');
    else if (code === 400 || code === 413) for (const kind of ['context-exceeded', 'content-filter']) kinds.add(kind);
    else kinds.add('error');
  }
  return [...kinds];
}

function plannedFallback(node: RawMembers, name: string, path: string, reading: Reading): string | undefined {
  const { draft, catalogue } = reading;
  const steps = stepsOf(node, path);
  const sameModel = sameModelOf(steps, reading);
  if (sameModel !== undefined) {
    draft.addModel(name, sameModel).rules.order = sameModel.map(({ provider }) => provider);
    if (steps.some(({ codes }) => codes !== undefined))
      draft.note(`${path}: on_status_codes`, 'the providers of one model are tried after any failure');
    return name;
  }
  const others: { readonly model: string; readonly on: readonly string[] }[] = [];
  let main: string | undefined;
  for (const [at, step] of steps.entries()) {
    const own = textOf(step.node['name']) ?? `${name}-${at + 1}`;
    const free = catalogue.idOf(own) === own || draft.groups.has(own) ? `${name}-${at + 1}` : own;
    const model = planned(step.node, main === undefined ? name : free, step.path, reading);
    if (model === undefined) continue;
    if (main === undefined) main = model;
    else if (kindsOf(step.codes).length > 0) others.push({ model, on: kindsOf(step.codes) });
  }
  if (others.length > MAX_FALLBACKS) draft.note(`${path}: targets`, `the first ${MAX_FALLBACKS} fallbacks`);
  const group = main === undefined ? undefined : draft.groups.get(main);
  if (group !== undefined && others.length > 0) group.rules.fallbacks = others.slice(0, MAX_FALLBACKS);
  return main;
}

/** The same model at several providers needs no fallback to another model: its providers follow one another. */
function sameModelOf(steps: readonly Step[], { draft, catalogue }: Reading): readonly Deployment[] | undefined {
  if (steps.length < 2 || steps.some(({ node }) => modeOf(node) !== 'target')) return undefined;
  const before = draft.notes.length;
  const deployments = steps.flatMap(({ node, path }) => readTarget(node, path, draft) ?? []);
  const models = new Set(deployments.map((one) => catalogue.modelAt(one)));
  const hosts = new Set(deployments.map(({ provider }) => provider));
  if (deployments.length > 1 && models.size === 1 && !models.has(undefined) && hosts.size === deployments.length)
    return deployments;
  // They are read once more, one by one.
  draft.notes.length = before;
  return undefined;
}

/** Callers choose a model by its name: only what a condition says of the name can be kept. */
function plannedConditions(node: RawMembers, name: string, path: string, reading: Reading): string | undefined {
  const { draft, catalogue } = reading;
  const strategy = membersOf(node['strategy']);
  const byName = new Map<string, string>();
  let first: string | undefined;
  const reached = (target: string): string | undefined => {
    const known = byName.get(target);
    if (known !== undefined) return known;
    const at = targetsOf(node).findIndex((one) => textOf(one['name']) === target);
    const found = targetsOf(node)[at];
    const own = target === textOf(strategy['default']) ? name : `${name}-${target}`;
    const model = found && planned(found, own, `${path}.targets[${at}]`, reading);
    if (model !== undefined) byName.set(target, model);
    first ??= model;
    return model;
  };
  const fallback = textOf(strategy['default']);
  if (fallback !== undefined) reached(fallback);
  for (const condition of listOf(strategy['conditions']).map(membersOf)) {
    const target = textOf(condition['then']) ?? '';
    const model = reached(target);
    if (model === undefined) continue;
    const names = namesIn(condition['query']);
    for (const one of names ?? [])
      if (catalogue.idOf(one) !== one) draft.addAlias(one, model);
      else draft.note(`${path}: condition on the model ${one}`, `callers ask for the model ${model}`);
    if (names === undefined)
      draft.note(
        `${path}: condition ${JSON.stringify(condition['query'])}`,
        `what callers send besides the model chooses none here: they ask for the model ${model}`,
      );
  }
  return first;
}

/** The names of a condition that looks at nothing but the model; undefined for any other. */
function namesIn(query: unknown): readonly string[] | undefined {
  const [[member, value] = [], ...others] = Object.entries(membersOf(query));
  if (member !== 'params.model' || others.length > 0) return undefined;
  const exact = textOf(value) ?? textOf(membersOf(value)['$eq']);
  if (exact !== undefined) return [exact];
  const list = membersOf(value)['$in'];
  return Array.isArray(list) ? list.flatMap((one) => textOf(one) ?? []) : undefined;
}

function readRetry(node: RawMembers, path: string, { draft }: Reading): void {
  const retry = membersOf(node['retry']);
  const attempts = numberOf(retry['attempts']);
  if (attempts !== undefined) draft.maxAttempts = Math.max(draft.maxAttempts ?? 1, Math.min(3, attempts + 1));
  if (retry['on_status_codes'] !== undefined)
    draft.note(`${path}.retry.on_status_codes`, 'failures of the provider, rate limits and timeouts are retried');
  if (attempts !== undefined && attempts > 2)
    draft.note(`${path}.retry.attempts ${attempts}`, 'at most 3 attempts in all; each fallback adds one');
}
