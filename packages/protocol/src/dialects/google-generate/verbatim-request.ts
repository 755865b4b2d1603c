/** Same dialect on both ends: the edits to the caller's text, or the reason to rebuild the request instead. */
import { arrayAt, isJsonObject, type JsonObject, stringAt } from '../../canonical/json.ts';
import type { Edit, TargetFacts, VerbatimRequest } from '../dialect.ts';
import { adapt } from './adapt.ts';
import type { CheckedGenerate } from './check.ts';
import { judge } from './judge.ts';
import { isHome, isNewGeneration } from './seals.ts';

export function verbatimRequest(checked: CheckedGenerate, target: TargetFacts): VerbatimRequest {
  judge(checked, target.model);
  const why = whyRebuild(checked, target);
  if (why !== undefined) return { why };
  const { body, losses } = adapt(checked.body, target);
  return { edits: editsBetween(checked.original, body), losses };
}

function whyRebuild({ body, contents, traits, head }: CheckedGenerate, target: TargetFacts): string | undefined {
  const { sealOwner } = target;
  if (body['cachedContent'] !== undefined && !isHome(sealOwner)) return 'the host cannot have cached this content';
  if (isNewGeneration(target) && isHome(sealOwner) && contents.some(hasUnsignedCall))
    return 'a call of another model has no signature';
  if (contents.some(repeatsResult)) return 'a call has two results';
  if (!traits.signatures) return undefined;
  if (!isHome(sealOwner)) return 'the host cannot have signed these thoughts';
  const enveloped = contents.some((content) =>
    arrayAt(content, 'parts').some(
      (part) => isJsonObject(part) && head?.sealing?.isEnvelope(stringAt(part, 'thoughtSignature') ?? '') === true,
    ),
  );
  return enveloped ? 'a signature comes from another host' : undefined;
}

/** Only the first call of a step is signed. */
function hasUnsignedCall(content: JsonObject): boolean {
  if (content['role'] !== 'model') return false;
  const first = arrayAt(content, 'parts').find((part) => isJsonObject(part) && part['functionCall'] !== undefined);
  return isJsonObject(first) && stringAt(first, 'thoughtSignature') === undefined;
}

/** Gemini CLI repeats them when it resumes a conversation, and the host refuses more results than calls. */
function repeatsResult(content: JsonObject): boolean {
  if (content['role'] === 'model') return false;
  let seen: Set<string> | undefined;
  for (const part of arrayAt(content, 'parts')) {
    const result = isJsonObject(part) ? part['functionResponse'] : undefined;
    const id = isJsonObject(result) ? stringAt(result, 'id') : undefined;
    if (id === undefined) continue;
    if (seen?.has(id) === true) return true;
    seen = (seen ?? new Set()).add(id);
  }
  return false;
}

/** A member that is still the same object is unchanged and stays as the caller wrote it. */
function editsBetween(before: JsonObject, after: JsonObject): Edit[] {
  const edits: Edit[] = [];
  for (const name of Object.keys(before)) if (after[name] === undefined) edits.push({ name, value: undefined });
  for (const [name, value] of Object.entries(after))
    if (value !== before[name]) edits.push({ name, value: JSON.stringify(value) });
  return edits;
}
