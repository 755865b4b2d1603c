/** Same dialect on both ends: what changes in the caller's own text, or why it has to be rebuilt instead. */
import { arrayAt, isJsonObject, type JsonObject, stringAt } from '../../canonical/json.ts';
import type { Edit, TargetFacts, VerbatimRequest } from '../dialect.ts';
import { adapt } from './adapt.ts';
import type { CheckedGenerate } from './check.ts';
import { judge } from './judge.ts';
import { isHome } from './seals.ts';

export function verbatimRequest(checked: CheckedGenerate, target: TargetFacts): VerbatimRequest {
  judge(checked, target.model);
  const why = whyRebuild(checked, target);
  if (why !== undefined) return { why };
  const { body, losses } = adapt(checked.body, target);
  return { edits: editsBetween(checked.original, body), losses };
}

function whyRebuild({ body, contents, traits, head }: CheckedGenerate, { sealOwner }: TargetFacts): string | undefined {
  if (body['cachedContent'] !== undefined && !isHome(sealOwner)) return 'the host cannot have cached this content';
  if (!traits.signatures) return undefined;
  if (!isHome(sealOwner)) return 'the host cannot have signed these thoughts';
  const enveloped = contents.some((content) =>
    arrayAt(content, 'parts').some(
      (part) => isJsonObject(part) && head?.sealing?.isEnvelope(stringAt(part, 'thoughtSignature') ?? '') === true,
    ),
  );
  return enveloped ? 'a signature comes from another host' : undefined;
}

/** Members that are still the same object were not touched, and stay as the caller wrote them. */
function editsBetween(before: JsonObject, after: JsonObject): Edit[] {
  const edits: Edit[] = [];
  for (const name of Object.keys(before)) if (after[name] === undefined) edits.push({ name, value: undefined });
  for (const [name, value] of Object.entries(after))
    if (value !== before[name]) edits.push({ name, value: JSON.stringify(value) });
  return edits;
}
