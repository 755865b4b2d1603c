/** Replaces, adds, renames or removes top-level members of a JSON object's text; every other character stays as it came. */
import { type Member, scanMembers, stringEnd } from './json-scan.ts';

/** `value` is JSON text; undefined removes the member. A rename keeps the value's own text. */
export type Edit =
  | { readonly name: string; readonly value: string | undefined }
  | { readonly name: string; readonly renameTo: string };

export function splice(text: string, members: readonly Member[], edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  const pending = new Map(edits.map((edit) => [edit.name, edit]));
  const first = members[0];
  const last = members[members.length - 1];
  const brace = text.indexOf('{') + 1;
  let out = text.slice(0, first === undefined ? brace : first.start);
  let previousEnd = -1;
  let keptAny = false;
  for (const member of members) {
    const edit = pending.get(member.name);
    pending.delete(member.name);
    const edited = edit === undefined ? text.slice(member.start, member.valueEnd) : editedMember(text, member, edit);
    if (edited !== undefined) {
      out += keptAny ? text.slice(previousEnd, member.start) + edited : edited;
      keptAny = true;
    }
    previousEnd = member.valueEnd;
  }
  for (const edit of pending.values()) {
    if (!('value' in edit) || edit.value === undefined) continue;
    out += `${keptAny ? ',' : ''}${JSON.stringify(edit.name)}:${edit.value}`;
    keptAny = true;
  }
  return out + text.slice(last === undefined ? brace : last.valueEnd);
}

function editedMember(text: string, member: Member, edit: Edit): string | undefined {
  if ('renameTo' in edit)
    return JSON.stringify(edit.renameTo) + text.slice(stringEnd(text, member.start), member.valueEnd);
  if (edit.value === undefined) return undefined;
  return text.slice(member.start, member.valueStart) + edit.value;
}

export const spliceText = (text: string, edits: readonly Edit[], maxDepth: number): string =>
  splice(text, scanMembers(text, maxDepth), edits);
